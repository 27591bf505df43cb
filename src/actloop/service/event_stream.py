"""A run's events as a response: what `streams` yields, with heartbeats, in a form that a shutdown can end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from sse_starlette import EventSourceResponse, ServerSentEvent

from actloop.service import sse
from actloop.service.parts import Parts
from actloop.service.store.runs import Run
from actloop.service.streams import follow

__all__ = ["event_stream", "stream_response"]

_SEND_SECONDS = 300.0
"""A reader that takes nothing for so long is let go; it may come back for the rest."""


def event_stream(
    service: Parts, run: Run, after: int | None, headers: Mapping[str, str] | None = None
) -> EventSourceResponse:
    """Return the response that follows ``run`` from an offset of `sse.offset_of`."""
    chunks = follow(run, after, log=service.log, runs=service.runs, runner=service.runner)
    return stream_response(service, chunks, headers)


def stream_response(
    service: Parts, chunks: AsyncGenerator[bytes], headers: Mapping[str, str] | None = None
) -> EventSourceResponse:
    """Return a response of server-sent events with heartbeats, which no proxy may hold back."""
    return EventSourceResponse(
        _counted(service, chunks),
        headers={**sse.HEADERS, **(headers or {})},
        ping=service.settings.heartbeat,
        ping_message_factory=_ping,
        sep="\n",
        send_timeout=_SEND_SECONDS,
        shutdown_grace_period=_GRACE_SECONDS,
    )


async def _counted(service: Parts, chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    service.metrics.streams += 1
    try:
        async with aclosing(chunks):
            async for chunk in chunks:
                yield chunk
    finally:
        service.metrics.streams -= 1


def _ping() -> ServerSentEvent:
    """A comment: keeps an idle connection open, and no reader sees it."""
    return ServerSentEvent(comment="ping", sep="\n")


_GRACE_SECONDS = 5.0
"""How long a stream may go on when the service ends: its run is interrupted meanwhile, and it ends with ``done``."""
