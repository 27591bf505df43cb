"""Waiting for the next piece of a stream, but not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

__all__ = ["StallWatch"]

T = TypeVar("T")


class StallWatch:
    """Ends a wait that takes longer than ``seconds``. One timer serves a whole stream; a scope for each piece of it
    (`asyncio.timeout`) costs more than the piece. Close it in the end.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Task[object] | None = None
        self._since = 0.0
        self._stalled = False
        self._timer = self._loop.call_later(seconds, self._look)

    async def wait_for(self, piece: Awaitable[T]) -> T:
        """Return ``piece`` when it is there. Raises `TimeoutError` when it takes too long."""
        task = asyncio.current_task()
        assert task is not None, "whoever waits is a task"
        self._waiting, self._since, asked = task, self._loop.time(), task.cancelling()
        try:
            return await piece
        except asyncio.CancelledError as error:
            if self._stalled and task.cancelling() == asked + 1:  # nobody else asked to cancel it meanwhile
                raise TimeoutError from error
            raise
        finally:
            self._waiting = None
            if self._stalled:
                self._stalled = False
                task.uncancel()

    def close(self) -> None:
        """Watch no longer."""
        self._timer.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        began = now if self._waiting is None else self._since
        if self._waiting is not None and now >= began + self._seconds:
            self._stalled = True
            self._waiting.cancel()
            began = now
        self._timer = self._loop.call_at(began + self._seconds, self._look)
