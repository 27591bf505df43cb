"""Take the pictures of the page that the documentation shows, into `docs/screenshots`.

Usage: python -m scripts.screenshots [name…]

The service is real; its model and its tools are those of the demonstration (`tests/support/demo`), so that the pictures
show the same each time.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, expect

from tests.support.browsing import Desk, Tab, open_browser
from tests.support.demo.model import DemoAgents
from tests.support.service import TestedService, serving, settings_in

FOLDER = Path(__file__).parents[1] / "docs" / "screenshots"
LARGEST = 300_000
SCREEN = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 1.5}
HIGH = {**SCREEN, "viewport": {"width": 1280, "height": 920}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}

WAREHOUSE = "Which warehouse should ship 200 teapots to Nara before 16 March?"
ARCHIVE = "Does the archive hold complaints about late deliveries?"
EARLIER = (
    "Compare the carriers for parcels to Iceland",
    "Why did order 4711 arrive twice?",
    "Draft a note about the new packing list",
    "Stock of cups by the end of the quarter",
    "京都の倉庫に急須はいくつありますか？",
    "Customs papers for Norway",
)


async def finished(tab: Tab) -> None:
    """Wait until the run has ended, and the page rests."""
    await expect(tab.page.get_by_role("group", name="About this answer").last).to_be_visible(timeout=90_000)
    await tab.page.mouse.move(0, 0)
    await tab.page.evaluate("document.activeElement.blur()")
    await tab.page.wait_for_load_state("networkidle")


async def answering(tab: Tab) -> None:
    """A run whose answer is being written."""
    await tab.ask(WAREHOUSE)
    await expect(tab.answers.get_by_role("cell", name="Kyoto")).to_be_visible(timeout=90_000)
    await tab.page.mouse.move(0, 0)


async def long_answer(tab: Tab) -> None:
    """An answer with a table, formulas and code."""
    await tab.ask(WAREHOUSE)
    await finished(tab)


async def running(tab: Tab) -> None:
    """Tools at work side by side, and something said meanwhile."""
    await tab.ask(WAREHOUSE)
    await expect(tab.call("list_stock")).to_have_count(4)
    await tab.ask("Only count what is not reserved.")
    await expect(tab.page.get_by_role("list", name="Waiting to be read by the agent")).to_be_visible()
    await expect(tab.call("list_stock").filter(has_text="Oslo")).to_have_accessible_name("list_stock: Done")
    await tab.composer.fill("Is there a cheaper carrier?")


async def divider(tab: Tab) -> None:
    """Where earlier context was summarised."""
    await tab.ask(ARCHIVE)
    await finished(tab)
    await tab.page.get_by_role("button", name=re.compile("^Worked for"), expanded=False).click()
    await tab.page.get_by_text("was summarised").first.evaluate("node => node.scrollIntoView({block: 'center'})")


async def artifacts(tab: Tab) -> None:
    """What a tool made, looked at."""
    await tab.ask(WAREHOUSE)
    await finished(tab)
    await tab.opener("report.html").click()
    await expect(tab.page.frame_locator("iframe").get_by_role("heading")).to_be_visible()


SLOWLY = frozenset({"light", "dark", "running", "phone"})
"""The pictures within a run, which wants to be met."""

SHOTS: dict[str, tuple[Callable[[Tab], Awaitable[None]], dict[str, Any]]] = {
    "light": (answering, HIGH),
    "dark": (answering, {**HIGH, "color_scheme": "dark"}),
    "running": (running, SCREEN),
    "divider": (divider, SCREEN),
    "long-answer": (long_answer, SCREEN),
    "artifacts": (artifacts, SCREEN),
    "phone": (running, PHONE),
}


async def earlier(service: TestedService) -> None:
    """Conversations that were there before."""
    for title in reversed(EARLIER):
        await service.conversation(title=title)


async def take(browser: Browser, name: str) -> None:
    """One picture, from a service and a profile of its own."""
    play, options = SHOTS[name]
    with tempfile.TemporaryDirectory() as directory:
        desk = Desk(browser, Path(directory))
        async with serving(settings_in(desk.folder), DemoAgents(4.0 if name in SLOWLY else 1.0)) as service:
            await earlier(service)
            async with desk.visit(service, **options) as tab:
                await play(tab)
                path = FOLDER / f"{name}.png"
                size = len(await tab.page.screenshot(path=path))
                print(f"{path.relative_to(FOLDER.parents[1])}  {size // 1000} kB")
                assert size < LARGEST, f"{name} is too large"


async def main(names: list[str]) -> None:
    """All of them, or those that are named."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    async with open_browser() as browser:
        for name in names or SHOTS:
            await take(browser, name)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
