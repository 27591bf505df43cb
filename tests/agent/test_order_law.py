"""Whatever a model, its tools and a person do: every request is legal, the run ends, and its history is valid."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from actloop.agent import AgentSettings, InterruptQueue, ReActAgent
from actloop.context import ConversationMemory
from actloop.errors import LLMError, ToolError
from actloop.llm import Reply
from actloop.llm.adapters.openai_quirks import Quirks
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.messages import AssistantMessage, Message, ToolCall, Usage, broken_rule
from actloop.testing import ScriptedLLM, ScriptedReply, ScriptedRequest
from actloop.tools import tool
from tests.support.strict import violations

_NAMES = st.sampled_from(["work", "work", "work", "fails", "swallows", "no_such", "functions.work", "", "we ird\n"])
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
    st.sampled_from([LLMError("gone"), ValueError("a stranger")]),
)


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
async def swallows(x: int = 0) -> str:
    """Does not let itself be cancelled."""
    try:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    except asyncio.CancelledError:
        return "stopped"
    return "done"


class StrictScript(ScriptedLLM):
    """Plays random replies, round and round, and refuses a request that a strict provider would refuse."""

    def __init__(self, replies: Sequence[ScriptedReply], native: bool) -> None:
        abilities = {"tool_call": native, "json_mode": True, "json_schema": True}
        self._turns = 0
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


@given(
    replies=st.lists(_REPLIES, min_size=1, max_size=6),
    native=st.booleans(),
    interrupt_at=st.sets(st.integers(0, 12), max_size=3),
    cancel_after=st.one_of(st.none(), st.integers(0, 40)),
    second_run=st.booleans(),
)
@settings(max_examples=150)
def test_any_behaviour_gives_legal_requests_and_a_valid_history(
    replies: list[ScriptedReply],
    native: bool,
    interrupt_at: set[int],
    cancel_after: int | None,
    second_run: bool,
) -> None:
    llm = StrictScript(replies, native)
    memory = ConversationMemory()
    queue = InterruptQueue()
    agent = ReActAgent(
        llm,
        [work, fails, swallows],
        max_iterations=6,
        memory=memory,
        interrupt_queue=queue,
        settings=AgentSettings(self_check_every=2, completion_check_calls=2, max_calls_per_turn=3),
    )
    seen = 0

    def on_event(event: object) -> None:
        nonlocal seen
        if seen in interrupt_at:
            queue.put(f"by the way, number {seen}")
        seen += 1

    async def story() -> None:
        run = asyncio.create_task(agent.run("q", on_event=on_event))
        if cancel_after is not None:
            for _ in range(cancel_after):
                await asyncio.sleep(0)
            run.cancel()
        try:
            result = await run
        except asyncio.CancelledError:
            assert cancel_after is not None
        else:
            assert broken_rule(result.messages) is None
            assert result.messages[-1].role == "assistant"
            assert result.answer.strip()
        assert broken_rule(memory.messages) is None
        if second_run:
            again = await agent.run("and then?")
            assert broken_rule(again.messages) is None
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(story())
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
