"""Keys become lines, also when they come in pieces or mean something else."""

from __future__ import annotations

from actloop.cli.keyboard import TypedLine


def lines(*pieces: str) -> tuple[list[str], str]:
    """The lines that the pieces make, and what is left on the last one."""
    typed = TypedLine()
    return [line for piece in pieces for line in typed.feed(piece)], typed.text


def test_enter_ends_a_line_and_empty_lines_are_nothing() -> None:
    assert lines("a", "b\r", "\n  \nc") == (["ab"], "c")


def test_backspace_and_the_keys_that_erase_a_word_or_the_line_work() -> None:
    assert lines("abd\x7fc\n") == (["abc"], "")
    assert lines("one two  \x17x") == ([], "one x")
    assert lines("one\x17\x17") == ([], "")
    assert lines("wrong\x15right") == ([], "right")
    assert lines("\x7f\x7f") == ([], "")


def test_arrows_function_keys_and_control_characters_write_nothing() -> None:
    assert lines("a\x1b[A\x1bOP\x1b[15~\x1b[1;5Cb\x00\x01\tc") == ([], "abc")


def test_pasted_lines_come_one_by_one() -> None:
    assert lines("\x1b[200~eins\nzwei ü 漢\n\x1b[201~") == (["eins", "zwei ü 漢"], "")
