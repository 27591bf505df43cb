"""Parts of somebody's own around an agent: a guard, a memory, a rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from actloop.agent import AgentSettings, ReActAgent, RepeatRule, Rule
from actloop.context import ContextGuard, ConversationMemory
from actloop.errors import ContextTooSmall
from actloop.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolSpec, UserMessage, broken_rule
from actloop.testing import ScriptedLLM
from actloop.tools import tool
from tests.agent.helpers import call


@tool
def look() -> str:
    """Always the same."""
    return "nothing new"


@pytest.mark.asyncio
async def test_what_a_memory_or_a_guard_breaks_is_mended_before_the_request() -> None:
    class Careless(ConversationMemory):
        async def load(self) -> Sequence[Message]:
            return [UserMessage("old"), AssistantMessage("", (ToolCall("a", "look"),)), UserMessage("older")]

    class Forgetful:
        async def check_and_compact(
            self, messages: list[Message], *, hint: str = "general", tools: Sequence[ToolSpec] = ()
        ) -> list[Message]:
            return [message for message in messages if not isinstance(message, ToolMessage)]

    memory = Careless()
    llm = ScriptedLLM([call("look"), "done"])
    await ReActAgent(llm, [look], memory=memory, context_guard=Forgetful()).run("q")
    assert [broken_rule(request.messages) for request in llm.requests] == [None, None]
    assert broken_rule(memory.messages) is None


@pytest.mark.asyncio
async def test_a_guard_learns_only_from_requests_that_had_the_tools_it_counts() -> None:
    reported: list[int | None] = []

    class Watching(ContextGuard):
        def observe(self, messages: Sequence[Message], tools: Sequence[ToolSpec], count: int | None) -> None:
            reported.append(count)

    llm = ScriptedLLM([call("look")] * 3 + ["I give up"])
    await ReActAgent(llm, [look], rules=[RepeatRule], context_guard=Watching(100_000)).run("q")
    assert [bool(request.tools) for request in llm.requests] == [True, True, True, False]
    assert len(reported) == 3


@pytest.mark.asyncio
async def test_a_history_that_outgrows_its_window_at_the_end_leaves_the_bound_as_the_reason() -> None:
    class Growing:
        async def check_and_compact(
            self, messages: list[Message], *, hint: str = "general", tools: Sequence[ToolSpec] = ()
        ) -> list[Message]:
            if len(messages) > 2:
                raise ContextTooSmall("no room left")
            return messages

    agent = ReActAgent(ScriptedLLM([call("look")]), [look], max_iterations=1, context_guard=Growing())
    result = await agent.run("q")
    assert (result.stop_reason, result.error) == ("max_iterations", None)
    assert "look succeeded: nothing new" in result.answer


@pytest.mark.asyncio
async def test_a_rule_sees_each_outcome_and_may_end_the_calling() -> None:
    class AtMostTwo(Rule):
        def __init__(self, settings: AgentSettings) -> None:
            self.turns = 0

        def after_tools(self, run: object) -> None:
            self.turns += 1

        def answer_only(self) -> bool:
            return self.turns >= 2

    llm = ScriptedLLM([call("look"), call("look"), "done"])
    await ReActAgent(llm, [look], rules=[AtMostTwo]).run("q")
    assert [bool(request.tools) for request in llm.requests] == [True, True, False]


@pytest.mark.asyncio
async def test_only_the_question_of_this_run_is_pinned() -> None:
    llm = ScriptedLLM(["one", "two"])
    agent = ReActAgent(llm, memory=ConversationMemory())
    for question in ("first?", "second?"):
        await agent.run(question)
    asked = [message for message in llm.requests[1].messages if isinstance(message, UserMessage)]
    assert [(message.content, message.pinned) for message in asked] == [("first?", False), ("second?", True)]
