"""What the agent of the demonstration has: tools that take a while and know a small warehouse."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from actloop import tool
from actloop.tools import Artifact, Tool, ToolResult

__all__ = ["demo_tools"]

_STOCK = {"Kyoto": 40, "Oslo": 260, "Lisbon": 180}
_DAYS = {"Kyoto": 1, "Oslo": 6, "Lisbon": 8}


def demo_tools(pace: float) -> Sequence[Tool]:
    """Return the tools. pace: how many seconds the model's and the tools' second takes."""

    @tool
    async def list_stock(product: str, warehouse: str) -> str:
        """How many of a product a warehouse has."""
        await asyncio.sleep((1 + len(warehouse) / 5) * pace)
        if warehouse not in _STOCK:
            raise ValueError(f"there is no warehouse {warehouse!r}; there are {', '.join(_STOCK)}")
        return f'{{"warehouse": "{warehouse}", "product": "{product}", "units": {_STOCK[warehouse]}, "reserved": 12}}'

    @tool
    async def shipping_days(origin: str, destination: str) -> str:
        """How long a parcel takes between two cities."""
        await asyncio.sleep(2.4 * pace)
        return f"{origin} to {destination}: {_DAYS.get(origin, 9)} days by the cheapest carrier."

    @tool
    async def draw_report(title: str) -> ToolResult:
        """Draw what was found as a page, a table and a picture."""
        await asyncio.sleep(1.5 * pace)
        rows = "".join(f"{city},{units},{_DAYS[city]}\n" for city, units in _STOCK.items())
        return ToolResult(
            f"Drawn: {title}.",
            (
                Artifact("report.html", "text/html", _page(title)),
                Artifact("stock.csv", "text/csv", f"warehouse,units,days\n{rows}"),
                Artifact("chart.svg", "image/svg+xml", _chart()),
                Artifact("notes.md", "text/markdown", f"# {title}\n\n- Oslo ships **most**\n- Kyoto ships *first*\n"),
            ),
        )

    @tool
    async def wait_for_carrier(seconds: float) -> str:
        """Wait until the carrier answers."""
        await asyncio.sleep(seconds)
        return "The carrier has confirmed."

    @tool
    async def read_archive(page: int) -> str:
        """Read a page of the archive."""
        await asyncio.sleep(0.3 * pace)
        orders = f"Orders {100 * page - 99} to {100 * page} went out on time. "
        return orders + "Of each the customer was told the day, and nobody complained. " * 40

    return [list_stock, shipping_days, draw_report, wait_for_carrier, read_archive]


_STYLE = """
  body { font: 16px/1.5 Inter, system-ui, sans-serif; margin: 2.5rem; color: #1c2733; background: #fff }
  h1 { font-size: 1.4rem; margin: 0 } p { color: #5b6875; margin: .2rem 0 1.6rem } label { cursor: pointer }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .7rem 1.2rem; margin: 0 0 1.6rem }
  dt { text-align: right } dd { display: flex; align-items: center; gap: .7rem; margin: 0 }
  i { height: 1.1rem; background: #0f766e; border-radius: 4px; transition: width .3s } .few i { background: #b9c4c2 }
"""
_SCRIPT = """
  const show = () => document.querySelectorAll("dd").forEach((bar) => {
    const units = bar.dataset.units - (free.checked ? 12 : 0);
    bar.className = units < 200 ? "few" : "";
    bar.firstChild.style.width = `${units * 2}px`;
    bar.lastChild.textContent = units;
  });
  free.onchange = show;
  show();
"""


def _page(title: str) -> str:
    bars = "".join(f"<dt>{city}</dt><dd data-units={units}><i></i><b></b></dd>" for city, units in _STOCK.items())
    return (
        f"<!doctype html><title>{title}</title><style>{_STYLE}</style><h1>{title}</h1><p>Units in each warehouse; "
        f"the order is for 200.</p><dl>{bars}</dl>"
        f"<label><input type=checkbox id=free checked> without what is reserved</label><script>{_SCRIPT}</script>"
    )


def _chart() -> str:
    bars = "".join(
        f'<rect x="{20 + 90 * index}" y="{150 - units / 2}" width="60" height="{units / 2}" fill="#3b6ea8" rx="4"/>'
        f'<text x="{50 + 90 * index}" y="168" text-anchor="middle" font-size="13" fill="#555">{city}</text>'
        for index, (city, units) in enumerate(_STOCK.items())
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 290 180" width="580" height="360">{bars}</svg>'
