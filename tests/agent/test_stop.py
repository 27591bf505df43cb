"""Stopping: a run that answers from what is there, and a call that ends while its run goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from actloop.agent import (
    AgentEvent,
    ReActAgent,
    RunFinished,
    SessionStart,
    ThinkingFinished,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.errors import LLMError
from actloop.llm import RetryLLM
from actloop.messages import Message, broken_rule, text_of
from actloop.testing import EventRecorder, ScriptedLLM, ScriptedReply
from actloop.tools import tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call, calls


@pytest.mark.asyncio
@pytest.mark.parametrize("native", [True, False], ids=["native", "JSON"])
async def test_a_stop_lets_running_tools_finish_and_then_answers_from_what_is_there(native: bool) -> None:
    @tool
    async def look() -> str:
        """Look."""
        agent.stop()
        await asyncio.sleep(0)
        return "the price is 29"

    native_replies: list[ScriptedReply] = [call("look"), "29 so far"]
    llm = (
        ScriptedLLM(native_replies)
        if native
        else ScriptedLLM([action("look"), answer("29 so far")], abilities=TEXT_ONLY)
    )
    agent = ReActAgent(llm, [look])
    result = await agent.run("q")
    assert (result.answer, result.stop_reason) == ("29 so far", "stopped")
    assert [step.observation for step in result.steps] == ["the price is 29"]
    assert llm.requests[1].tools is None
    assert "the run was stopped" in "\n".join(text_of(message.content) for message in llm.requests[1].messages)
    assert broken_rule(result.messages) is None


@pytest.mark.asyncio
async def test_a_stop_while_the_model_thinks_does_not_wait_for_it() -> None:
    async def script(messages: Sequence[Message]) -> str:
        if len(messages) == 2:
            agent.stop()
            await asyncio.Event().wait()
        return "nothing was found yet"

    agent = ReActAgent(ScriptedLLM(script))
    result = await asyncio.wait_for(agent.run("q"), 5)
    assert (result.answer, result.stop_reason) == ("nothing was found yet", "stopped")


@pytest.mark.asyncio
async def test_a_stop_ends_a_backoff() -> None:
    async def wait_for_ever(seconds: float) -> None:
        agent.stop()
        await asyncio.Event().wait()

    llm = ScriptedLLM([LLMError("busy", retryable=True), "partly"])
    agent = ReActAgent(RetryLLM(llm, sleep=wait_for_ever))
    result = await asyncio.wait_for(agent.run("q"), 5)
    assert (result.answer, result.stop_reason) == ("partly", "stopped")


@pytest.mark.asyncio
async def test_calls_asked_for_when_the_stop_came_do_not_run() -> None:
    ran: list[str] = []

    @tool
    def work() -> str:
        """Do it."""
        ran.append("work")
        return "done"

    def on_event(event: AgentEvent) -> None:
        if isinstance(event, ThinkingFinished):
            agent.stop()

    agent = ReActAgent(ScriptedLLM([call("work"), "nothing was done"]), [work])
    result = await agent.run("q", on_event=on_event)
    assert ran == []
    assert (result.answer, result.stop_reason) == ("nothing was done", "stopped")
    assert "The user stopped the work" in result.steps[0].observation


@pytest.mark.asyncio
async def test_a_stopped_run_still_streams_its_answer() -> None:
    @tool
    def look() -> str:
        """Look."""
        return "29"

    llm = ScriptedLLM([call("look"), "29 so far", "So far: 29 euros."])
    agent = ReActAgent(llm, [look])
    finished: RunFinished | None = None
    async for event in agent.stream("q"):
        if isinstance(event, ToolCallFinished):
            agent.stop()
        if isinstance(event, RunFinished):
            finished = event
    assert finished is not None
    assert (finished.answer, finished.stop_reason) == ("So far: 29 euros.", "stopped")


@pytest.mark.asyncio
async def test_a_stop_before_the_first_turn_is_not_forgotten() -> None:
    llm = ScriptedLLM(["nothing is known yet"])
    agent = ReActAgent(llm, hooks=[SessionStart(lambda query: agent.stop())])
    result = await agent.run("q")
    assert (result.answer, result.stop_reason, result.iterations) == ("nothing is known yet", "stopped", 0)


@pytest.mark.asyncio
async def test_a_stop_concerns_only_the_runs_of_the_moment() -> None:
    agent = ReActAgent(ScriptedLLM(["one", "two"]))
    agent.stop()
    assert (await agent.run("q")).stop_reason == "answer"


@pytest.mark.asyncio
async def test_one_call_is_stopped_and_the_run_goes_on() -> None:
    @tool
    async def slow() -> str:
        """Never ends."""
        await asyncio.Event().wait()
        return "never"

    @tool
    async def quick() -> str:
        """Ends at once."""
        return "here"

    recorder = EventRecorder()

    def on_event(event: AgentEvent) -> None:
        recorder(event)
        if isinstance(event, ToolCallStarted) and event.tool_name == "slow":
            asyncio.get_running_loop().call_soon(lambda: stopped.append(agent.cancel_call(event.call_id)))

    stopped: list[bool] = []
    agent = ReActAgent(ScriptedLLM([calls(("slow", {}), ("quick", {})), "half of it"]), [slow, quick])
    result = await asyncio.wait_for(agent.run("q", on_event=on_event), 5)
    assert stopped == [True]
    assert (result.answer, result.stop_reason) == ("half of it", "answer")
    assert "The user stopped this call" in (result.steps[0].error or "")
    assert result.steps[1].observation == "here"
    assert broken_rule(result.messages) is None
    assert [event.error is None for event in recorder.of(ToolCallFinished)] == [True, False]


@pytest.mark.asyncio
async def test_a_call_that_does_not_run_cannot_be_stopped() -> None:
    agent = ReActAgent(ScriptedLLM(["ok"]))
    assert agent.cancel_call("c1") is False
    await agent.run("q")
    assert agent.cancel_call("c1") is False


@pytest.mark.asyncio
async def test_a_tool_that_ignores_being_stopped_gives_its_result() -> None:
    @tool
    async def stubborn() -> str:
        """Does not let itself be stopped."""
        agent.cancel_call("c1")
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            return "finished all the same"
        return "not stopped"

    agent = ReActAgent(ScriptedLLM([call("stubborn"), "ok"]), [stubborn])
    result = await agent.run("q")
    assert result.steps[0].observation == "finished all the same"
    assert result.stop_reason == "answer"


@pytest.mark.asyncio
async def test_stopping_twice_is_stopping_once_also_while_the_model_takes_its_time_to_give_up() -> None:
    giving_up, go_on = asyncio.Event(), asyncio.Event()

    async def script(messages: Sequence[Message]) -> str:
        if len(messages) > 2:
            return "what there is"
        asyncio.get_running_loop().call_soon(agent.stop)
        try:
            await asyncio.Event().wait()
        finally:
            giving_up.set()
            await go_on.wait()
        return ""

    agent = ReActAgent(ScriptedLLM(script))
    run = asyncio.create_task(agent.run("q"))
    await giving_up.wait()
    agent.stop()
    go_on.set()
    assert (await run).answer == "what there is"
