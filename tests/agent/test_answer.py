"""The answer a person reads: streamed, retried, and never missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from actloop.agent import (
    AgentEvent,
    AgentSettings,
    AnswerDelta,
    AnswerRestarted,
    ErrorOccurred,
    ReActAgent,
    RunFinished,
)
from actloop.context import ConversationMemory
from actloop.errors import AnswerStreamError, LLMError
from actloop.llm import Delta, EndDelta, TextDelta
from actloop.messages import AssistantMessage, Message, Usage
from actloop.testing import ScriptedLLM
from actloop.tools import tool
from tests.agent.helpers import TEXT_ONLY, action, answer, call


@tool
def look(q: str) -> str:
    """Look something up."""
    return f"{q}: " + "y" * 5_000


class Broken(ScriptedLLM):
    """Plain replies come from the script, each stream from a list of its own: its deltas, or an exception to raise."""

    def __init__(self, replies: list[Any], streams: list[list[Delta | BaseException]]) -> None:
        super().__init__(replies)
        self._streams = iter(streams)

    async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        for delta in next(self._streams):
            if isinstance(delta, BaseException):
                raise delta
            yield delta
            await asyncio.sleep(0)


def end(prompt: int = 1, completion: int = 1) -> EndDelta:
    return EndDelta("stop", Usage.of_call(prompt, completion))


async def events_of(agent: ReActAgent, query: str = "q") -> list[AgentEvent]:
    return [event async for event in agent.stream(query)]


def shown(events: list[AgentEvent]) -> str:
    """What a person sees in the end."""
    text = ""
    for event in events:
        if isinstance(event, AnswerRestarted):
            text = ""
        elif isinstance(event, AnswerDelta):
            text += event.content
    return text


@pytest.mark.asyncio
@pytest.mark.parametrize("native", [True, False])
async def test_the_synthesis_reads_the_question_and_each_result_cut_to_two_thousand(native: bool) -> None:
    turns = [call("look", q="tea"), "brief"] if native else [action("look", q="tea"), answer("brief")]
    llm = ScriptedLLM([*turns, "The long answer."], abilities={"tool_call": True} if native else TEXT_ONLY)
    agent = ReActAgent(llm, [look], instructions="Answer in French.")
    result = await agent.run("What is tea?")
    pieces = [piece async for piece in agent.stream_answer("What is tea?", result)]
    assert "".join(pieces) == "The long answer."
    assert len(pieces) == 3
    system, user = llm.requests[-1].messages
    assert llm.requests[-1].streamed
    assert "Answer in French." in str(system.content)
    assert "What is tea?" in str(user.content)
    assert 1_900 < str(user.content).count("y") < 2_050
    assert "brief" in str(user.content)


@pytest.mark.asyncio
async def test_stream_tells_the_whole_run_and_ends_with_one_done() -> None:
    llm = ScriptedLLM([call("look", q="tea"), "brief", "The long answer."])
    events = await events_of(ReActAgent(llm, [look]))
    kinds = [type(event).__name__ for event in events]
    assert kinds[-6:] == ["AnswerStarted", "AnswerDelta", "AnswerDelta", "AnswerDelta", "AnswerFinished", "RunFinished"]
    assert kinds.count("RunFinished") == 1
    done = events[-1]
    assert isinstance(done, RunFinished)
    assert (done.answer, done.iterations, done.usage.calls) == ("The long answer.", 2, 3)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "first",
    [
        [TextDelta("Half a")],
        [TextDelta("Half a"), EndDelta(None)],
        [TextDelta("Half a"), LLMError("connection reset")],
        [TextDelta("Half a"), ValueError("a stranger")],
        [EndDelta("stop")],
        [],
    ],
    ids=["cut", "no reason", "error", "stranger", "empty", "nothing"],
)
async def test_a_broken_stream_is_asked_for_once_more_and_the_restart_is_told(
    first: list[Delta | BaseException],
) -> None:
    llm = Broken(["brief"], [first, [TextDelta("The whole "), TextDelta("answer."), end()]])
    events = await events_of(ReActAgent(llm))
    assert shown(events) == "The whole answer."
    assert [event for event in events if isinstance(event, AnswerRestarted)] == [AnswerRestarted(2)]
    assert isinstance(events[-1], RunFinished)
    assert events[-1].answer == "The whole answer."


@pytest.mark.asyncio
async def test_stream_to_calls_a_function_with_the_events_that_stream_yields() -> None:
    called: list[AgentEvent] = []
    await ReActAgent(ScriptedLLM(["brief", "Whole."])).stream_to("q", called.append)
    yielded = await events_of(ReActAgent(ScriptedLLM(["brief", "Whole."])))
    assert [type(event) for event in called] == [type(event) for event in yielded]
    assert isinstance(called[-1], RunFinished)


@pytest.mark.asyncio
async def test_a_stalled_stream_counts_as_broken() -> None:
    class Stalling(Broken):
        async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
            yield TextDelta("Half")
            if self.stalls:
                self.stalls -= 1
                await asyncio.sleep(60)
            yield TextDelta(" and half")
            yield end()

        stalls = 1

    agent = ReActAgent(Stalling(["brief"], []), settings=AgentSettings(answer_stall_timeout=0.05))
    assert shown(await events_of(agent)) == "Half and half"


@pytest.mark.asyncio
async def test_when_the_stream_fails_twice_the_brief_answer_stands_in() -> None:
    llm = Broken(["brief"], [[TextDelta("Ha"), LLMError("reset")], [TextDelta("Hal"), LLMError("reset")]])
    events = await events_of(ReActAgent(llm))
    assert shown(events) == "brief"
    assert any(isinstance(event, ErrorOccurred) and event.recoverable for event in events)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].answer == "brief"


@pytest.mark.asyncio
async def test_stream_answer_goes_on_where_the_second_attempt_says_the_same() -> None:
    llm = Broken(
        ["brief"], [[TextDelta("The who"), LLMError("reset")], [TextDelta("The "), TextDelta("whole."), end()]]
    )
    agent = ReActAgent(llm)
    result = await agent.run("q")
    assert [piece async for piece in agent.stream_answer("q", result)] == ["The who", "le."]


@pytest.mark.asyncio
async def test_stream_answer_raises_with_the_partial_text_when_it_cannot_go_on() -> None:
    llm = Broken(["brief"], [[TextDelta("The who"), LLMError("reset")], [TextDelta("Another"), end()]])
    agent = ReActAgent(llm)
    result = await agent.run("q")
    with pytest.raises(AnswerStreamError) as raised:
        _ = [piece async for piece in agent.stream_answer("q", result)]
    assert raised.value.partial == "The who"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "second",
    [[LLMError("reset")], [TextDelta("The"), LLMError("reset")], [TextDelta("The who"), end()]],
    ids=["fails at once", "breaks off earlier", "is whole, but shorter"],
)
async def test_the_partial_text_is_what_was_shown_whatever_the_second_attempt_says(
    second: list[Delta | BaseException],
) -> None:
    llm = Broken(["brief"], [[TextDelta("The who"), TextDelta("le story"), LLMError("reset")], second])
    agent = ReActAgent(llm)
    result = await agent.run("q")
    pieces: list[str] = []

    async def read() -> None:
        async for piece in agent.stream_answer("q", result):
            pieces.append(piece)  # noqa: PERF401 - it ends with an error

    with pytest.raises(AnswerStreamError) as raised:
        await read()
    assert raised.value.partial == "".join(pieces) == "The whole story"


@pytest.mark.asyncio
async def test_a_model_that_fails_before_it_streams_leaves_the_brief_answer() -> None:
    class Eager(ScriptedLLM):
        def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
            raise RuntimeError("no route")

    events = await events_of(ReActAgent(Eager(["brief"])))
    assert shown(events) == "brief"
    assert isinstance(events[-1], RunFinished)


@pytest.mark.asyncio
async def test_an_unreachable_model_still_gives_an_answer_and_a_done() -> None:
    events = await events_of(ReActAgent(ScriptedLLM([LLMError("connection refused")])))
    assert [type(event).__name__ for event in events] == [
        "ThinkingStarted",
        "ErrorOccurred",
        "AnswerReady",
        "AnswerStarted",
        "AnswerDelta",
        "AnswerFinished",
        "RunFinished",
    ]
    done = events[-1]
    assert isinstance(done, RunFinished)
    assert done.stop_reason == "error"
    assert "connection refused" in done.answer


@pytest.mark.asyncio
async def test_leaving_the_stream_early_ends_the_run() -> None:
    async def slow(messages: Sequence[Message]) -> str:
        await asyncio.sleep(60)
        return "late"

    stream = ReActAgent(ScriptedLLM(slow)).stream("q")
    await anext(stream)
    await stream.aclose()
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.asyncio
async def test_memory_keeps_what_the_person_read() -> None:
    memory = ConversationMemory()
    llm = ScriptedLLM(["brief", "The long answer.", "second"])
    agent = ReActAgent(llm, memory=memory)
    await events_of(agent, "first question")
    assert memory.messages[-1] == AssistantMessage("The long answer.")
    await agent.run("second question")
    assert [message.content for message in llm.requests[-1].messages[1:]] == [
        "first question",
        "The long answer.",
        "second question",
    ]
