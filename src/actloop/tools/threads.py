"""Run a blocking function beside the event loop, in a thread that nobody else has to wait for.

Not in a pool of fixed size: a few tools that hang would fill it and starve all others, and its threads would keep the
interpreter from exiting. Here a call gets an idle thread or a new one; the threads are daemons, and end when they have
been idle for long.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
import queue
import threading
from collections.abc import Callable
from typing import NoReturn, TypeVar

__all__ = ["run_in_thread"]

T = TypeVar("T")

_IDLE_SECONDS = 20.0

_Job = Callable[[], Callable[[], object]]
"""What a thread does: the work, which returns how to hand over its result."""


async def run_in_thread(function: Callable[[], T]) -> T:
    """Return what ``function()`` returns, or raise what it raises; it sees the caller's context variables.

    Python cannot stop a thread: on cancellation the wait ends at once and the function runs on to its end, unseen.
    """
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    outcome: asyncio.Future[Callable[[], T]] = loop.create_future()

    def job() -> Callable[[], object]:
        try:
            value = context.run(function)
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
            raised = error
            return lambda: _hand_over(loop, outcome, lambda: _raise(raised))
        return lambda: _hand_over(loop, outcome, lambda: value)

    _threads.start(job)
    return (await outcome)()


def _raise(error: BaseException) -> NoReturn:
    raise error


def _hand_over(loop: asyncio.AbstractEventLoop, outcome: asyncio.Future[T], result: T) -> None:
    try:
        loop.call_soon_threadsafe(_settle, outcome, result)
    except RuntimeError:  # the loop is closed: nobody waits any more
        return


def _settle(outcome: asyncio.Future[T], result: T) -> None:
    if not outcome.done():
        outcome.set_result(result)


class _Threads:
    """The idle threads, each as the queue on which it waits for its next job."""

    def __init__(self) -> None:
        self.forget()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        """Begin without threads: a forked child has the list, but not the threads."""
        self._lock = threading.Lock()
        self._idle: list[queue.SimpleQueue[_Job]] = []

    def start(self, job: _Job) -> None:
        """Give ``job`` to the thread that became idle last, or to a new one."""
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = queue.SimpleQueue()
            threading.Thread(target=self._work, args=(inbox,), name="actloop tool", daemon=True).start()
        inbox.put(job)

    def _work(self, inbox: queue.SimpleQueue[_Job]) -> None:
        while True:
            try:
                job = inbox.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if inbox in self._idle:
                        self._idle.remove(inbox)
                        return
                continue  # a job was promised to this thread just now
            hand_over = job()
            del job
            with self._lock:
                self._idle.append(inbox)  # before handing over, so that the next call finds this thread
            hand_over()
            del hand_over


_threads = _Threads()
