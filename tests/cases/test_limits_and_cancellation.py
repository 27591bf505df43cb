"""A run that reaches a bound still answers; one that is cancelled stops at once and leaves nothing behind."""

from __future__ import annotations

import asyncio
import os
import time
from contextvars import ContextVar
from typing import NoReturn

import pytest

from actloop.agent import PostToolUse, PreToolUse, ReActAgent
from actloop.messages import AssistantMessage, Message, ToolCall, ToolMessage, broken_rule
from actloop.testing import ScriptedLLM, ScriptedRequest
from tests.cases.keeping import keeps


def calling(*names: str) -> AssistantMessage:
    return AssistantMessage(tool_calls=tuple(ToolCall(f"c{n}", name) for n, name in enumerate(names, start=1)))


@keeps(
    "C095",
    "the answer is 'best guess: 42'",
    "the last request offers no tools (or forbids them)",
    "the result says that the limit was reached",
    "at most 3 rounds of tools ran",
    "the history is valid",
)
@pytest.mark.asyncio
async def test_a_run_at_its_limit_gives_the_best_answer_there_is() -> None:
    async def work() -> int:
        return time.monotonic_ns()

    def model(messages: list[Message], request: ScriptedRequest) -> str | AssistantMessage:
        return calling("work") if request.tools else "best guess: 42"

    llm = ScriptedLLM(model)
    result = await ReActAgent(llm, [work], max_iterations=3).run("go")

    assert result.answer == "best guess: 42"
    assert not llm.requests[-1].tools
    assert result.stop_reason == "max_iterations"
    assert len(result.steps) <= 3
    assert broken_rule(result.messages) is None


@keeps(
    "C096",
    "the caller gets CancelledError within 1 s",
    "the list stops growing and the flag is set before the caller gets control back",
    "the child process is gone",
    "asyncio.all_tasks() holds nothing of the run",
)
@pytest.mark.asyncio
async def test_cancelling_a_run_ends_all_that_it_started() -> None:
    ticks: list[float] = []
    tidied = False
    child: list[int] = []
    started = asyncio.Event()

    async def ticker() -> None:
        nonlocal tidied
        try:
            while True:
                ticks.append(time.monotonic())
                await asyncio.sleep(0.02)
        finally:
            tidied = True

    async def proc() -> None:
        process = await asyncio.create_subprocess_exec("sleep", "30")
        child.append(process.pid)
        started.set()
        try:
            await process.wait()
        finally:
            process.kill()
            await process.wait()

    before = asyncio.all_tasks()
    run = asyncio.create_task(ReActAgent(ScriptedLLM([calling("ticker", "proc")]), [ticker, proc]).run("go"))
    await started.wait()
    run.cancel()
    asked = time.monotonic()
    with pytest.raises(asyncio.CancelledError):
        await run

    assert time.monotonic() - asked < 1
    assert tidied
    counted = len(ticks)
    await asyncio.sleep(0.06)
    assert len(ticks) == counted
    with pytest.raises(ProcessLookupError):
        os.kill(child[0], 0)
    assert asyncio.all_tasks() == before


@keeps("C097", "A: no further model request; the caller gets CancelledError")
@pytest.mark.asyncio
async def test_a_tool_that_swallows_cancellation_cannot_keep_a_run_alive() -> None:
    started = asyncio.Event()

    async def stubborn() -> str:
        started.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            return "stopped"
        return "slept"

    llm = ScriptedLLM([calling("stubborn"), "an answer"])
    run = asyncio.create_task(ReActAgent(llm, [stubborn]).run("go"))
    await started.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert len(llm.requests) == 1


@keeps("C097", "B: the tool message is an error, the run goes on to its answer")
@pytest.mark.asyncio
async def test_a_tool_that_cancels_itself_has_failed() -> None:
    async def inner() -> NoReturn:
        raise asyncio.CancelledError

    llm = ScriptedLLM([calling("inner"), "an answer"])
    result = await ReActAgent(llm, [inner]).run("go")

    told = result.messages[-2]
    assert isinstance(told, ToolMessage)
    assert told.is_error
    assert result.answer == "an answer"


@keeps(
    "C098",
    "at least 15 ticks happen during the second",
    "the three calls take under 2 s together",
    "each result holds the caller's value",
    "the same holds when hooks are attached to the tool",
)
@pytest.mark.parametrize("hooks", [(), (PreToolUse(lambda call: None), PostToolUse(lambda call, text: None))])
@pytest.mark.asyncio
async def test_blocking_tools_run_side_by_side_and_block_nobody(hooks: tuple[PreToolUse | PostToolUse, ...]) -> None:
    caller = ContextVar[str]("caller")
    ticks = 0

    def nap() -> str:
        time.sleep(1)
        return caller.get()

    async def heartbeat() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.05)
            ticks += 1

    caller.set("Ada")
    heart = asyncio.create_task(heartbeat())
    began = time.monotonic()
    llm = ScriptedLLM([calling("nap", "nap", "nap"), "rested"])
    result = await ReActAgent(llm, [nap], hooks=hooks, rules=()).run("go")
    elapsed = time.monotonic() - began
    heart.cancel()

    assert ticks >= 15
    assert elapsed < 2
    assert [step.observation for step in result.steps] == ["Ada"] * 3
