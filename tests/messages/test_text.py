"""Text that crosses a border encodes to UTF-8, and cuts say what they cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from actloop.messages import clean_text, shorten


def test_lone_surrogates_are_replaced_and_pairs_are_joined() -> None:
    assert clean_text("a\udc97b") == "a\ufffdb"
    assert clean_text("x\ud83d\ude00y") == "x\U0001f600y"
    assert clean_text("café \U0001f600") == "café \U0001f600"


@given(st.text(st.characters(min_codepoint=0xD7F0, max_codepoint=0xE010)))
def test_cleaned_text_always_encodes(text: str) -> None:
    clean_text(text).encode()
    assert clean_text(clean_text(text)) == clean_text(text)


def test_a_long_text_keeps_head_and_tail_and_says_how_much_went() -> None:
    text = "a" * 75 + "b" * 100 + "c" * 25
    short = shorten(text, 100)
    assert short.startswith("a" * 75 + "\n[")
    assert short.endswith("]\n" + "c" * 25)
    assert "100 characters left out" in short
    assert shorten(text, 200) == text
