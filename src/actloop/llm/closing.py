"""Close a stream of deltas for sure, however its reader leaves."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from actloop.llm.base import Delta

__all__ = ["closing"]


@asynccontextmanager
async def closing(stream: AsyncIterator[Delta]) -> AsyncGenerator[AsyncIterator[Delta], None]:
    """The stream, closed on the way out if it can be; the `LLM` protocol promises an iterator, most are generators."""
    try:
        yield stream
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
