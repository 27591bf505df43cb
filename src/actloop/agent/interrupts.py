"""What a person writes while the agent works waits here until the loop may say it to the model."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Interrupt", "InterruptQueue"]


@dataclass(frozen=True, slots=True)
class Interrupt:
    """One message of a person to a running agent."""

    id: str
    content: str


class InterruptQueue:
    """The waiting messages of one conversation, in the order they came. Safe to use from any thread.

    One run at a time reads it. What no run took stays here, and is the next turn.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._listener: Callable[[Interrupt], None] | None = None
        self._open = False

    @property
    def open(self) -> bool:
        """Whether a run is reading: what is put now still reaches it; else it will be the next turn."""
        return self._open

    def put(self, content: str) -> str:
        """Add a message and return its id. Raises `TypeError` for what is no text."""
        _check_text(content)
        with self._lock:
            id = f"int_{next(self._numbers)}"
            self._waiting[id] = content
        self._tell(id, content)
        return id

    def edit(self, id: str, content: str) -> bool:
        """Replace a message that is still waiting; False when it is not (any more). Raises as `put` does."""
        _check_text(content)
        with self._lock:
            if id not in self._waiting:
                return False
            self._waiting[id] = content
        self._tell(id, content)
        return True

    def take_back(self, id: str) -> bool:
        """Remove a message that is still waiting; False when it is not (any more)."""
        with self._lock:
            return self._waiting.pop(id, None) is not None

    def drain(self) -> list[Interrupt]:
        """Take out everything that waits."""
        if not self._waiting:
            return []
        with self._lock:
            taken = [Interrupt(id, content) for id, content in self._waiting.items()]
            self._waiting.clear()
            return taken

    def waiting(self) -> list[Interrupt]:
        """Everything that waits; it stays."""
        with self._lock:
            return [Interrupt(id, content) for id, content in self._waiting.items()]

    def begin(self, listener: Callable[[Interrupt], None]) -> bool:
        """A run begins to read; ``listener`` hears of each message put or edited. False while another run reads."""
        with self._lock:
            if self._listener is not None:
                return False
            self._listener = listener
            self._open = True
            return True

    def close(self) -> None:
        """The run takes nothing more; its listener still hears what is put."""
        self._open = False

    def end(self) -> None:
        """The run is over: another one may begin."""
        self._open = False
        self._listener = None

    def _tell(self, id: str, content: str) -> None:
        if (listener := self._listener) is not None:
            listener(Interrupt(id, content))


def _check_text(content: object) -> None:
    if not isinstance(content, str):
        raise TypeError(f"a message to an agent is a str, not {content!r}")
