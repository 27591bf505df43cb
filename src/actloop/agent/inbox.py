"""What comes into one run from outside: what a person writes, a stop, and the end of a single call."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from actloop.agent import prompts
from actloop.agent.cancellation import Scope
from actloop.agent.events import Emit, InterruptChanged, InterruptStatus
from actloop.agent.interrupts import Interrupt, InterruptQueue
from actloop.messages import UserMessage, clean_text

__all__ = ["Inbox"]


class Inbox:
    """Reads ``queue`` for one run and emits a receipt for each message: queued, delivered, answered or returned.

    stopped: whether the run shall end gracefully.
    thinking: the scope of what a stop gives up, while there is such a thing.
    """

    def __init__(self, queue: InterruptQueue, emit: Emit) -> None:
        self._queue = queue
        self._emit = emit
        self._loop = asyncio.get_running_loop()
        self._delivered: list[tuple[Interrupt, int]] = []
        self._unannounced: deque[Interrupt] = deque()
        self.stopped = False
        self.thinking: Scope | None = None
        self._calls: dict[str, asyncio.Task[Any]] = {}

    def begin(self) -> bool:
        """Start reading; False when another run reads this queue."""
        begun = self._queue.begin(self._queued)
        for interrupt in self._queue.waiting() if begun else ():
            self._receipt(interrupt, "queued")
        return begun

    def drain(self, iteration: int) -> UserMessage | None:
        """Everything that waits as one pinned message, delivered now; None when nothing does."""
        taken = self._queue.drain()
        if not taken:
            return None
        self._announce()
        for interrupt in taken:
            self._delivered.append((interrupt, iteration))
            self._receipt(interrupt, "delivered", iteration)
        text = "\n\n".join(clean_text(interrupt.content) for interrupt in taken)
        return UserMessage(f"{prompts.INTERRUPT_HEADER}\n{text}", pinned=True)

    def close(self) -> None:
        """The loop is over: what comes now is the next turn."""
        self._queue.close()

    def finish(self, *, answered: bool) -> None:
        """The answer is there (or is not): the last receipts. What still waits is handed back as the next turn."""
        self._announce()
        if answered:
            for interrupt, iteration in self._delivered:
                self._receipt(interrupt, "answered", iteration)
        for interrupt in self._queue.waiting():
            self._receipt(interrupt, "returned")

    def end(self) -> None:
        """The run is over, however it ended."""
        self._queue.end()
        self._unannounced.clear()

    def stop(self) -> None:
        """End gracefully: give up a turn that is being thought, let running tools finish, then answer."""
        self.stopped = True
        if self.thinking is not None:
            self.thinking.end()

    def stop_call(self, call_id: str) -> bool:
        """Stop one running call; the others and the run go on. False when no call of that id is running."""
        task = self._calls.pop(call_id, None)
        return task is not None and task.cancel()

    def call_begins(self, call_id: str) -> None:
        """The current task is that of a call, and of nothing else: it may be cancelled from now on."""
        task = asyncio.current_task()
        assert task is not None
        self._calls[call_id] = task

    def runs(self, call_id: str) -> bool:
        """Whether a call of that id is running and was not stopped."""
        return call_id in self._calls

    def call_ends(self, call_id: str) -> None:
        """The call is over, however it ended."""
        self._calls.pop(call_id, None)

    def _queued(self, interrupt: Interrupt) -> None:
        """Somebody put or edited a message, in whatever thread; the receipt follows in the run's own, a moment later.

        Not at once, since who listens to events may be the one who puts.
        """
        self._unannounced.append(interrupt)
        self._loop.call_soon_threadsafe(self._announce)

    def _announce(self) -> None:
        while self._unannounced:
            self._receipt(self._unannounced.popleft(), "queued")

    def _receipt(self, interrupt: Interrupt, status: InterruptStatus, iteration: int | None = None) -> None:
        self._emit(InterruptChanged(interrupt.id, interrupt.content, status, iteration))
