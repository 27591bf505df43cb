"""The event log: what every run did, numbered without a gap. It is the truth; all else can be made from it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from actloop.service.store.artifacts import ArtifactStore, NewArtifact
from actloop.service.store.database import Database
from actloop.service.store.runs import Status
from actloop.service.store.tables import events, runs

__all__ = ["EventStore", "StoredEvent", "Written"]


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event: its number in the run (from 1), its name on the wire and its data as a line of JSON."""

    seq: int
    name: str
    data: str


@dataclass(frozen=True, slots=True)
class Written:
    """What one run adds to the log at once: events in order, the artifacts they name, and how it ended, if it did."""

    run_id: str
    events: Sequence[StoredEvent]
    artifacts: Sequence[NewArtifact] = ()
    status: Status | None = None


class EventStore:
    """The event log in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, written: Sequence[Written]) -> None:
        """Add what some runs did, all or nothing. What is there already stays: appending twice is appending once.

        Raises `StoreError`, and `Conflict` when a run is gone.
        """
        dialect = sqlite if self._database.is_sqlite else postgresql
        rows = [
            {"run_id": part.run_id, "seq": event.seq, "name": event.name, "data": event.data}
            for part in written
            for event in part.events
        ]
        async with self._database.write() as connection:
            await ArtifactStore.add(connection, [artifact for part in written for artifact in part.artifacts])
            if rows:
                await connection.execute(dialect.insert(events).on_conflict_do_nothing(), rows)
            for part in written:
                if part.status is not None:
                    ended = update(runs).where(runs.c.id == part.run_id, runs.c.status == "running")
                    await connection.execute(ended.values(status=part.status, ended_at=time.time()))

    async def read(self, run_id: str, after: int, limit: int) -> list[StoredEvent]:
        """Up to ``limit`` events that follow number ``after``, in order."""
        query = select(events.c.seq, events.c.name, events.c.data).where(events.c.run_id == run_id)
        query = query.where(events.c.seq > after).order_by(events.c.seq).limit(limit)
        async with self._database.read() as connection:
            return [StoredEvent(*row) for row in await connection.execute(query)]

    async def last_number(self, run_id: str) -> int:
        """The number of the last event; 0 when there is none."""
        query = select(func.max(events.c.seq)).where(events.c.run_id == run_id)
        async with self._database.read() as connection:
            return (await connection.execute(query)).scalar_one() or 0
