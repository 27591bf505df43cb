"""What is streamed to a reader, as a response of the service."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping

from actloop.service.parts import Parts
from actloop.service.sse_response import SseResponse
from actloop.service.store.runs import Run
from actloop.service.streams import follow

__all__ = ["event_stream", "stream_response"]


def event_stream(service: Parts, run: Run, after: int | None, headers: Mapping[str, str] | None = None) -> SseResponse:
    """Return the response that follows ``run`` from an offset of `sse.offset_of`."""
    chunks = follow(run, after, log=service.log, runs=service.runs, runner=service.runner)
    return stream_response(service, chunks, headers)


def stream_response(
    service: Parts, chunks: AsyncGenerator[bytes], headers: Mapping[str, str] | None = None
) -> SseResponse:
    """Return a response of server-sent events."""
    return SseResponse(chunks, streams=service.streams, heartbeat=service.settings.heartbeat, headers=headers or {})
