"""What a person writes while the agent works: heard, never lost, with a receipt at each change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence

import pytest

from actloop.agent import (
    AgentEvent,
    AnswerDelta,
    InterruptChanged,
    InterruptQueue,
    ReActAgent,
    ThinkingStarted,
    ToolCallFinished,
)
from actloop.context import ContextGuard, ConversationMemory
from actloop.errors import ConfigError, LLMError
from actloop.llm import RetryLLM
from actloop.messages import AssistantMessage, Message, UserMessage, text_of
from actloop.testing import EventRecorder, ScriptedLLM
from actloop.tools import tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call


@tool
def look() -> str:
    """Look."""
    return "29"


def receipts(events: list[AgentEvent]) -> list[tuple[str, str, int | None]]:
    return [(e.content, e.status, e.iteration) for e in events if isinstance(e, InterruptChanged)]


@pytest.mark.asyncio
async def test_a_message_is_queued_then_delivered_then_answered() -> None:
    @tool
    def wait() -> str:
        """Wait."""
        agent.interrupts.put("in euros")
        return "waited"

    recorder = EventRecorder()
    agent = ReActAgent(ScriptedLLM([call("look"), call("wait"), "29 euros"]), [look, wait])
    await agent.run("q", on_event=recorder)
    assert receipts(recorder.events) == [
        ("in euros", "queued", None),
        ("in euros", "delivered", 2),
        ("in euros", "answered", 2),
    ]
    assert recorder.kinds[-1] == "RunFinished"


@pytest.mark.asyncio
async def test_a_message_during_the_answer_is_handed_back_and_the_answer_stands() -> None:
    agent = ReActAgent(
        ScriptedLLM(["29", "It is 29 euros.", "It is 31 dollars."]), memory=(memory := ConversationMemory())
    )
    events: list[AgentEvent] = []
    async for event in agent.stream("q"):
        events.append(event)
        if isinstance(event, AnswerDelta) and not agent.interrupts.waiting():
            assert agent.interrupts.open is False
            agent.interrupts.put("in dollars")
    assert receipts(events) == [("in dollars", "queued", None), ("in dollars", "returned", None)]
    assert memory.messages[-1] == AssistantMessage("It is 29 euros.")

    [left] = agent.interrupts.drain()
    assert (await agent.run(left.content)).answer == "It is 31 dollars."


@pytest.mark.asyncio
async def test_a_message_after_the_run_waits_for_the_next_one() -> None:
    llm = ScriptedLLM(["29", "31"])
    agent = ReActAgent(llm)
    await agent.run("q")
    assert agent.interrupts.open is False
    agent.interrupts.put("in dollars")
    await agent.run("go on")
    assert llm.requests[1].messages[-1] == UserMessage("[USER INTERRUPT]\nin dollars", pinned=True)


@pytest.mark.asyncio
async def test_a_message_of_a_cancelled_run_is_not_lost() -> None:
    @tool
    async def wait() -> str:
        """Wait."""
        agent.interrupts.put("in euros")
        run.cancel()
        await asyncio.Event().wait()
        return ""

    agent = ReActAgent(ScriptedLLM([call("wait")]), [wait])
    run = asyncio.create_task(agent.run("q"))
    with pytest.raises(asyncio.CancelledError):
        await run
    assert [left.content for left in agent.interrupts.drain()] == ["in euros"]
    assert agent.interrupts.open is False


@pytest.mark.asyncio
@pytest.mark.parametrize("native", [True, False], ids=["native", "JSON"])
async def test_a_message_during_a_backoff_goes_along_with_the_next_attempt(native: bool) -> None:
    async def back_off(seconds: float) -> None:
        agent.interrupts.put("in euros")

    said = "29 euros" if native else answer("29 euros")
    llm = ScriptedLLM([LLMError("busy", retryable=True), said], abilities=None if native else TEXT_ONLY)
    agent = ReActAgent(RetryLLM(llm, sleep=back_off))
    recorder = EventRecorder()
    result = await agent.run("q", on_event=recorder)
    assert result.answer == "29 euros"
    assert text_of(llm.requests[1].messages[-1].content) == "[USER INTERRUPT]\nin euros"
    assert [message.role for message in result.messages] == ["system", "user", "user", "assistant"]
    assert [status for _, status, _ in receipts(recorder.events)] == ["queued", "delivered", "answered"]


@pytest.mark.asyncio
async def test_a_message_between_the_tools_end_and_the_next_call_is_in_that_call() -> None:
    """Also when a summary is written in between, which takes its time."""

    def summarise(messages: object) -> str:
        agent.interrupts.put("in euros")
        return "short"

    @tool
    def long() -> str:
        """A long result."""
        return "word " * 500

    llm = ScriptedLLM([call("long", f"c{number}") for number in range(8)] + [AssistantMessage("29 euros")])
    guard = ContextGuard(1_500, compact_llm=ScriptedLLM(summarise))
    agent = ReActAgent(llm, [long], context_guard=guard, rules=())
    recorder = EventRecorder()
    await agent.run("q", on_event=recorder)
    compacted = recorder.kinds.index("ContextCompacted")
    iteration = len([event for event in recorder.events[:compacted] if isinstance(event, ThinkingStarted)])
    assert receipts(recorder.events)[1] == ("in euros", "delivered", iteration)
    assert "in euros" in text_of(llm.requests[iteration - 1].messages[-1].content)


@pytest.mark.asyncio
async def test_what_was_delivered_is_part_of_the_question_that_the_synthesis_answers() -> None:
    @tool
    def wait() -> str:
        """Wait."""
        agent.interrupts.put("in euros please")
        return "waited"

    llm = ScriptedLLM([call("wait"), "29", "29 euros"])
    agent = ReActAgent(llm, [wait])
    async for _ in agent.stream("what does it cost?"):
        pass
    asked = text_of(llm.requests[-1].messages[-1].content)
    assert asked.endswith("what does it cost? in euros please")


@pytest.mark.asyncio
async def test_a_message_that_arrives_with_the_last_allowed_turn_is_in_the_last_request() -> None:
    def on_event(event: AgentEvent) -> None:
        if isinstance(event, ToolCallFinished):
            agent.interrupts.put("in euros")

    llm = ScriptedLLM([call("look"), "29 euros"])
    agent = ReActAgent(llm, [look], max_iterations=1)
    await agent.run("q", on_event=on_event)
    assert "in euros" in "\n".join(text_of(message.content) for message in llm.requests[-1].messages)


@pytest.mark.asyncio
async def test_a_queue_is_read_by_one_run_at_a_time() -> None:
    asked, release = asyncio.Event(), asyncio.Event()

    async def script(messages: object) -> str:
        asked.set()
        await release.wait()
        return "ok"

    queue = InterruptQueue()
    first = ReActAgent(ScriptedLLM(script), interrupt_queue=queue)
    running = asyncio.create_task(first.run("q"))
    await asked.wait()
    with pytest.raises(ConfigError, match="queue belongs to a run"):
        await ReActAgent(ScriptedLLM(["x"]), interrupt_queue=queue).run("q")
    release.set()
    await running
    assert (await ReActAgent(ScriptedLLM(["x"]), interrupt_queue=queue).run("q")).answer == "x"


@pytest.mark.asyncio
async def test_runs_of_one_agent_side_by_side_do_not_take_each_others_messages() -> None:
    both = asyncio.Event()

    async def script(messages: object) -> str:
        if len(llm.requests) == 2:
            agent.interrupts.put("for the first")
            both.set()
        await both.wait()
        return "ok"

    llm = ScriptedLLM(script)
    agent = ReActAgent(llm)
    first, second = (asyncio.create_task(agent.run(query)) for query in ("one", "two"))
    results = await asyncio.gather(first, second)
    said = ["\n".join(text_of(message.content) for message in result.messages) for result in results]
    assert [text.count("for the first") for text in said] == [1, 0]


@pytest.mark.asyncio
async def test_a_message_from_another_thread_gets_its_receipts_in_the_runs_own() -> None:
    threads: set[int] = set()

    def on_event(event: AgentEvent) -> None:
        if isinstance(event, InterruptChanged):
            threads.add(threading.get_ident())

    @tool
    def wait() -> str:
        """Runs in a thread."""
        agent.interrupts.put("hello")
        return "waited"

    agent = ReActAgent(ScriptedLLM([call("wait"), "ok"]), [wait])
    await agent.run("q", on_event=on_event)
    assert threads == {threading.get_ident()}


def test_a_message_may_be_changed_or_taken_back_while_it_waits() -> None:
    queue = InterruptQueue()
    first, second = queue.put("in euros"), queue.put("quickly")
    assert queue.edit(first, "in dollars")
    assert queue.take_back(second)
    assert [waiting.content for waiting in queue.waiting()] == ["in dollars"]
    assert [taken.content for taken in queue.drain()] == ["in dollars"]
    assert not queue.edit(first, "in yen")
    assert not queue.take_back(first)


@pytest.mark.asyncio
async def test_a_changed_message_gets_a_new_receipt_and_only_its_last_text_is_said() -> None:
    @tool
    def wait() -> str:
        """Wait."""
        agent.interrupts.edit(agent.interrupts.put("in euros"), "in dollars")
        return "waited"

    llm = ScriptedLLM([action("wait"), answer("31 dollars")], abilities=TEXT_ONLY)
    agent = ReActAgent(llm, [wait])
    recorder = EventRecorder()
    await agent.run("q", on_event=recorder)
    assert [(content, status) for content, status, _ in receipts(recorder.events)] == [
        ("in euros", "queued"),
        ("in dollars", "queued"),
        ("in dollars", "delivered"),
        ("in dollars", "answered"),
    ]
    assert "in euros" not in "\n".join(text_of(message.content) for message in llm.requests[1].messages)


@pytest.mark.asyncio
async def test_a_message_that_arrives_with_a_second_unreadable_turn_is_not_passed_over() -> None:
    turns = iter(["no JSON", "still no JSON", answer("29 euros")])

    def script(messages: Sequence[Message]) -> str:
        turn = next(turns)
        if turn == "still no JSON":
            agent.interrupts.put("in euros")
        return turn

    agent = ReActAgent(ScriptedLLM(script, abilities=TEXT_ONLY), [look])
    assert (await agent.run("q")).answer == "29 euros"
