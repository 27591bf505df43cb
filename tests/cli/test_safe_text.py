"""Orders for the terminal that hide in text do not reach it; the words do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.cli.safe_text import one_line, safe_text


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("\x1b[31mred\x1b[0m and \x1b[2J\x1b[1;1Hhome", "red and home"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]52;c;Y2xpcGJvYXJk\x1b\\text", "text"),
        ("\x1bP1;2|dcs\x1b\\text\x1b(B", "text"),
        ("\x9b31mred\x9d0;title\x9c", "red"),
        ("\x1b[unfinished", "nfinished"),
        ("bell\x07 back\x08 null\x00 del\x7f", "bell back null del"),
        ("old\rnew\r\nline\u2028end", "old\nnew\nline\nend"),
        ("left \u202eright", "left right"),
        ("tab\tstays, é 漢 🙂 too", "tab\tstays, é 漢 🙂 too"),
        ("lone \udc97", "lone \ufffd"),
    ],
    ids=range(11),
)
def test_only_words_are_left(text: str, harmless: str) -> None:
    assert safe_text(text) == harmless


@given(st.text(st.characters(codec=None)) | st.text("\x1b\x9b\x9d[];0m\x07\\\r\nab"))
def test_nothing_a_terminal_obeys_is_left(text: str) -> None:
    safe = safe_text(text)
    assert not [character for character in safe if character < " " and character not in "\n\t"]
    assert not {"\x1b", "\x7f", "\x85", "\x9b", "\u2028", "\u202e"} & set(safe)
    assert safe_text(safe) == safe
    safe.encode()


def test_one_line_is_cut_where_the_room_ends() -> None:
    assert one_line("a\n  b\tc", 10) == "a b c"
    assert one_line("0123456789ab", 10) == "012345678…"
    assert one_line(" " * 1_000_000 + "x", 10) == "…"
