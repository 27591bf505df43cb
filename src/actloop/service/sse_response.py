"""Server-sent events as an ASGI response, made for many readers at once: a piece costs one call of ``send``.

A library's response costs several tasks a reader and a scope of cancellation a piece, which is more than all else that
is done for a piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from actloop.service import sse

__all__ = ["OpenStreams", "SseResponse"]

_SEND_SECONDS = 300.0
"""A reader that takes nothing for so long is let go; it may come back for the rest."""

_GRACE_SECONDS = 5.0
"""How long a stream may go on when the service ends: its run is interrupted meanwhile, and it ends with ``done``."""


class OpenStreams(set["SseResponse"]):
    """The streams that are being read now."""

    def end_soon(self) -> None:
        """The service ends: what has not ended by itself after a while is broken off."""
        loop = asyncio.get_running_loop()
        for stream in self:
            loop.call_later(_GRACE_SECONDS, stream.end)


class SseResponse(Response):
    """Sends each chunk as it comes, and a comment every ``heartbeat`` seconds, so that the connection stays open.

    chunks: whole events; closed when the response ends, however it ends: after the last one, when the reader goes, when
    it takes nothing for ``send_seconds``, or by `end`.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        chunks: AsyncGenerator[bytes],
        *,
        streams: OpenStreams,
        heartbeat: float,
        headers: Mapping[str, str],
        send_seconds: float = _SEND_SECONDS,
        status_code: int = 200,  # FastAPI looks for it here when it describes the address
    ) -> None:
        self.status_code = status_code
        self.background = None
        self.init_headers({**sse.HEADERS, **headers})
        self._chunks = chunks
        self._streams = streams
        self._heartbeat = heartbeat
        self._most_silent = max(1.0, send_seconds / heartbeat)
        self._lasting = asyncio.timeout(None)
        self._waiting = 0  # sends that have not returned
        self._silent = 0  # heartbeats since one last did
        self._ping: asyncio.Task[None] | None = None
        self._beating: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond, until the end or until the reader goes."""
        listening = asyncio.create_task(_until_gone(receive))
        try:
            async with self._lasting:
                self._streams.add(self)
                listening.add_done_callback(self._gone)
                self._beat_later(send)
                await self._send_all(send)
        except TimeoutError:
            if not self._lasting.expired():
                raise
        finally:
            self._streams.discard(self)
            listening.remove_done_callback(self._gone)
            for waiting in (listening, self._beating, self._ping):
                if waiting is not None:
                    waiting.cancel()
            await self._chunks.aclose()

    def end(self) -> None:
        """Break it off, if it has not ended."""
        if self in self._streams:
            self._lasting.reschedule(0.0)

    async def _send_all(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for chunk in self._chunks:
            await self._put(send, chunk)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _put(self, send: Send, chunk: bytes) -> None:
        self._waiting += 1
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
        self._waiting -= 1
        self._silent = 0

    def _beat_later(self, send: Send) -> None:
        self._beating = asyncio.get_running_loop().call_later(self._heartbeat, self._beat, send)

    def _beat(self, send: Send) -> None:
        self._beat_later(send)
        self._silent += 1
        if not self._waiting:
            self._ping = asyncio.create_task(self._put(send, sse.PING))
        elif self._silent > self._most_silent:
            self.end()

    def _gone(self, listening: asyncio.Task[None]) -> None:
        """The reader went, or sends what it may not, which is an error of its own and no news for the log."""
        if not listening.cancelled():
            listening.exception()
        self.end()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
