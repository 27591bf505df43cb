"""What the cases state about structured output."""

from __future__ import annotations

from typing import Any

import pytest

from actloop.errors import StructuredOutputError
from actloop.llm import StructuredCallResult, structured_llm_call
from actloop.messages import UserMessage
from actloop.testing import ScriptedLLM
from tests.cases.keeping import keeps
from tests.cases.loading import own_cases
from tests.cases.run_structured import scripted


def _given(case_id: str) -> dict[str, Any]:
    return next(case for case in own_cases() if case.id == case_id).input


async def _ask(llm: ScriptedLLM, given: dict[str, Any]) -> StructuredCallResult[Any]:
    return await structured_llm_call(llm, [UserMessage("go")], given["schema"], "result")


@keeps("C060", "three requests were made", "usage is the sum of all levels that reported one")
@pytest.mark.asyncio
async def test_three_levels_cost_three_requests_and_the_usage_of_those_that_reported_one() -> None:
    given = _given("C060")
    llm = scripted(given)
    result = await _ask(llm, given)

    assert len(llm.requests) == result.llm_calls == 3
    assert (result.total_usage.prompt_tokens, result.total_usage.completion_tokens) == (20, 10)
    assert result.total_usage.calls == 2, "the refused request reported nothing"


@keeps("C060", "if the third level fails as well, one typed error tells all three reasons")
@pytest.mark.asyncio
async def test_one_error_tells_the_reasons_of_all_levels() -> None:
    given = _given("C060")
    given = {**given, "model_turns": [*given["model_turns"][:2], "plain: 'I cannot.'", "plain: 'I cannot.'"]}
    with pytest.raises(StructuredOutputError) as raised:
        await _ask(scripted(given), given)

    levels = {attempt.level: attempt.reason for attempt in raised.value.attempts}
    assert set(levels) == {"native", "json_mode", "plain_text"}
    assert "cut off" in levels["native"]
    assert "response_format is not supported" in levels["json_mode"]
    assert "no JSON" in levels["plain_text"]
    assert all(reason in str(raised.value) for reason in levels.values())


@keeps(
    "C061",
    "no KeyError",
    "the second request names 'apple' and 'pear'",
    "the object with the wrong fields is refused, not trimmed to fit",
)
@pytest.mark.asyncio
async def test_a_wrong_variant_is_refused_and_the_variants_are_named() -> None:
    given = _given("C061")
    llm = scripted({**given, "abilities": {"json_mode": True}})
    result = await _ask(llm, given)

    assert len(llm.requests) == 3
    asked_again = str(llm.requests[1].messages[-1].content)
    assert "apple" in asked_again
    assert "pear" in asked_again
    assert result.value == {"kind": "pear", "w": 2}
