"""Whatever a model, its tools and a person do: every request is legal, the run ends, and its history is valid."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actloop.agent import (
    AgentEvent,
    AgentSettings,
    AnswerDelta,
    AnswerRestarted,
    InterruptQueue,
    ReActAgent,
    RunFinished,
    ToolCallStarted,
)
from actloop.context import ContextGuard, ConversationMemory
from actloop.errors import ContextOverflow, LLMError, ToolError, UnsupportedParameter
from actloop.llm import Delta, Reply
from actloop.llm.adapters.openai_quirks import Quirks
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.messages import AssistantMessage, Message, ToolCall, Usage, broken_rule
from actloop.testing import ScriptedLLM, ScriptedReply, ScriptedRequest
from actloop.tools import tool
from tests.support.strict import violations

_NAMES = st.sampled_from(["work", "work", "tells", "fails", "swallows", "no_such", "functions.work", "", "we ird\n"])
_ARGUMENTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{}, {"x": 1}, {"x": "1"}, {"x": "many"}, {"x": 1, "y": 2}, {"x": None}]
)
_IDS = st.sampled_from(["", "c1", "c1", "c2", "call_ü", "x" * 80])
_CALLS = st.lists(
    st.builds(ToolCall, _IDS, _NAMES, _ARGUMENTS, unreadable=st.sampled_from([None, None, None, '{"x": '])),
    min_size=1,
    max_size=4,
).map(tuple)
_TEXTS = st.sampled_from(
    [
        "",
        "   ",
        "the answer",
        "lone \udc97 surrogate",
        '{"name": "work", "arguments": {"x": 1}}',
        '<tool_call>{"name": "work", "arguments": {"x": 2}}</tool_call>',
        "<think>hm",
        '{"type": "tool_call", "reasoning": "r", "tool_name": "work", "tool_args": {"x": 1}}',
        '{"type": "tool_call", "tool_name": "work", "tool_args": "nonsense"}',
        '{"type": "final_answer", "reasoning": "r", "answer": "done"}',
        '{"type": "final_answer", "answer": ',
        "[" * 300,
    ]
)
_REPLIES = st.one_of(
    st.builds(AssistantMessage, _TEXTS),
    st.builds(AssistantMessage, _TEXTS, _CALLS),
    st.builds(
        Reply,
        st.builds(AssistantMessage, _TEXTS, _CALLS),
        st.just(Usage.of_call()),
        st.sampled_from(["length", "stop", None]),
    ),
    st.sampled_from(
        [
            LLMError("gone"),
            ValueError("a stranger"),
            ContextOverflow("too long"),
            UnsupportedParameter("no tools here", parameter="tools"),
            UnsupportedParameter("no schemas here", parameter="response_format"),
        ]
    ),
)
_CUTS = st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=3)
"""After how many pieces each stream breaks off; None where it does not."""


@tool
async def work(x: int = 0) -> int:
    """Do some work."""
    await asyncio.sleep(0)
    return x


@tool
def fails(x: int = 0) -> str:
    """Never works."""
    raise ToolError(f"cannot do {x}")


@tool
def tells(x: int = 0) -> str:
    """Tells a long story."""
    return f"story {x}: " + "and then " * 300


@tool
async def swallows(x: int = 0) -> str:
    """Does not let itself be cancelled."""
    try:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        return "stopped"
    return "done"


class StrictScript(ScriptedLLM):
    """Plays random replies, round and round, its streams cut off as told; notes what a strict provider would refuse."""

    def __init__(self, replies: Sequence[ScriptedReply], native: bool, cuts: Sequence[int | None] = ()) -> None:
        abilities = {"tool_call": native, "json_mode": True, "json_schema": True}
        self._turns = 0
        self._cuts = list(cuts)
        self.refused: list[str] = []
        writer = RequestWriter("m", Quirks(), vision=False)

        def play(messages: Sequence[Message], request: ScriptedRequest) -> ScriptedReply:
            body = writer.write(
                messages, tools=request.tools, tool_choice=request.tool_choice, response_format=request.response_format
            )
            self.refused += violations(json.loads(body))
            law = broken_rule(messages)
            self.refused += [law] if law else []
            reply = replies[self._turns % len(replies)]
            self._turns += 1
            return reply

        super().__init__(play, abilities=abilities)

    async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        """As the script says, up to the cut: with an error after an even number of pieces, else as if it were all."""
        cut = self._cuts.pop(0) if self._cuts else None
        sent = 0
        async with aclosing(super().stream_chat(messages, **options)) as deltas:  # type: ignore[type-var]
            async for delta in deltas:
                if sent == cut and sent % 2 == 0:
                    raise LLMError("the connection was cut")
                if sent == cut:
                    return
                sent += 1
                yield delta


class Person:
    """Listens to a run, and interrupts it, stops it and ends single calls when so many events have come."""

    def __init__(
        self, queue: InterruptQueue, interrupt_at: set[int], stop_at: int | None, end_calls_at: set[int]
    ) -> None:
        self.shown: list[str] = []
        self.end: RunFinished | None = None
        self._queue = queue
        self._interrupt_at = interrupt_at
        self._stop_at = stop_at
        self._end_calls_at = end_calls_at
        self._seen = 0

    def see(self, event: AgentEvent, agent: ReActAgent) -> None:
        """Take the next event."""
        assert self.end is None, f"{event} came after the end"
        if self._seen in self._interrupt_at:
            self._queue.put(f"by the way, number {self._seen}")
        if self._seen == self._stop_at:
            agent.stop()
        if self._seen in self._end_calls_at and isinstance(event, ToolCallStarted):
            agent.cancel_call(event.call_id)
        if isinstance(event, AnswerDelta):
            self.shown.append(event.content)
        elif isinstance(event, AnswerRestarted):
            self.shown.clear()
        elif isinstance(event, RunFinished):
            self.end = event
        self._seen += 1


async def _run(agent: ReActAgent, person: Person, *, streamed: bool) -> None:
    if streamed:
        async with aclosing(agent.stream("q")) as events:
            async for event in events:
                person.see(event, agent)
    else:
        result = await agent.run("q", on_event=lambda event: person.see(event, agent))
        assert broken_rule(result.messages) is None
        assert result.messages[-1].role == "assistant"
    assert person.end is not None
    assert person.end.answer.strip()
    if streamed:
        assert "".join(person.shown) == person.end.answer


@given(
    replies=st.lists(_REPLIES, min_size=1, max_size=6),
    native=st.booleans(),
    streamed=st.booleans(),
    cuts=_CUTS,
    budget=st.sampled_from([400, 900, 100_000]),
    interrupt_at=st.sets(st.integers(0, 20), max_size=4),
    stop_at=st.one_of(st.none(), st.integers(0, 20)),
    end_calls_at=st.sets(st.integers(0, 20), max_size=4),
    cancel_after=st.one_of(st.none(), st.integers(0, 60)),
    second_run=st.booleans(),
)
@settings(max_examples=150)
def test_any_behaviour_gives_legal_requests_and_a_valid_history(
    replies: list[ScriptedReply],
    native: bool,
    streamed: bool,
    cuts: list[int | None],
    budget: int,
    interrupt_at: set[int],
    stop_at: int | None,
    end_calls_at: set[int],
    cancel_after: int | None,
    second_run: bool,
) -> None:
    llm = StrictScript(replies, native, cuts)
    memory = ConversationMemory()
    queue = InterruptQueue()
    person = Person(queue, interrupt_at, stop_at, end_calls_at)
    agent = ReActAgent(
        llm,
        [work, fails, swallows, tells],
        max_iterations=6,
        memory=memory,
        context_guard=ContextGuard(budget),
        interrupt_queue=queue,
        settings=AgentSettings(self_check_every=2, completion_check_calls=2, max_calls_per_turn=3),
    )

    async def story() -> None:
        run = asyncio.create_task(_run(agent, person, streamed=streamed))
        if cancel_after is not None:
            for _ in range(cancel_after):
                await asyncio.sleep(0)
            run.cancel()
        try:
            await run
        except asyncio.CancelledError:
            assert cancel_after is not None
        assert broken_rule(memory.messages) is None
        if second_run:
            again = await agent.run("and then?")
            assert broken_rule(again.messages) is None
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(story())
    assert llm.refused == []


@given(cuts=st.lists(st.one_of(st.none(), st.integers(0, 6)), max_size=3))
def test_wherever_the_streams_are_cut_the_whole_answer_is_shown(cuts: list[int | None]) -> None:
    llm = StrictScript(["an answer of five words"], native=True, cuts=cuts)
    person = Person(InterruptQueue(), set(), None, set())
    asyncio.run(_run(ReActAgent(llm), person, streamed=True))
    assert "".join(person.shown) == "an answer of five words"
    assert llm.refused == []


@pytest.mark.asyncio
async def test_a_run_that_is_cancelled_at_every_point_stores_a_valid_history() -> None:
    script: list[ScriptedReply] = [
        AssistantMessage("", [ToolCall("a", "work", {"x": 1}), ToolCall("b", "swallows")]),
        AssistantMessage("", [ToolCall("a", "fails"), ToolCall("b", "work")]),
        "done",
    ]
    for turns in range(60):
        memory = ConversationMemory()
        llm = StrictScript(script, native=True)
        run = asyncio.create_task(ReActAgent(llm, [work, fails, swallows], memory=memory).run("q"))
        for _ in range(turns):
            await asyncio.sleep(0)
        run.cancel()
        await asyncio.gather(run, return_exceptions=True)
        assert broken_rule(memory.messages) is None
        assert llm.refused == []
