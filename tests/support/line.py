"""The way between a browser and a service, which a test can cut."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["Line", "line_to"]


class Line:
    """Passes on what comes to its port."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self.port = 0

    async def mend(self) -> None:
        """Let connections through."""
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Break all connections, and let none through."""
        if self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        while self._writers:  # noqa: ASYNC110 - each leaves by itself
            await asyncio.sleep(0.005)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        away_reader, away_writer = await asyncio.open_connection("127.0.0.1", self._target)
        both = {writer, away_writer}
        self._writers |= both
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_pass_on(reader, away_writer))
                group.create_task(_pass_on(away_reader, writer))
        finally:
            self._writers -= both


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass  # what was cut
    finally:
        writer.close()


@asynccontextmanager
async def line_to(port: int) -> AsyncIterator[Line]:
    """A line to a port of this machine, until the block is left."""
    line = Line(port)
    await line.mend()
    try:
        yield line
    finally:
        await line.cut()
