"""Run a blocking function beside the event loop, in a thread of its own.

Not in a shared pool: a few tools that hang would fill it and starve all others, and its threads would keep the
interpreter from exiting. A thread started here is a daemon, knows the caller's context variables, and when nobody
waits for it any more its result is dropped.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["run_in_thread"]

T = TypeVar("T")


async def run_in_thread(function: Callable[[], T], *, name: str) -> T:
    """Return what ``function()`` returns, or raise what it raises. ``name`` names the thread.

    Python cannot stop a thread: on cancellation the wait ends at once and the function runs on to its end, unseen.
    """
    loop = asyncio.get_running_loop()
    context = contextvars.copy_context()
    outcome: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()

    def work() -> None:
        try:
            result: tuple[Any, BaseException | None] = (context.run(function), None)
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
            result = (None, error)
        try:
            loop.call_soon_threadsafe(_settle, outcome, result)
        except RuntimeError:  # the loop is closed: nobody waits any more
            return

    threading.Thread(target=work, name=name, daemon=True).start()
    value, error = await outcome
    if error is not None:
        raise error
    return value  # type: ignore[no-any-return]


def _settle(
    outcome: asyncio.Future[tuple[Any, BaseException | None]], result: tuple[Any, BaseException | None]
) -> None:
    if not outcome.done():
        outcome.set_result(result)
