"""The prompt: when a person leaves it, and what it keeps.

`input` is replaced here: Python's readline loses a Ctrl-C that comes while it handles a key, so a test that presses
keys at a terminal would fail now and then.
"""

from __future__ import annotations

import readline
from collections.abc import Iterator
from pathlib import Path

import pytest

from actloop.cli.prompt import Prompt


def typing(monkeypatch: pytest.MonkeyPatch, *acts: str | type[BaseException], line: str = "") -> None:
    """Let each call of `input` return or raise the next of ``acts``; ``line`` is what stands on the line at Ctrl-C."""
    coming: Iterator[str | type[BaseException]] = iter(acts)

    def read(prompt: str) -> str:
        act = next(coming)
        if isinstance(act, str):
            return act
        raise act

    monkeypatch.setattr("builtins.input", read)
    monkeypatch.setattr(readline, "get_line_buffer", lambda: line)


def test_empty_lines_are_no_questions(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    typing(monkeypatch, "", "  ", " Why? ")
    assert Prompt(tmp_path / "history").ask() == "Why?"


def test_ctrl_d_and_ctrl_c_on_an_empty_line_leave(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    typing(monkeypatch, EOFError)
    assert Prompt(tmp_path / "history").ask() is None
    typing(monkeypatch, KeyboardInterrupt)
    assert Prompt(tmp_path / "history").ask() is None


def test_ctrl_c_on_a_line_only_drops_the_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    typing(monkeypatch, KeyboardInterrupt, "Why?", line="half a line")
    assert Prompt(tmp_path / "history").ask() == "Why?"


def test_lines_are_kept_for_the_next_time_and_for_nobody_else(tmp_path: Path) -> None:
    history = tmp_path / "new" / "history"
    with Prompt(history):
        readline.add_history("Why?")
    assert "Why?" in history.read_text(encoding="utf-8")
    assert history.stat().st_mode & 0o077 == 0


def test_a_history_that_cannot_be_kept_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Prompt(tmp_path / "file" / "history"):
        readline.add_history("Why?")
