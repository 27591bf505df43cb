"""The prompt at which a person types a question: line editing and history by Python's readline."""

from __future__ import annotations

import contextlib
import readline
from pathlib import Path
from typing import Self

__all__ = ["Prompt"]

_HISTORY_LINES = 1000
_TEXT = "\001\x1b[1m\002› \001\x1b[0m\002"
"""Bold; readline does not count what stands between \\001 and \\002."""


class Prompt:
    """Asks for lines and keeps what was typed in a file, for the arrow keys. A file that cannot be used is no error."""

    def __init__(self, history: Path) -> None:
        self._history = history
        self._beginning = ""

    def __enter__(self) -> Self:
        with contextlib.suppress(OSError):
            readline.read_history_file(self._history)
        readline.set_history_length(_HISTORY_LINES)
        readline.set_startup_hook(self._insert_beginning)
        return self

    def __exit__(self, *exc_info: object) -> None:
        readline.set_startup_hook(None)
        with contextlib.suppress(OSError):
            self._history.parent.mkdir(parents=True, exist_ok=True)
            self._history.touch(mode=0o600)
            readline.write_history_file(self._history)

    def begin_with(self, text: str) -> None:
        """Let the next line begin with ``text``, which the person can go on with."""
        self._beginning = text

    def ask(self) -> str | None:
        """Return the next line that is not empty, or None to leave: Ctrl-D, or Ctrl-C on an empty line."""
        while True:
            try:
                line = input(_TEXT).strip()
            except EOFError:
                print()
                return None
            except KeyboardInterrupt:
                print()
                if not readline.get_line_buffer():
                    return None
                continue
            if line:
                return line

    def _insert_beginning(self) -> None:
        readline.insert_text(self._beginning)
        self._beginning = ""
