"""What a person types while the agent works: read without echo, line by line, beside the rest of the event loop."""

from __future__ import annotations

import asyncio
import codecs
import os
import re
import termios
import tty
from collections.abc import Callable
from typing import Self

__all__ = ["Keyboard", "TypedLine"]

_KEY_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?")
"""What arrow and function keys send (xterm's control sequences, "PC-Style Function Keys"); and a lone escape."""


class TypedLine:
    """The line that is being typed (pure): keys in, whole lines out."""

    def __init__(self) -> None:
        self.text = ""

    def feed(self, keys: str) -> list[str]:
        """Take what was typed; return the lines that were ended by it, without empty ones."""
        lines: list[str] = []
        for key in _KEY_SEQUENCE.sub("", keys):
            match key:
                case "\r" | "\n":
                    lines.append(self.text.strip())
                    self.text = ""
                case "\x7f" | "\b":
                    self.text = self.text[:-1]
                case "\x15":  # Ctrl-U
                    self.text = ""
                case "\x17":  # Ctrl-W
                    self.text = self.text.rstrip()[: self.text.rstrip().rfind(" ") + 1]
                case _:
                    self.text += key if key.isprintable() else ""
        return [line for line in lines if line]


class Keyboard:
    """Puts what is typed at a terminal into ``line``, and hands over each whole line. Ctrl-C stays a signal."""

    def __init__(self, terminal: int, line: TypedLine, on_line: Callable[[str], None]) -> None:
        self._terminal = terminal
        self._on_line = on_line
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = line

    def __enter__(self) -> Self:
        self._settings = termios.tcgetattr(self._terminal)
        tty.setcbreak(self._terminal, termios.TCSANOW)
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._terminal, self._read)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._loop.remove_reader(self._terminal)
        termios.tcsetattr(self._terminal, termios.TCSANOW, self._settings)

    def _read(self) -> None:
        data = os.read(self._terminal, 4096)
        if not data:  # the terminal is gone
            self._loop.remove_reader(self._terminal)
        for line in self._line.feed(self._decoder.decode(data)):
            self._on_line(line)
