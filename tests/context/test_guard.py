"""`ContextGuard`, told as stories: what it keeps, what it drops, and when it does nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from actloop.context import INTERRUPT_HEADER, SUMMARY_HEADER, ContextGuard, summary_text, summary_usage
from actloop.errors import ConfigError, ContextTooSmall
from actloop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
    broken_rule,
    text_of,
)
from actloop.testing import ScriptedLLM

_SYSTEM = SystemMessage("You are careful.")
_QUERY = UserMessage("Which train is the cheapest?", pinned=True)


def _round(number: int, result: str = "word " * 100) -> list[Message]:
    return [
        AssistantMessage("", [ToolCall(f"c{number}", "look", {"at": number})]),
        ToolMessage(f"result {number}: {result}", f"c{number}", "look"),
    ]


def _run(rounds: int, result: str = "word " * 100) -> list[Message]:
    return [_SYSTEM, _QUERY, *(message for number in range(rounds) for message in _round(number, result))]


def _said(messages: Sequence[Message]) -> str:
    return "\n".join(text_of(message.content) for message in messages)


@pytest.mark.asyncio
async def test_within_budget_the_same_list_comes_back_and_nobody_is_asked() -> None:
    llm = ScriptedLLM([])
    history = _run(3)
    assert await ContextGuard(10_000, compact_llm=llm).check_and_compact(history) is history
    assert llm.requests == []


@pytest.mark.asyncio
async def test_the_oldest_rounds_become_a_summary_and_the_newest_stay_word_for_word() -> None:
    llm = ScriptedLLM(["Rounds 0 to 6 found a train at 29 euros."])
    history = _run(10)
    guard = ContextGuard(1_000, compact_llm=llm)
    after = await guard.check_and_compact(history, hint="react_iteration")
    assert after[:3] == [_SYSTEM, UserMessage(f"{SUMMARY_HEADER}\nRounds 0 to 6 found a train at 29 euros."), _QUERY]
    assert after[3:] == history[-len(after[3:]) :]
    assert len(after) > 5
    assert broken_rule(after) is None
    assert guard.tokens(after) <= 1_000


@pytest.mark.asyncio
async def test_the_summary_is_one_flat_text_that_the_next_one_replaces() -> None:
    llm = ScriptedLLM(["The price is 29.", "The price is 29, the seat 7."])
    guard = ContextGuard(1_000, compact_llm=llm)
    once = await guard.check_and_compact(_run(10))
    twice = await guard.check_and_compact([*once, *_run(10)[2:]])
    assert [text for message in twice if (text := summary_text(message))] == ["The price is 29, the seat 7."]
    asked = _said(llm.requests[1].messages)
    assert "The price is 29." in asked
    assert SUMMARY_HEADER not in asked


@pytest.mark.asyncio
async def test_a_model_that_repeats_the_header_does_not_nest_it() -> None:
    llm = ScriptedLLM([f"{SUMMARY_HEADER}\nThe price is 29."])
    after = await ContextGuard(1_000, compact_llm=llm).check_and_compact(_run(10))
    assert _said(after).count(SUMMARY_HEADER) == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("hint", "keep"),
    [
        ("react_iteration", "the goal"),
        ("planner_input", "intent evolved"),
        ("step_dependency", "figures"),
        ("general", "facts, decisions"),
    ],
)
async def test_the_hint_chooses_what_the_summary_keeps(hint: str, keep: str) -> None:
    llm = ScriptedLLM(["short"])
    await ContextGuard(1_000, compact_llm=llm).check_and_compact(_run(10), hint=hint)
    system, request = llm.requests[0].messages
    assert keep in text_of(system.content)
    assert "language of the conversation" in text_of(system.content)
    assert "Which train is the cheapest?" in text_of(request.content)
    assert "result 0: word" in text_of(request.content)


@pytest.mark.asyncio
async def test_an_unknown_hint_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="react_iteration"):
        await ContextGuard(100).check_and_compact([], hint="summary")


@pytest.mark.asyncio
async def test_what_a_summary_cost_is_known() -> None:
    llm = ScriptedLLM(["short"])
    after = await ContextGuard(1_000, compact_llm=llm).check_and_compact(_run(10))
    usage = summary_usage(after)
    assert usage.calls == 1
    assert (usage.prompt_tokens or 0) > 100


@pytest.mark.asyncio
async def test_without_a_model_what_goes_leaves_a_line_each() -> None:
    after = await ContextGuard(1_500).check_and_compact(_run(20, "the platform is 9 " * 20))
    [summary] = [text for message in after if (text := summary_text(message))]
    assert "- result of look: result 0: the platform is 9" in summary


@pytest.mark.asyncio
async def test_earlier_questions_may_go_but_the_latest_stays() -> None:
    earlier: list[Message] = [UserMessage("old question " * 50), AssistantMessage("old answer " * 50)] * 10
    after = await ContextGuard(600).check_and_compact([_SYSTEM, *earlier, _QUERY])
    assert after[-1] is _QUERY
    assert after[0] is _SYSTEM


@pytest.mark.asyncio
async def test_a_message_that_is_too_long_by_itself_is_cut_also_within_budget() -> None:
    history = [*_run(1), *_round(2, "x" * 80_000)]
    guard = ContextGuard(10**6)
    after = await guard.check_and_compact(history)
    assert after[:-1] == history[:-1]
    assert len(text_of(after[-1].content)) <= 50_000
    assert "characters left out" in text_of(after[-1].content)
    assert await guard.check_and_compact(after) is after


@pytest.mark.asyncio
async def test_a_last_round_that_fits_nowhere_is_cut_to_fit() -> None:
    history = [*_run(2), *_round(9, "y" * 40_000)]
    guard = ContextGuard(2_000)
    after = await guard.check_and_compact(history)
    assert isinstance(after[-1], ToolMessage)
    assert after[-1].tool_call_id == "c9"
    assert "characters left out" in after[-1].content
    assert guard.tokens(after) <= 2_000


@pytest.mark.asyncio
async def test_long_arguments_of_a_call_are_cut_as_well() -> None:
    wrote = AssistantMessage("", [ToolCall("c1", "write", {"text": "z" * 90_000})])
    after = await ContextGuard(10**6).check_and_compact([_SYSTEM, _QUERY, wrote, ToolMessage("ok", "c1", "write")])
    call = after[2]
    assert isinstance(call, AssistantMessage)
    assert len(call.tool_calls[0].arguments["text"]) <= 50_000


@pytest.mark.asyncio
async def test_interrupts_give_way_at_half_the_budget_the_oldest_first_and_are_named() -> None:
    interrupts = [
        UserMessage(f"{INTERRUPT_HEADER}\nnumber {number} {'please mind this ' * 60}", pinned=True)
        for number in range(12)
    ]
    guard = ContextGuard(1_200)
    after = await guard.check_and_compact([_SYSTEM, _QUERY, *interrupts])
    assert _QUERY in after
    kept = [message for message in after if isinstance(message, UserMessage) and message.pinned]
    assert guard.tokens(kept) <= 600
    said = _said(after)
    assert 'The user had added: "number 0 please mind this' in said
    assert "characters left out" in said
    assert "number 11" in text_of(kept[-1].content)


@pytest.mark.asyncio
async def test_one_long_interrupt_keeps_as_much_as_there_is_room_for() -> None:
    interrupt = UserMessage(f"{INTERRUPT_HEADER}\n{'please mind this ' * 2_000}", pinned=True)
    guard = ContextGuard(2_000)
    after = await guard.check_and_compact([_SYSTEM, _QUERY, interrupt])
    assert after[:2] == [_SYSTEM, _QUERY]
    assert 800 < guard.tokens(after) <= 1_010
    assert text_of(after[2].content).startswith(f"{INTERRUPT_HEADER}\nplease mind")
    assert "characters left out" in text_of(after[2].content)


@pytest.mark.asyncio
async def test_prompt_and_question_that_do_not_fit_are_told_with_their_numbers() -> None:
    tools = (ToolSpec("look", "Look something up. " * 20, {"type": "object"}),)
    with pytest.raises(
        ContextTooSmall, match=r"system prompt has about \d+ .* schemas \d+ and the question \d+"
    ) as told:
        await ContextGuard(100).check_and_compact(
            [_SYSTEM, UserMessage("why? " * 200, pinned=True), AssistantMessage("hm")], tools=tools
        )
    assert "room for 100" in str(told.value)


@pytest.mark.asyncio
async def test_tool_schemas_count() -> None:
    history = _run(6)
    guard = ContextGuard(ContextGuard(1).tokens(history) + 10)
    assert await guard.check_and_compact(history) is history
    tools = (ToolSpec("look", "Look something up. " * 20, {"type": "object"}),)
    assert await guard.check_and_compact(history, tools=tools) is not history


def test_the_budget_is_the_window_less_the_output_but_never_tiny() -> None:
    assert ContextGuard.for_llm(ScriptedLLM([], context_size=128_000, max_output_tokens=4_096)).budget == 123_904
    assert ContextGuard.for_llm(ScriptedLLM([], context_size=8_000, max_output_tokens=8_000)).budget == 4_000
    assert ContextGuard.for_llm(ScriptedLLM([], context_size=2_000, max_output_tokens=2_000)).budget == 1_000


@pytest.mark.asyncio
async def test_reports_make_the_guard_compact_earlier() -> None:
    history = _run(6)
    guard = ContextGuard(2 * ContextGuard(1).tokens(history))
    assert await guard.check_and_compact(history) is history
    guard.observe(history, (), 3 * guard.tokens(history))
    assert await guard.check_and_compact(history) is not history


@pytest.mark.asyncio
async def test_after_an_overflow_the_same_history_is_too_long() -> None:
    history = _run(6)
    guard = ContextGuard(10**6)
    guard.overflowed(history)
    after = await guard.check_and_compact(history)
    assert len(after) < len(history)
    assert guard.tokens(after) <= guard.budget < 10**6


def test_an_overflow_of_what_cannot_be_made_shorter_teaches_nothing() -> None:
    guard = ContextGuard(10**6)
    guard.overflowed([SystemMessage("Be brief."), UserMessage("q " * 500, pinned=True)])
    assert guard.budget == 10**6


@pytest.mark.asyncio
async def test_one_guard_serves_conversations_in_turn() -> None:
    guard = ContextGuard(1_000)
    long, short = _run(20), _run(1)
    for _ in range(2):
        assert await guard.check_and_compact(short) is short
        assert await guard.check_and_compact(long) is not long


@pytest.mark.asyncio
async def test_the_summariser_gets_no_more_than_its_own_window() -> None:
    llm = ScriptedLLM(["short"], context_size=2_000, max_output_tokens=500)
    await ContextGuard(20_000, compact_llm=llm).check_and_compact(_run(40, "word " * 1_000))
    [request] = llm.requests
    assert ContextGuard(1).tokens(request.messages) + (request.max_tokens or 0) <= 2_000
