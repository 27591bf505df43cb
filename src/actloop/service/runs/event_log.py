"""The log in motion: runs add to it without waiting, one task writes, and any number of readers follow.

Readers have no queue. Each reads from its own offset, out of the last events that a run keeps in memory or else out of
the database, and is woken when there is more; a reader that stops reading holds nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from actloop.service.runs.run_log import RunLog
from actloop.service.store.database import Conflict, StoreError
from actloop.service.store.events import EventStore, StoredEvent, Written

__all__ = ["EventLog"]

_logger = logging.getLogger(__name__)

_POLL_SECONDS = 1.0
"""How often a run is looked at that another machine writes."""

_LONGEST_RETRY = 5.0

_ENDED = 32
"""How many ended runs keep their last events in memory: all their readers come for them at once."""

_PACE_SECONDS = 0.003
"""From the beginning of one transaction to that of the next, at the least. The pause is never shorter than the work, so
that what comes in the meantime goes into fewer, larger ones when there is much to do."""


class EventLog:
    """The events of all runs: those that this process writes, and those that are only read.

    healthy: whether the last attempt to write worked.
    stored: how many events were written so far.
    """

    def __init__(self, store: EventStore) -> None:
        self._store = store
        self._open: dict[str, RunLog] = {}
        self._ended: dict[str, RunLog] = {}
        self._ready: dict[str, RunLog] = {}
        self._wake = asyncio.Event()
        self.healthy = True
        self.stored = 0

    def open(self, run_id: str, owner: str, *, last_number: int = 0) -> RunLog:
        """Begin to write a run's events, after those it has."""
        log = RunLog(run_id, owner, self._due, last_number=last_number)
        self._open[run_id] = log
        return log

    async def read(self, run_id: str, after: int, limit: int) -> Sequence[StoredEvent]:
        """Up to ``limit`` events that follow number ``after``. Raises `StoreError`."""
        log = self._open.get(run_id) or self._ended.get(run_id)
        if log is not None:
            if (recent := log.recent(after, limit)) is not None:
                return recent
            limit = min(limit, log.first_recent - after - 1)  # the rest is in memory, where readers share it
        return await self._store.read(run_id, after, limit)

    async def last_number(self, run_id: str) -> int:
        """The number of a run's last stored event. Raises `StoreError`."""
        log = self._open.get(run_id)
        return log.stored if log is not None else await self._store.last_number(run_id)

    async def more(self, run_id: str, after: int) -> bool:
        """Wait until there may be events after number ``after``. False when this process does not write the run."""
        log = self._open.get(run_id)
        if log is None:
            await asyncio.sleep(_POLL_SECONDS)
            return False
        if log.stored <= after:
            await log.changed.wait()
        return True

    async def write(self) -> None:
        """Write what the runs add, until cancelled: all that is due goes into one transaction.

        After a pause at once; while there is much to do, at a pace.
        """
        loop, next_one = asyncio.get_running_loop(), 0.0
        while True:
            await self._wake.wait()
            if (wait := next_one - loop.time()) > 0:
                await asyncio.sleep(wait)
            began = loop.time()
            self._wake.clear()
            due, self._ready = self._ready, {}
            if batch := [(log, part) for log in due.values() if (part := log.take()) is not None]:
                await self._write(batch)
            next_one = began + max(_PACE_SECONDS, 2 * (loop.time() - began))

    def _due(self, log: RunLog) -> None:
        self._ready[log.run_id] = log
        self._wake.set()

    async def _write(self, batch: Sequence[tuple[RunLog, Written]]) -> None:
        """Write, and try again for as long as it takes: an event that has a number is not dropped."""
        wait = 0.1
        while True:
            try:
                await self._store.append([part for _, part in batch])
                break
            except Conflict:
                if len(batch) > 1:
                    for one in batch:
                        await self._write([one])
                    return
                log = batch[0][0]
                _logger.warning("the run is gone, and its events with it", extra={"run_id": log.run_id})
                log.when_gone()
                break
            except StoreError as error:
                self.healthy = False
                _logger.error("events wait to be stored: %s", error.reason or error)
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_RETRY)
        self.healthy = True
        for log, part in batch:
            self.stored += len(part.events)
            log.publish(part)
            if part.status is not None:
                self._ended[log.run_id] = self._open.pop(log.run_id)
                if len(self._ended) > _ENDED:
                    del self._ended[next(iter(self._ended))]
