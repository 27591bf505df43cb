"""What the page costs in a browser: its size, its first picture, and how smooth it is when much happens.

    python -m bench.page [size] [first] [still] [stream] [scroll] [enormous]

The service is a process of its own with a scripted model, the browser a headless Chromium without a graphics card, on
one machine. Frames are counted by `requestAnimationFrame`; a long task is one of more than 50 ms, as browsers report
them; the time from a key to its picture is what Event Timing reports (w3.org/TR/event-timing, in steps of 8 ms).
"""

from __future__ import annotations

import asyncio
import gzip
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Unpack

import aiohttp
from playwright.async_api import Browser, CDPSession, Page, expect

from actloop.agent import InterruptQueue, ReActAgent
from actloop.config.service_settings import ServiceSettings
from actloop.context import Memory
from actloop.llm import ChatOptions, Delta, EndDelta, Reply, TextDelta
from actloop.messages import AssistantMessage, Message, Usage
from actloop.service.page import BUILT
from actloop.service.server import serve
from actloop.tools import Tool
from tests.support.browsing import open_browser

DELTAS_A_SECOND, SECONDS, TURNS, ENORMOUS, STARTS = 200, 10, 2_000, 1_000_000, 7

_PART = """## Warehouse {n}

The stock of **warehouse {n}** covers the order, and `order.ship()` would take *two* days; see [the list](/list).

| item | units | free |
|:--|--:|--:|
| teapot | {n} | 248 |
| cup | 180 | 168 |

```python
order = Order(product="teapot", units={n}, origin="Oslo")
order.ship(carrier="cheapest")  # two days to spare
```

1. What is free is what is there without what is reserved, so that nothing is promised twice.
2. What is left over goes to the next order.

"""


def _text(size: int) -> str:
    """Markdown of so many characters."""
    parts: list[str] = []
    while size > 0:
        parts.append(_PART.format(n=len(parts) + 1))
        size -= len(parts[-1])
    return "".join(parts)


class PacingLLM:
    """Answers ``stream`` with 200 pieces a second, ``enormous`` with a megabyte as fast as it goes, else briefly."""

    abilities: Mapping[str, bool] = {"tool_call": True}
    context_size = 4_000_000
    max_output_tokens = 1_000_000

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """The question, at once."""
        return Reply(AssistantMessage(str(messages[-1].content)), Usage.of_call(1, 1))

    async def stream_chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> AsyncIterator[Delta]:
        """What the question asks for."""
        question = str(messages[-1].content)
        if "stream" in question:
            began = asyncio.get_running_loop().time()
            text = _text(10 * DELTAS_A_SECOND * SECONDS)
            for number in range(DELTAS_A_SECOND * SECONDS):
                await asyncio.sleep(max(0.0, began + number / DELTAS_A_SECOND - asyncio.get_running_loop().time()))
                yield TextDelta(text[10 * number : 10 * number + 10])
        elif "enormous" in question:
            text = _text(ENORMOUS)
            for start in range(0, len(text), 4_000):
                yield TextDelta(text[start : start + 4_000])
                await asyncio.sleep(0)
        else:
            yield TextDelta(_PART.format(n=1))
        yield EndDelta("stop", Usage.of_call(1, 1))

    async def aclose(self) -> None:
        """Nothing to close."""


class Agents:
    """Agents on the scripted model, each run without what was said before."""

    agents: tuple[str, ...] = ()
    roles: tuple[str, ...] = ("general",)
    model_names: Mapping[str, str] = {"general": "scripted"}
    default_role = "general"
    tools: tuple[Tool, ...] = ()

    def build(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        memory: Memory | None = None,
        interrupt_queue: InterruptQueue | None = None,
        instructions: str | None = None,
    ) -> ReActAgent:
        """Return a new agent."""
        return ReActAgent(PacingLLM(), rules=(), interrupt_queue=interrupt_queue)

    async def aclose(self) -> None:
        """Nothing to close."""


@asynccontextmanager
async def service(directory: Path) -> AsyncIterator[str]:
    """A service in a process of its own, until the block is left; its address."""
    command = [sys.executable, "-m", "bench.page", "serve", str(directory)]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def page_at(browser: Browser, address: str) -> AsyncIterator[Page]:
    """The page in a fresh profile."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, base_url=address, locale="en")
    try:
        page = await context.new_page()
        page.set_default_timeout(120_000)
        yield page
    finally:
        await context.close()


_PAINTED = """() => new Promise((resolve) => new PerformanceObserver((list) => {
  const [paint] = list.getEntriesByName("first-contentful-paint");
  if (paint) resolve(paint.startTime);
}).observe({ type: "paint", buffered: true }))"""

_WATCH = """() => {
  const seen = { frames: [], tasks: [], keys: [] };
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((task) => task.duration)))
    .observe({ type: "longtask" });
  new PerformanceObserver((list) =>
    seen.keys.push(...list.getEntries().filter((each) => each.name === "keydown").map((each) => each.duration)),
  ).observe({ type: "event", durationThreshold: 16 });
  let last = performance.now();
  const frame = (now) => { seen.frames.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  window.seen = seen;
}"""


async def smoothness(page: Page, work: Awaitable[None]) -> dict[str, Any]:
    """How the page's frames, tasks and keys went while something happened, and what its main thread worked."""
    session = await page.context.new_cdp_session(page)
    await session.send("Performance.enable", {"timeDomain": "threadTicks"})
    await page.evaluate(_WATCH)
    before, began = await _busy(session), time.monotonic()
    await work
    seen: dict[str, Any] = await page.evaluate("seen")
    seen["seconds"] = time.monotonic() - began
    seen["busy"] = await _busy(session) - before
    await session.send("Performance.disable")
    return seen


async def _busy(session: CDPSession) -> float:
    """How many seconds the page's main thread has worked: time on a processor, whatever else the machine does."""
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))


def told(seen: dict[str, Any]) -> str:
    """Frames a second, the slow ones, long tasks, and what it cost."""
    frames = sorted(seen["frames"])
    rate = 1000 * len(frames) / sum(frames)
    tasks = seen["tasks"]
    long = f"{len(tasks)} long tasks, the longest {max(tasks):.0f} ms" if tasks else "no long task"
    busy = f"main thread at work {100 * seen['busy'] / seen['seconds']:.0f} %"
    return f"{rate:.0f} frames/s, 95 % within {frames[int(0.95 * len(frames))]:.0f} ms; {long}; {busy}"


def keys_told(seen: dict[str, Any]) -> str:
    """The time from a key to its picture; what took less than 16 ms is not reported by the browser."""
    keys = sorted(seen["keys"])
    return f"worst {keys[-1]:.0f} ms, of {len(keys)} over 16 ms" if keys else "all under 16 ms"


async def heap(page: Page) -> str:
    """What the page's scripts hold after a collection, and how many elements there are."""
    session = await page.context.new_cdp_session(page)
    await session.send("HeapProfiler.enable")
    await session.send("HeapProfiler.collectGarbage")
    await session.send("Performance.enable")
    metrics = {each["name"]: each["value"] for each in (await session.send("Performance.getMetrics"))["metrics"]}
    return f"{metrics['JSHeapUsedSize'] / 1e6:.0f} MB of objects, {metrics['Nodes']:,.0f} nodes"


async def ask(page: Page, question: str) -> None:
    """Write it and send it."""
    field = page.get_by_role("textbox", name="Message")
    await field.fill(question)
    await field.press("Enter")


_ANSWERED = """(question) => {
  const last = [...document.querySelectorAll("main article[aria-label]")].findLast((each) => !each.dataset.state);
  return last?.ariaLabel === question && last.querySelector("[role=group][aria-label='About this answer']") !== null;
}"""


async def until_answered(page: Page, question: str) -> None:
    """Wait for the end of the run, without having the page lay itself out for it."""
    async with asyncio.timeout(120):
        while not await page.evaluate(_ANSWERED, question):  # noqa: ASYNC110 - there is no event for it
            await asyncio.sleep(0.05)


async def size(browser: Browser, directory: Path) -> list[str]:
    """How large the files are."""
    files = {f"/{path.relative_to(BUILT).as_posix()}": path.read_bytes() for path in BUILT.rglob("*") if path.is_file()}
    first = {name for name in files if name in re.findall(r'(?:src|href)="([^"]+)"', files["/index.html"].decode())}
    first |= {"/index.html"}
    fonts = {name for name in files if ".woff" in name or name.endswith(".ttf")}
    later = {name for name in files if name not in first | fonts and name.endswith((".js", ".css"))}

    def sizes(names: set[str]) -> str:
        raw = sum(len(files[name]) for name in names)
        packed = sum(len(gzip.compress(files[name], 6)) for name in names)
        return f"{packed / 1000:.0f} kB packed, {raw / 1000:.0f} kB raw, {len(names)} files"

    return [
        _row("first load", sizes(first)),
        _row("loaded when needed (code colours, formulas, …)", sizes(later)),
        _row("fonts of formulas, of which an answer loads a few", sizes(fonts)),
    ]


async def first(browser: Browser, directory: Path) -> list[str]:
    """From the address to the first picture, with nothing in the browser's cache."""
    painted: list[float] = []
    usable: list[float] = []
    async with service(directory) as address:
        for _ in range(STARTS):
            async with page_at(browser, address) as page:
                await page.goto("/")
                await expect(page.get_by_role("textbox", name="Message")).to_be_focused()
                usable.append(await page.evaluate("performance.now()"))
                painted.append(await page.evaluate(_PAINTED))
    return [
        _row(f"first contentful paint, cold, median of {STARTS}", f"{statistics.median(painted):.0f} ms"),
        _row("… the field can be written in", f"≤ {statistics.median(usable):.0f} ms"),
    ]


async def still(browser: Browser, directory: Path) -> list[str]:
    """A page on which nothing happens: what this machine can do at this moment."""
    async with service(directory) as address, page_at(browser, address) as page:
        await page.goto("/")
        await expect(page.get_by_role("textbox", name="Message")).to_be_focused()

        async def typing() -> None:
            await page.keyboard.type("Something to add while nothing happens.", delay=100)

        seen = await smoothness(page, typing())
        return [
            _row("nothing happens, somebody types", told(seen), "60 frames/s"),
            _row("… from a key to its picture", keys_told(seen), "50 ms"),
        ]


async def stream(browser: Browser, directory: Path) -> list[str]:
    """200 pieces a second, and somebody who types meanwhile."""
    async with service(directory) as address, page_at(browser, address) as page:
        await page.goto("/")
        await ask(page, "warm up")
        await until_answered(page, "warm up")

        async def typing() -> None:
            await ask(page, "stream")
            await page.keyboard.type("Something to add while it is being written.", delay=150)
            await until_answered(page, "stream")

        seen = await smoothness(page, typing())
        return [
            _row(f"{DELTAS_A_SECOND} pieces a second for {SECONDS} s", told(seen), "60 frames/s"),
            _row("… from a key to its picture meanwhile", keys_told(seen), "50 ms"),
        ]


async def scroll(browser: Browser, directory: Path) -> list[str]:
    """A conversation of 2,000 turns, from its end upwards."""
    async with service(directory) as address:
        conversation = await _filled(address)
        async with page_at(browser, address) as page:
            began = time.monotonic()
            await page.goto(f"/c/{conversation}")
            await until_answered(page, f"Question {TURNS - 1}")
            opened = time.monotonic() - began
            await page.get_by_role("region", name="Conversation", exact=True).hover()

            async def wheel() -> None:
                for _ in range(300):
                    await page.mouse.wheel(0, -300)

            seen = await smoothness(page, wheel())
            return [
                _row(f"{TURNS:,} turns: from the address to the last answer", f"{opened:.1f} s"),
                _row("… scrolled up by 300 turns of the wheel", told(seen), "60 frames/s"),
                _row("… memory", await heap(page)),
            ]


async def enormous(browser: Browser, directory: Path) -> list[str]:
    """An answer of a megabyte, as fast as the service tells it, and somebody who types."""
    async with service(directory) as address, page_at(browser, address) as page:
        await page.goto("/")
        await ask(page, "warm up")
        await until_answered(page, "warm up")
        ended = asyncio.Event()

        async def typing() -> None:
            while not ended.is_set():
                await page.keyboard.type("word ", delay=60)

        async def whole() -> None:
            await ask(page, "enormous")
            keys = asyncio.create_task(typing())
            await until_answered(page, "enormous")
            ended.set()
            await keys

        written = await smoothness(page, whole())
        held = await heap(page)

        async def more() -> None:
            await page.keyboard.type("Somebody goes on.", delay=60)

        rested = await smoothness(page, more())
        began = time.monotonic()
        await page.reload()
        await until_answered(page, "enormous")
        again = time.monotonic() - began
        return [
            _row("an answer of 1 MB at full speed: until all of it is shown", f"{written['seconds']:.1f} s"),
            _row("… meanwhile", told(written), "60 frames/s"),
            _row("… from a key to its picture meanwhile", keys_told(written), "50 ms"),
            _row("… from a key to its picture afterwards", keys_told(rested), "50 ms"),
            _row("… shown again after a reload", f"{again:.1f} s"),
            _row("… memory", held),
        ]


async def _filled(address: str) -> str:
    """A conversation of 2,000 turns; its id."""
    async with aiohttp.ClientSession(address) as client:
        async with client.post("/api/conversations", json={"title": "Long"}) as answer:
            conversation = str((await answer.json())["id"])
        for number in range(TURNS):
            path = f"/api/conversations/{conversation}/runs"
            async with client.post(path, json={"query": f"Question {number}"}) as answer:
                run = (await answer.json())["run_id"]
            async with client.get(f"/api/runs/{run}/events") as events:
                await events.read()
    return conversation


def _row(what: str, measured: str, aim: str = "") -> str:
    return f"| {what} | {measured} | {aim} |"


PARTS: dict[str, Callable[[Browser, Path], Awaitable[list[str]]]] = {
    "size": size,
    "first": first,
    "still": still,
    "stream": stream,
    "scroll": scroll,
    "enormous": enormous,
}


async def main(names: Sequence[str]) -> None:
    """Measure and print a table."""
    print("| what | measured | aim |\n|---|---|---|")
    async with open_browser() as browser:
        for name in names or PARTS:
            with tempfile.TemporaryDirectory() as directory:
                print("\n".join(await PARTS[name](browser, Path(directory))), flush=True)


def _serve(directory: str) -> None:
    settings = ServiceSettings(database_url=f"sqlite:///{Path(directory) / 'bench.db'}", port=0, rate_limit=1e6)
    serve(settings, Agents(), on_ready=lambda address: print(address, flush=True))


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        _serve(sys.argv[2])
    else:
        asyncio.run(main(sys.argv[1:]))
