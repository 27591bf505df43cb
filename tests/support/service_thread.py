"""A service in a thread of its own, for tests that are not asynchronous themselves."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from actloop.config.service_settings import ServiceSettings
from tests.support.service import ScriptedAgents, serving

__all__ = ["served"]


@contextmanager
def served(settings: ServiceSettings, agents: ScriptedAgents) -> Iterator[str]:
    """Run a service until the block is left; gives its address."""
    ready, address = threading.Event(), ""
    loop: asyncio.AbstractEventLoop | None = None
    leave: asyncio.Event | None = None

    async def work() -> None:
        nonlocal address, loop, leave
        loop, leave = asyncio.get_running_loop(), asyncio.Event()
        async with serving(settings, agents) as service:
            address = service.url
            ready.set()
            await leave.wait()

    thread = threading.Thread(target=asyncio.run, args=(work(),))
    thread.start()
    try:
        assert ready.wait(30)
        yield address
    finally:
        if loop is not None and leave is not None:
            loop.call_soon_threadsafe(leave.set)
        thread.join(30)
