"""Runs that are worth showing: what a scripted model and its tools do, and what a person does meanwhile.

The recordings for the page are made of them (`tests/service/test_recordings.py`).
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from actloop import tool
from actloop.errors import LLMError
from actloop.llm import Delta, EndDelta, TextDelta
from actloop.messages import AssistantMessage, Message, ToolCall, Usage
from actloop.testing import ScriptedLLM
from actloop.tools import Artifact, Tool, ToolResult
from tests.support.hostile_answer import HOSTILE_ANSWER, HOSTILE_OBSERVATION
from tests.support.service import ScriptedAgents, TestedService
from tests.support.sse_client import open_stream

__all__ = ["STORIES", "Story"]


async def _nothing(service: TestedService, run: str) -> None:
    """The person only watches."""


@dataclass(frozen=True, slots=True)
class Story:
    """A question, the agents that answer it, and what the person does while they work.

    ends_the_service: the service is shut down after `play`, in the middle of the run.
    """

    query: str
    agents: ScriptedAgents
    play: Callable[[TestedService, str], Awaitable[None]] = _nothing
    ends_the_service: bool = False


def _call(name: str, id: str = "call_1", *, reasoning: str = "", **arguments: Any) -> AssistantMessage:
    return AssistantMessage("", [ToolCall(id, name, arguments)], reasoning=reasoning)


def _told(llm: ScriptedLLM | list[Any], *tools: Tool) -> ScriptedAgents:
    return ScriptedAgents(ScriptedLLM(llm) if isinstance(llm, list) else llm, tools)


class _Gate:
    """A tool that is at work until the story goes on."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.left = asyncio.Event()

    def tool(self) -> Tool:
        @tool
        async def search_web(query: str) -> str:
            """Search the web."""
            self.entered.set()
            await self.left.wait()
            return f"Three pages about {query}."

        return search_web


@tool
def read_file(path: str) -> str:
    """Read a file."""
    return f"{path}: tea 7, cups 12"


_TABLE = """## Stock

There are **12 cups** and *7 packets of tea*.

| item | units |
|---|--:|
| tea | 7 |
| cups | 12 |

```python
total = sum({"tea": 7, "cups": 12}.values())  # 19
```

1. Tea goes on the shelf.
2. Cups go below, so that $7 + 12 = 19$ things fit.
"""


def _plain_answer() -> Story:
    class Slow(ScriptedLLM):
        async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
            async for delta in super().stream_chat(messages, **options):
                yield delta
                await asyncio.sleep(0.003)  # so that there are pieces

    return Story("What is in the warehouse?", _told(Slow(["Tea and cups.", _TABLE])))


def _tool_then_answer() -> Story:
    turn = _call("read_file", path="stock.txt", reasoning="The stock is in a file. I read it.")
    return Story("How many cups are left?", _told([turn, "12 cups", "There are 12 cups left."], read_file))


def _parallel_tools() -> Story:
    may_end = {city: asyncio.Event() for city in ("Oslo", "Kyoto", "Atlantis")}
    all_began = asyncio.Barrier(len(may_end))

    @tool
    async def weather(city: str) -> str:
        """The weather in a city."""
        await all_began.wait()
        await may_end[city].wait()
        if city == "Atlantis":
            raise ValueError("no such city: Atlantis")
        return f"{city}: 21 degrees"

    async def play(service: TestedService, run: str) -> None:
        ended = iter(["Kyoto", "Atlantis", "Oslo"])
        may_end[next(ended)].set()
        async with open_stream(service.port, f"/api/runs/{run}/events") as stream:
            async for event in stream.events():
                if "iter_elapsed" in event.data and (city := next(ended, None)) is not None:
                    may_end[city].set()

    calls = [ToolCall(f"call_{n}", "weather", {"city": city}) for n, city in enumerate(may_end, start=1)]
    llm = [AssistantMessage("", calls), "Both are mild.", "Oslo and Kyoto have 21 degrees; I know no city Atlantis."]
    return Story("What is the weather in Oslo, Kyoto and Atlantis?", _told(llm, weather), play)


def _demotion() -> Story:
    leak = '<tool_call>\n{"name": "read_file", "arguments": {"path": "stock.txt"}}\n</tool_call>'
    final = '{"type": "final_answer", "reasoning": "It stands there.", "answer": "12 cups"}'
    return Story("How many cups are left?", _told([leak, final, "There are 12 cups left."], read_file))


def _compaction() -> Story:
    @tool
    def read_page(number: int) -> str:
        """Read a page of the archive."""
        return f"Page {number}. " + "Nothing of interest stands on this page. " * 40

    class Archive(ScriptedLLM):
        def __init__(self) -> None:
            super().__init__(self._turn, context_size=3_000, max_output_tokens=500)

        def _turn(self, messages: Sequence[Message]) -> AssistantMessage | str:
            page = len(self.requests)
            return _call("read_page", f"call_{page}", number=page) if page <= 8 else "Nothing of interest."

    return Story("What do pages 1 to 8 say?", _told(Archive(), read_page))


def _interrupts() -> Story:
    gate = _Gate()

    async def play(service: TestedService, run: str) -> None:
        await gate.entered.wait()
        path = f"/api/runs/{run}/interrupts"
        first = (await service.ask("POST", path, {"content": "Only those in red."})).data["id"]
        second = (await service.ask("POST", path, {"content": "And be quick."})).data["id"]
        await service.ask("PATCH", f"{path}/{first}", {"content": "Only those in blue."})
        await service.ask("DELETE", f"{path}/{second}")
        gate.left.set()

    llm = [_call("search_web", query="cups"), "Three blue ones.", "There are three pages about blue cups."]
    return Story("Find pages about cups.", _told(llm, gate.tool()), play)


class _Waiting(ScriptedLLM):
    """Stops in the middle of its answer until the story goes on."""

    def __init__(self, replies: list[str]) -> None:
        super().__init__(replies)
        self.reached = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        yield TextDelta("Cups hold ")
        self.reached.set()
        await self.may_go_on.wait()
        yield TextDelta("tea.")
        yield EndDelta("stop", Usage.of_call(40, 5))


def _interrupt_during_the_answer() -> Story:
    llm = _Waiting(["For tea.", "For soup."])

    async def play(service: TestedService, run: str) -> None:
        await llm.reached.wait()
        await service.ask("POST", f"/api/runs/{run}/interrupts", {"content": "And bowls?"})
        llm.may_go_on.set()

    return Story("What are cups for?", _told(llm), play)


def _cancelled_within_the_answer() -> Story:
    llm = _Waiting(["For tea."])

    async def play(service: TestedService, run: str) -> None:
        await llm.reached.wait()
        await service.ask("POST", f"/api/runs/{run}/cancel")

    return Story("What are cups for?", _told(llm), play)


def _answer_restart() -> Story:
    class Broken(ScriptedLLM):
        async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
            self.requests.append(self.requests[-1])
            if len(self.requests) == 2:
                yield TextDelta("The answer that breaks ")
                raise LLMError("the connection was reset")
            yield TextDelta("The whole answer.")
            yield EndDelta("stop", Usage.of_call(40, 5))

    return Story("What is whole?", _told(Broken(["The answer."])))


def _stop() -> Story:
    gate = _Gate()

    async def play(service: TestedService, run: str) -> None:
        await gate.entered.wait()
        await service.ask("POST", f"/api/runs/{run}/stop")
        gate.left.set()

    llm = [_call("search_web", query="cups"), "Three pages.", "So far I have found three pages."]
    return Story("Read all about cups.", _told(llm, gate.tool()), play)


def _cancelled_within_a_tool() -> Story:
    gate = _Gate()

    async def play(service: TestedService, run: str) -> None:
        await gate.entered.wait()
        await service.ask("POST", f"/api/runs/{run}/cancel")

    return Story("Read all about cups.", _told([_call("search_web", query="cups")], gate.tool()), play)


def _cancelled_call() -> Story:
    gate = _Gate()

    async def play(service: TestedService, run: str) -> None:
        await gate.entered.wait()
        await service.ask("POST", f"/api/runs/{run}/calls/call_1/cancel")

    llm = [_call("search_web", query="cups"), "I know no page.", "I found nothing, since the search was ended."]
    return Story("Find pages about cups.", _told(llm, gate.tool()), play)


def _interrupted_by_a_shutdown() -> Story:
    gate = _Gate()

    async def play(service: TestedService, run: str) -> None:
        await gate.entered.wait()

    agents = _told([_call("search_web", query="cups")], gate.tool())
    return Story("Read all about cups.", agents, play, ends_the_service=True)


def _failed() -> Story:
    failure = LLMError("The model at the provider cannot be reached (status 503).")
    return Story("How many cups are left?", _told([_call("read_file", path="stock.txt"), failure], read_file))


def _artifacts() -> Story:
    @tool
    def report() -> ToolResult:
        """Make a report."""
        html = "<h1>Stock</h1><script>document.body.append('19 things')</script>"
        return ToolResult(
            "Four files.",
            (
                Artifact("report.html", "text/html", html),
                Artifact("stock.csv", "text/csv", "item,units\ntea,7\n"),
                Artifact("notes.md", "text/markdown", "# Notes\n\n- tea\n"),
                Artifact("chart.png", "image/png", _png()),
            ),
        )

    return Story("Make a report.", _told([_call("report"), "Made.", "Here is the report, with its numbers."], report))


def _png(side: int = 64) -> bytes:
    """A square of many colours (PNG, w3.org/TR/png-3), not compressed."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"".join(bytes((4 * x, 4 * y, 160)) for x in range(side)) for y in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


def _selecting_tools() -> Story:
    others = [tool(_unused, name=f"tool_{n}") for n in range(12)]
    turns = [_call("select_tools", tools=["read_file"]), _call("read_file", "call_2", path="stock.txt"), "12 cups"]
    return Story("How many cups are left?", _told([*turns, "There are 12 cups left."], read_file, *others))


async def _unused() -> str:
    """Do something else."""
    raise AssertionError("it is not selected")


def _hostile() -> Story:
    @tool
    def fetch() -> str:
        """Fetch a page of somebody's."""
        return HOSTILE_OBSERVATION

    return Story("What does that page say?", _told([_call("fetch"), HOSTILE_ANSWER, HOSTILE_ANSWER], fetch))


STORIES: dict[str, Callable[[], Story]] = {
    "plain-answer": _plain_answer,
    "tool-then-answer": _tool_then_answer,
    "parallel-tools": _parallel_tools,
    "selecting-tools": _selecting_tools,
    "demotion": _demotion,
    "compaction": _compaction,
    "interrupts": _interrupts,
    "interrupt-during-the-answer": _interrupt_during_the_answer,
    "answer-restart": _answer_restart,
    "stopped": _stop,
    "cancelled-within-a-tool": _cancelled_within_a_tool,
    "cancelled-within-the-answer": _cancelled_within_the_answer,
    "cancelled-call": _cancelled_call,
    "interrupted": _interrupted_by_a_shutdown,
    "failed": _failed,
    "artifacts": _artifacts,
    "hostile": _hostile,
}
"""Each is made anew for each run, under the name of its recording."""
