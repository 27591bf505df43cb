"""What a person writes while the agent works waits here until the loop may say it to the model."""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass

__all__ = ["Interrupt", "InterruptQueue"]


@dataclass(frozen=True, slots=True)
class Interrupt:
    """One message of a person to a running agent."""

    id: str
    content: str


class InterruptQueue:
    """The waiting messages of one conversation, in the order they came. Safe to use from any thread."""

    def __init__(self) -> None:
        self._waiting: dict[str, str] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def put(self, content: str) -> str:
        """Add a message and return its id."""
        with self._lock:
            id = f"int_{next(self._numbers)}"
            self._waiting[id] = content
            return id

    def edit(self, id: str, content: str) -> bool:
        """Replace a message that is still waiting; False when it is not (any more)."""
        with self._lock:
            if id not in self._waiting:
                return False
            self._waiting[id] = content
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
