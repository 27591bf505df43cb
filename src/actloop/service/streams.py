"""One reader of one run's events: from an offset to the end, in chunks, with nothing kept for a reader that waits."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Sequence

from actloop.service import sse
from actloop.service.runs.event_log import EventLog
from actloop.service.runs.runner import Runner
from actloop.service.store.database import StoreError
from actloop.service.store.events import StoredEvent
from actloop.service.store.runs import Run, RunStore

__all__ = ["follow"]

_logger = logging.getLogger(__name__)

_PAGE = 256
_CHUNK_BYTES = 16 * 1024


async def follow(
    run: Run, after: int | None, *, log: EventLog, runs: RunStore, runner: Runner
) -> AsyncGenerator[bytes]:
    """Yield the events after number ``after`` as server-sent events, as they come; ends after ``done``.

    An offset that is no number of this run gives a ``reset`` first, then everything. When the database fails the stream
    ends before its time, and the reader comes back for the rest.
    """
    gone = True
    runner.attached(run.id)
    try:
        if after is None or (after and after > await log.last_number(run.id)):
            yield sse.RESET
            after = 0
        page, ended = _PAGE, False
        while True:
            if events := await log.read(run.id, after, page):
                chunk, taken = _joined(events)
                after = events[taken - 1].seq
                last = events[taken - 1].name == "done"
                page = min(_PAGE, 2 * taken)  # large events are read a few at a time, since the rest is let go
                del events
                for start in range(0, len(chunk), _CHUNK_BYTES):  # what is on its way to a reader is bounded
                    yield chunk if len(chunk) <= _CHUNK_BYTES else chunk[start : start + _CHUNK_BYTES]
                if last:
                    break
            elif ended:
                break
            elif not await log.more(run.id, after):
                now = await runs.get(run.id, run.owner)
                ended = now is None or now.status != "running"
        gone = False
    except StoreError as error:
        _logger.warning("a stream ends early: %s", error, extra={"run_id": run.id})
        gone = False
    finally:
        if gone:
            runner.detached(run.id)


def _joined(events: Sequence[StoredEvent]) -> tuple[bytes, int]:
    """As many events as make a chunk, at least one, and how many these are."""
    frames: list[bytes] = []
    size = 0
    for event in events:
        if (frame := event.frame) is None:
            frame = event.frame = sse.frame(event.seq, event.name, event.data)
        if frames and size + len(frame) > _CHUNK_BYTES:
            break
        frames.append(frame)
        size += len(frame)
    return frames[0] if len(frames) == 1 else b"".join(frames), len(frames)
