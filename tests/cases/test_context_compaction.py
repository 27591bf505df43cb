"""A history that is too long becomes shorter, and stays a history that any provider takes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from actloop.agent import ReActAgent
from actloop.context import ContextGuard, ConversationMemory
from actloop.messages import AssistantMessage, Message, ToolMessage, UserMessage, broken_rule, text_of
from actloop.testing import ScriptedLLM
from tests.cases.jobs_of_context import budget_of
from tests.cases.keeping import keeps
from tests.cases.loading import own_cases
from tests.cases.openai_form import messages_from


def _history(case_id: str) -> tuple[list[Message], int]:
    case = next(case for case in own_cases() if case.id == case_id)
    messages = messages_from(case.input["messages"])
    return messages, budget_of(case.input["budget"], messages)


def _ids(messages: list[Message]) -> set[str]:
    called = {call.id for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls}
    return called | {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}


@keeps(
    "C085",
    "the result is a valid history",
    "no message has tool_call_id 'gone'",
    "b1 and b2 are both present with their call, or all three are absent",
    "'go on' is the last message",
    "the system message is first",
)
@pytest.mark.asyncio
@pytest.mark.parametrize("more", [0, 50, 100])
async def test_a_round_goes_as_a_whole_and_an_orphan_goes_anyway(more: int) -> None:
    messages, budget = _history("C085")
    after = await ContextGuard(budget + more).check_and_compact(messages)
    assert after is not messages
    assert broken_rule(after) is None
    assert _ids(after) in (set(), {"b1", "b2"})
    assert after[-1] == UserMessage("go on")
    assert after[0] == messages[0]


@keeps(
    "C086",
    "the words 'Turin', 'Ghent' and '3 May' are in the compacted messages",
    "the first non-system message has role user",
    "the result is a valid history",
    "its estimate is within the budget",
    "the summariser was called with text, not with an empty list",
)
@pytest.mark.asyncio
async def test_the_one_question_of_a_long_tool_loop_survives() -> None:
    messages, budget = _history("C086")
    summariser = ScriptedLLM(["Nine timetables were read."])
    guard = ContextGuard(budget, compact_llm=summariser)
    after = await guard.check_and_compact(messages, hint="react_iteration")
    said = "\n".join(text_of(message.content) for message in after)
    assert all(word in said for word in ("Turin", "Ghent", "3 May"))
    assert [message.role for message in after][:2] == ["system", "user"]
    assert broken_rule(after) is None
    assert guard.tokens(after) <= budget
    [request] = summariser.requests
    assert "rrrr" in text_of(request.messages[-1].content)


def _raising() -> ScriptedLLM:
    def script(messages: object) -> str:
        raise RuntimeError("the summariser is out of order")

    return ScriptedLLM(script)


@keeps(
    "C087",
    "the run completes in all three variants",
    "the request is within the budget",
    "no error text is in the messages",
    "the summariser is tried at most twice per iteration",
    "the valid-history rule holds",
)
@pytest.mark.asyncio
@pytest.mark.parametrize(
    "summariser",
    [_raising, lambda: ScriptedLLM(lambda _: ""), lambda: ScriptedLLM(lambda _: "blah " * 20_000)],
    ids=["raises", "says nothing", "says too much"],
)
async def test_a_summariser_that_does_not_help_ends_no_run(summariser: Callable[[], ScriptedLLM]) -> None:
    earlier = [
        message
        for number in range(20)
        for message in (UserMessage(f"question {number}"), AssistantMessage(f"answer {number} " * 50))
    ]
    llm, fast = ScriptedLLM(["done"]), summariser()
    guard = ContextGuard(1_500, compact_llm=fast)
    agent = ReActAgent(llm, memory=ConversationMemory(earlier), context_guard=guard)
    result = await agent.run("and now?")

    assert (result.answer, result.stop_reason) == ("done", "answer")
    [request] = llm.requests
    assert guard.tokens(request.messages) <= 1_500
    assert broken_rule(request.messages) is None
    said = "\n".join(text_of(message.content) for message in request.messages)
    assert "out of order" not in said
    assert "Error" not in said
    assert 1 <= len(fast.requests) <= 2
