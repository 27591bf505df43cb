"""Counting tokens without a tokenizer. The true counts are those of Qwen2.5's tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.context import estimate_tokens
from actloop.context.tokens import Calibration, TokenCount, count_message, count_text, count_tools
from actloop.messages import AssistantMessage, ImagePart, TextPart, ToolCall, ToolMessage, ToolSpec, UserMessage

_ENGLISH = (
    "The committee met on Tuesday to discuss the budget for next year. Several members raised concerns about rising "
    "energy prices, and the chair promised to present a revised plan before the end of the month. "
)
_CODE = (
    "function add(a, b) {\n  const result = a + b;\n  if (result > 10) {\n    console.log(`big ${result}`);\n  }\n}\n"
)
_CHINESE = "请帮我总结这份合同里的付款条款和违约责任，并且说明哪一方需要在三十天之内完成交付。"
_JAPANESE = (
    "この契約書の支払い条件と違約責任をまとめて、"
    "どちらの当事者が三十日以内に納品を完了する必要があるかを説明してください。"
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [(_ENGLISH * 5, 191), (_CODE * 8, 304), (_CHINESE * 6, 144), (_JAPANESE * 5, 190)],
    ids=["English", "code", "Chinese", "Japanese"],
)
def test_the_estimate_is_near_before_anything_is_known(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == pytest.approx(tokens, rel=0.2)


def test_digits_and_punctuation_cost_more_than_words() -> None:
    assert estimate_tokens('{"id": 48213, "price": 19.99}') > estimate_tokens("a sentence of the same length")


@given(st.text(max_size=300), st.text(max_size=300))
def test_more_text_is_never_fewer_tokens_by_much(one: str, other: str) -> None:
    """Spaces between words make text cheaper, but only a little."""
    together = count_text(one + other)
    assert together.narrow + together.wide >= 0.8 * (count_text(one).narrow + count_text(one).wide) - 1


def test_calls_images_and_tools_count() -> None:
    plain = count_message(AssistantMessage("hm"))
    calling = count_message(AssistantMessage("hm", [ToolCall("c1", "write", {"text": "word " * 100})]))
    assert calling.narrow - plain.narrow > 90
    assert count_message(UserMessage([TextPart("look"), ImagePart("https://example.org/a.png")])).flat >= 250
    schema = {"type": "object", "properties": {f"field{number}": {"type": "string"} for number in range(20)}}
    assert count_tools([ToolSpec("t", "d", schema)]).narrow > 200


def test_a_message_is_counted_once_in_its_life() -> None:
    message = ToolMessage("x" * 1_000, "c1")
    first = count_message(message)
    assert message.memo
    assert count_message(message) == first


def test_reports_correct_the_estimate_for_each_script_by_itself() -> None:
    """A tokenizer that needs 1.2 times as many tokens for English and 3 times as many for Chinese."""
    calibration = Calibration()

    def report(english: int, chinese: int) -> float:
        count = TokenCount(narrow=english, wide=chinese)
        truth = 1.2 * english + 3 * chinese
        error = calibration.tokens(count) / truth - 1
        calibration.observe(count, round(truth))
        return abs(error)

    assert report(500, 0) > 0.15
    assert report(600, 0) < 0.01
    assert report(600, 400) > 0.15
    assert report(650, 900) < 0.15
    assert report(3_000, 20) < 0.02
    assert report(20, 3_000) < 0.02


@pytest.mark.parametrize("nonsense", [None, 0, -3, 1, 10_000_000])
def test_reports_that_cannot_be_are_ignored(nonsense: int | None) -> None:
    calibration = Calibration()
    count = TokenCount(narrow=1_000)
    calibration.observe(count, nonsense)
    assert calibration.tokens(count) == 1_000


@given(st.lists(st.tuples(st.floats(0, 1e5), st.floats(0, 1e5), st.integers(0, 10**6)), max_size=20))
def test_no_sequence_of_reports_makes_the_estimate_absurd(reports: list[tuple[float, float, int]]) -> None:
    calibration = Calibration()
    for narrow, wide, reported in reports:
        calibration.observe(TokenCount(narrow, wide), reported)
    assert 300 <= calibration.tokens(TokenCount(narrow=1_000)) <= 7_000
    assert 300 <= calibration.tokens(TokenCount(wide=1_000)) <= 7_000
