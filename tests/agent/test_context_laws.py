"""Whatever happens in a small window: every request is legal and fits, and the question is in it."""

from __future__ import annotations

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from actloop.agent import AgentEvent, ReActAgent
from actloop.context import ContextGuard, ConversationMemory
from actloop.errors import ContextOverflow, LLMError
from actloop.llm import Reply, RetryLLM
from actloop.messages import AssistantMessage, ToolCall, Usage, broken_rule, text_of
from actloop.testing import ScriptedLLM, ScriptedReply
from actloop.tools import tool
from tests.agent.helpers import action
from tests.agent.test_order_law import StrictScript


def _reply(message: AssistantMessage) -> Reply:
    """Usage is not reported, so that the guard's estimate stays what it is without calibration."""
    return Reply(message, Usage.of_call(), "tool_calls" if message.tool_calls else "stop")


def _calls(*sizes: int) -> AssistantMessage:
    return AssistantMessage("", [ToolCall(f"c{n}", "fetch", {"size": size}) for n, size in enumerate(sizes)])


_REPLIES: st.SearchStrategy[ScriptedReply] = st.one_of(
    st.builds(_calls, st.integers(0, 6_000), st.integers(0, 1_500)).map(_reply),
    st.builds(lambda size: _reply(AssistantMessage(action("fetch", size=size))), st.integers(0, 6_000)),
    st.sampled_from([_reply(AssistantMessage("hm " * 400)), _reply(AssistantMessage("done"))]),
    st.sampled_from([ContextOverflow("too long"), LLMError("busy", retryable=True)]),
)
_SUMMARISERS = st.sampled_from(["", "short", "long " * 3_000, None])


@tool
async def fetch(size: int) -> str:
    """Fetch some text."""
    await asyncio.sleep(0)
    return "some words, " * (size // 12)


async def _at_once(seconds: float) -> None:
    await asyncio.sleep(0)


@settings(max_examples=60, deadline=None)
@given(
    replies=st.lists(_REPLIES, min_size=1, max_size=8),
    native=st.booleans(),
    budget=st.integers(900, 4_000),
    summary=_SUMMARISERS,
    interrupts=st.dictionaries(st.integers(0, 20), st.integers(1, 4_000), max_size=4),
    stop_at=st.one_of(st.none(), st.integers(0, 30)),
)
def test_requests_are_legal_and_fit_and_hold_the_question(
    replies: list[ScriptedReply],
    native: bool,
    budget: int,
    summary: str | None,
    interrupts: dict[int, int],
    stop_at: int | None,
) -> None:
    llm = StrictScript(replies, native)
    memory = ConversationMemory()
    fast = None if summary is None else ScriptedLLM(lambda messages: summary)
    guard = ContextGuard(budget, compact_llm=fast)
    agent = ReActAgent(RetryLLM(llm, sleep=_at_once), [fetch], max_iterations=8, memory=memory, context_guard=guard)
    # a note to answer or to call, and in JSON mode the form of an action; what was typed during a backoff joins late
    slack = 400 + (1_200 if any(isinstance(reply, LLMError) for reply in replies) else 0)
    seen = 0

    def on_event(event: AgentEvent) -> None:
        nonlocal seen
        seen += 1
        if seen in interrupts:
            agent.interrupts.put("mind this " * (interrupts[seen] // 10))
        if seen == stop_at:
            agent.stop()

    async def story() -> None:
        for query in ("What is the first question?", "And what is the second one?"):
            before = len(llm.requests)
            result = await agent.run(query, on_event=on_event)
            assert broken_rule(result.messages) is None
            assert broken_rule(memory.messages) is None
            for request in llm.requests[before:]:
                assert query in "\n".join(text_of(message.content) for message in request.messages)
                assert ContextGuard(1).tokens(request.messages) <= budget + slack

    asyncio.run(story())
    assert llm.refused == []
