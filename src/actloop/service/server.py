"""`serve`: the application on a socket, from the first request to the last event of a shutdown."""

from __future__ import annotations

import asyncio
import resource
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import uvicorn

from actloop.config.service_settings import ServiceSettings
from actloop.errors import ConfigError
from actloop.service.app import create_app
from actloop.service.auth import check_address
from actloop.service.connection import Connection
from actloop.service.parts import Parts, running_parts
from actloop.service.runs.runner import AgentFactory

__all__ = ["Server", "serve"]

_SHUTDOWN_SECONDS = 15
_OPEN_FILES = 65_536


class Server(uvicorn.Server):
    """A server that interrupts its runs first when it is to end, so that each open stream ends with ``done``."""

    def __init__(self, parts: Parts) -> None:
        settings = parts.settings
        super().__init__(
            uvicorn.Config(
                create_app(parts),
                host=settings.host,
                port=settings.port,
                http=Connection,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            )
        )
        self._parts = parts

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the runs, then the connections."""
        closing = asyncio.create_task(self._parts.runner.close())
        while not closing.done() and not self.force_exit:
            await asyncio.wait({closing}, timeout=0.1)
        if closing.cancel():
            await asyncio.wait({closing})
        else:
            await closing
        self._parts.streams.end_soon()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end; a second Ctrl-C does not wait. Unlike in uvicorn's own, the signal is not raised again."""
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def serve(settings: ServiceSettings, agents: AgentFactory, *, on_ready: Callable[[str], None]) -> None:
    """Serve until SIGTERM or Ctrl-C. ``on_ready`` gets the address once there is one.

    Raises `ConfigError` for an address that would be open without a key, or that is in use, and for a SQLite file that
    another service uses; `StoreError` when the database cannot be used.
    """
    _allow_many_connections()
    asyncio.run(_serve(settings, agents, on_ready))


async def _serve(settings: ServiceSettings, agents: AgentFactory, on_ready: Callable[[str], None]) -> None:
    async with running_parts(settings, agents) as parts:
        check_address(settings.host, locked=parts.locked)
        with _listening(settings) as listener:
            host = f"[{settings.host}]" if ":" in settings.host else settings.host
            on_ready(f"http://{host}:{listener.getsockname()[1]}")
            await Server(parts).serve([listener])


def _allow_many_connections() -> None:
    """Raise the limit of open files: each stream is one, and what systems begin with is often 256 or 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        with suppress(ValueError, OSError):  # macOS has a limit beside the one it tells
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _listening(settings: ServiceSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host.strip("[]"), settings.port), family=family, backlog=2048)
    except OSError as error:
        raise ConfigError(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}.") from error
