"""The three rules about the loop, and how to turn them off."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from actloop.agent import AgentSettings, ReActAgent, RepeatRule, Rule
from actloop.agent.run import RunState
from actloop.errors import ConfigError
from actloop.messages import AssistantMessage, Message, ToolMessage
from actloop.testing import ScriptedLLM, ScriptedReply, ScriptedRequest
from actloop.tools import tool
from tests.agent.helpers import action, answer, call, calls


@tool
def look(q: str) -> str:
    """Always the same."""
    return "nothing new"


def told(llm: ScriptedLLM) -> list[str]:
    """Everything the model was told by user messages, in its last request."""
    return [str(message.content) for message in llm.requests[-1].messages if message.role == "user"]


@pytest.mark.asyncio
async def test_a_second_same_result_carries_a_note_and_a_third_leaves_only_an_answer() -> None:
    llm = ScriptedLLM([call("look", q="x"), call("look", q="x"), call("look", q="x"), "I give up"])
    result = await ReActAgent(llm, [look], rules=[RepeatRule]).run("q")
    results = [message.content for message in result.messages if isinstance(message, ToolMessage)]
    assert results[0] == "nothing new"
    assert results[1].startswith("[You made this same call before")
    assert results[1].endswith("nothing new")
    assert [bool(request.tools) for request in llm.requests] == [True, True, True, False]
    assert result.answer == "I give up"


@pytest.mark.asyncio
async def test_json_mode_leaves_only_the_answer_branch_after_a_third_time() -> None:
    turns = [action("look", q="x")] * 3 + [answer("I give up")]
    llm = ScriptedLLM(turns, abilities={"tool_call": True, "json_schema": True})
    await ReActAgent(llm, [look], rules=[RepeatRule], use_native_tools=False).run("q")
    assert ["tool_call" in str(request.response_format) for request in llm.requests] == [True, True, True, False]


@pytest.mark.asyncio
async def test_a_result_that_changes_is_no_repeat() -> None:
    progress = itertools.count()

    @tool
    def poll() -> int:
        return next(progress)

    llm = ScriptedLLM([call("poll")] * 5 + ["done"])
    result = await ReActAgent(llm, [poll], rules=[RepeatRule]).run("q")
    assert [step.observation for step in result.steps] == ["0", "1", "2", "3", "4"]
    assert all(request.tools for request in llm.requests)
    assert "same call" not in str(result.messages)


@pytest.mark.asyncio
async def test_the_same_call_side_by_side_in_one_turn_is_no_repeat() -> None:
    turn = calls(("look", {"q": "x"}), ("look", {"q": "x"}), ("look", {"q": "x"}))
    llm = ScriptedLLM([turn, turn, "done"])
    result = await ReActAgent(llm, [look], rules=[RepeatRule]).run("q")
    results = [message.content for message in result.messages if isinstance(message, ToolMessage)]
    assert results[:3] == ["nothing new"] * 3
    assert "same call" in results[3]
    assert all(request.tools for request in llm.requests)


@pytest.mark.asyncio
async def test_every_six_tool_turns_the_goal_is_restated() -> None:
    def script(messages: Sequence[Message]) -> AssistantMessage | str:
        turns = sum(message.role == "assistant" for message in messages)
        return call("look", q=str(turns)) if turns < 13 else "done"

    llm = ScriptedLLM(script)
    await ReActAgent(llm, [look]).run("Find the tea")
    checks = [text for text in told(llm) if "Check yourself" in text]
    assert len(checks) == 2
    assert "Find the tea" in checks[0]


@pytest.mark.asyncio
async def test_the_first_answer_after_three_calls_is_checked_once() -> None:
    looks = [call("look", q=str(number)) for number in range(4)]
    llm = ScriptedLLM([*looks[:3], "draft", looks[3], "final"])
    result = await ReActAgent(llm, [look]).run("Find the tea")
    assert result.answer == "final"
    assert sum("Before this answer counts" in text for text in told(llm)) == 1


@pytest.mark.asyncio
async def test_the_checked_answer_stands_when_the_model_fails_afterwards() -> None:
    turns: list[AssistantMessage | str | BaseException] = [call("look", q=str(n)) for n in range(3)]
    llm = ScriptedLLM([*turns, "draft", ConnectionError("gone")])
    result = await ReActAgent(llm, [look]).run("q")
    assert (result.answer, result.stop_reason) == ("draft", "error")


@pytest.mark.asyncio
async def test_the_last_iteration_is_not_spent_on_a_check() -> None:
    llm = ScriptedLLM([call("look", q="1"), call("look", q="2"), call("look", q="3"), "final"])
    result = await ReActAgent(llm, [look], max_iterations=4).run("q")
    assert (result.answer, result.stop_reason) == ("final", "answer")


@pytest.mark.asyncio
async def test_rules_can_be_turned_off() -> None:
    def script(messages: Sequence[Message], request: ScriptedRequest) -> AssistantMessage | str:
        return call("look", q="x") if sum(m.role == "assistant" for m in messages) < 8 else "done"

    llm = ScriptedLLM(script)
    result = await ReActAgent(llm, [look], rules=()).run("q")
    assert result.answer == "done"
    assert told(llm) == ["q"]
    assert all(request.tools for request in llm.requests)


@pytest.mark.asyncio
async def test_the_numbers_of_the_rules_are_settings() -> None:
    settings = AgentSettings(self_check_every=1, completion_check_calls=1)
    llm = ScriptedLLM([call("look", q="1"), "draft", "final"])
    await ReActAgent(llm, [look], settings=settings).run("q")
    assert sum("Check yourself" in text for text in told(llm)) == 1
    assert sum("Before this answer counts" in text for text in told(llm)) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("native", [True, False], ids=["native", "JSON"])
async def test_a_call_that_was_refused_neither_starts_the_count_anew_nor_asks_for_a_mended_call(native: bool) -> None:
    turn: ScriptedReply = call("look", q="x") if native else action("look", q="x")
    turns = [turn] * 6 + ["I give up" if native else answer("I give up")]
    llm = ScriptedLLM(turns, abilities={"tool_call": native})
    result = await ReActAgent(llm, [look], rules=[RepeatRule]).run("q")
    refused = [step.observation.startswith("Error: No tool call is possible") for step in result.steps]
    assert refused == [False, False, False, True, False, True]  # the fifth is a repeat as well
    assert result.answer == "I give up"
    assert not any("corrected tool call" in text for text in told(llm))


@pytest.mark.asyncio
async def test_a_rule_of_ones_own_is_a_class_and_each_run_gets_a_fresh_one() -> None:
    class Once(Rule):
        said = False

        def before_answer(self, run: RunState) -> str | None:
            if self.said:
                return None
            self.said = True
            return "Are you sure?"

    agent = ReActAgent(ScriptedLLM(["a", "sure", "b", "sure"]), rules=[Once])
    assert [(await agent.run("q")).iterations for _ in range(2)] == [2, 2]


def test_a_rule_that_is_no_factory_is_refused_with_what_to_give() -> None:
    rule: Any = Rule(AgentSettings())
    with pytest.raises(ConfigError, match="give the class"):
        ReActAgent(ScriptedLLM([]), rules=[rule])
