"""Functions of every kind as tools."""

from __future__ import annotations

import asyncio
import contextvars
import enum
import functools
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from actloop.errors import ConfigError, ToolError
from actloop.tools import FunctionTool, Tool, ToolResult, tool


@tool
def add(a: int, b: int = 1) -> int:
    """Add two numbers."""
    return a + b


async def text_of(made: Tool, **arguments: Any) -> str:
    return (await made.run(arguments)).content


@pytest.mark.asyncio
async def test_a_decorated_function_is_a_tool_and_still_the_function() -> None:
    assert isinstance(add, Tool)
    assert (add.name, add.description, add.timeout, add.idempotent) == ("add", "Add two numbers.", None, False)
    assert add(1, b=2) == 3
    assert await add.run({"a": "4"}) == ToolResult("5")


def test_the_options_of_the_decorator_are_those_of_the_tool() -> None:
    @tool(name="sum-up", description="Sums.", timeout=2.5, idempotent=True, requires_approval=True)
    def total(values: list[int]) -> int:
        """Never shown."""
        return sum(values)

    assert (total.name, total.description, total.timeout) == ("sum-up", "Sums.", 2.5)
    assert total.idempotent
    assert total.requires_approval


class Stock:
    def __init__(self, site: str) -> None:
        self.site = site

    @tool
    def level(self, sku: str) -> str:
        """Units on hand."""
        return f"{self.site}:{sku}"

    @tool
    @classmethod
    def kind(cls, sku: str) -> str:
        return f"{cls.__name__}:{sku}"

    @tool
    @staticmethod
    def check(sku: str) -> str:
        return f"ok:{sku}"

    async def order(self, sku: str) -> str:
        return f"ordered {sku}"

    def __call__(self, sku: str) -> str:
        """Look up."""
        return f"called {sku}"


@pytest.mark.asyncio
async def test_methods_of_every_kind_are_tools() -> None:
    stock = Stock("A")
    cases: list[tuple[Tool, str]] = [
        (stock.level, "A:x"),
        (Stock.kind, "Stock:x"),
        (stock.kind, "Stock:x"),
        (Stock.check, "ok:x"),
        (stock.check, "ok:x"),
        (tool(stock.order), "ordered x"),
        (tool(stock), "called x"),
        (tool(functools.partial(stock.order)), "ordered x"),
    ]
    for made, expected in cases:
        assert list(made.parameters["properties"]) == ["sku"]
        assert await text_of(made, sku="x") == expected
    assert tool(stock).description == "Look up."


@pytest.mark.asyncio
async def test_two_instances_have_each_its_own_tool() -> None:
    first, second = Stock("A"), Stock("B")
    assert [await text_of(stock.level, sku="x") for stock in (first, second)] == ["A:x", "B:x"]


@pytest.mark.asyncio
async def test_what_a_generator_yields_is_collected() -> None:
    @tool
    def count(to: int) -> Iterator[int]:
        yield from range(to)

    @tool
    async def slow_count(to: int) -> AsyncIterator[int]:
        for number in range(to):
            yield number

    assert await text_of(count, to=3) == "[0, 1, 2]"
    assert await text_of(slow_count, to=3) == "[0, 1, 2]"


@pytest.mark.asyncio
async def test_an_endless_generator_ends() -> None:
    closed = []

    @tool
    async def forever() -> AsyncIterator[int]:
        try:
            while True:
                yield 1
        finally:
            closed.append(True)

    assert len(await text_of(forever)) < 40_000
    assert closed == [True]


@pytest.mark.asyncio
async def test_a_plain_function_that_returns_a_coroutine_is_awaited() -> None:
    async def later(x: int) -> int:
        return x + 1

    def soon(x: int) -> Any:
        return later(x)

    assert await text_of(tool(soon), x=1) == "2"


@pytest.mark.asyncio
async def test_an_enum_argument_arrives_as_a_member() -> None:
    class Tone(enum.StrEnum):
        COOL = "cool"

    @tool
    def restyle(tone: Tone) -> str:
        return type(tone).__name__ + tone.value

    assert await text_of(restyle, tone="cool") == "Tonecool"


@pytest.mark.asyncio
async def test_blocking_tools_run_side_by_side_and_see_the_callers_context() -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who")
    together = threading.Barrier(3)

    @tool
    def nap() -> str:
        together.wait(timeout=10)  # passes only when all three are here
        return who.get()

    who.set("me")
    ticks = 0

    async def heartbeat() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    beat = asyncio.create_task(heartbeat())
    assert await asyncio.gather(*(text_of(nap) for _ in range(3))) == ["me"] * 3
    beat.cancel()
    assert ticks > 0


@pytest.mark.asyncio
async def test_what_a_tool_raises_comes_out_as_it_is() -> None:
    @tool
    def broken() -> None:
        raise KeyError("id 7")

    with pytest.raises(KeyError, match="id 7"):
        await broken.run({})


@pytest.mark.asyncio
@pytest.mark.parametrize("leave", [sys.exit, lambda: (_ for _ in ()).throw(KeyboardInterrupt)])
async def test_a_tool_cannot_end_the_program(leave: Callable[[], Any]) -> None:
    @tool
    def blocking() -> None:
        list(leave() or ())

    @tool
    async def waiting() -> None:
        list(leave() or ())

    for made in (blocking, waiting):
        with pytest.raises(ToolError, match="tried to end the program"):
            await made.run({})


@pytest.mark.asyncio
async def test_cancelling_a_call_cancels_what_waits_in_it() -> None:
    seen: list[str] = []
    started = asyncio.Event()

    @tool
    async def wait() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("closed")

    task = asyncio.create_task(wait.run({}))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert seen == ["closed"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tool(lambda x: x), "'<lambda>'"),
        (lambda: tool(add), "is a tool already"),
        (lambda: tool(3), "not of 3"),  # type: ignore[call-overload]
        (lambda: tool(len, name="länge"), "'länge'"),
        (lambda: tool(len, name="x" * 65), "1 to 64"),
        (lambda: tool(abs, timeout=0), "above 0"),
        (lambda: tool(dict), "cannot tell the parameters"),
    ],
)
def test_a_mistake_in_making_a_tool_is_told_at_once(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(ConfigError) as raised:
        make()
    assert words in str(raised.value)


def test_type_checkers_know_the_function_behind_the_tool() -> None:
    made: FunctionTool[[int, int], int] = add
    assert made(1, 2) == 3
