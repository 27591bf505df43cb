"""The event log: what every run did, numbered without a gap. It is the truth; all else can be made from it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection, bindparam, func, select, update
from sqlalchemy.dialects import postgresql

from actloop.service.store.artifacts import ArtifactStore, NewArtifact
from actloop.service.store.database import Database
from actloop.service.store.runs import Status
from actloop.service.store.tables import events, runs

__all__ = ["EventStore", "StoredEvent", "Written"]


_INSERT_SQLITE = (
    "INSERT INTO events (run_id, seq, name, data) "
    "SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?) WHERE true "
    "ON CONFLICT DO NOTHING"
)
"""One statement for all rows: the driver gives up Python's lock at each row, and a busy process returns it late."""


_READ = (
    select(events.c.seq, events.c.name, events.c.data)
    .where(events.c.run_id == bindparam("run_id"), events.c.seq > bindparam("after"))
    .order_by(events.c.seq)
    .limit(bindparam("limit"))
)
_END = (
    update(runs)
    .where(runs.c.id == bindparam("of"), runs.c.status == "running")
    .values(status=bindparam("how"), ended_at=bindparam("now"))
)


@dataclass(slots=True)
class StoredEvent:
    """One event: its number in the run (from 1), its name on the wire and its data as a line of JSON.

    frame: its bytes on the wire, kept by whoever made them first, so that all readers share them.
    """

    seq: int
    name: str
    data: str
    frame: bytes | None = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Written:
    """What one run adds to the log at once: events in order, the artifacts they name, and how it ended, if it did."""

    run_id: str
    events: Sequence[StoredEvent]
    artifacts: Sequence[NewArtifact] = ()
    status: Status | None = None


def _append(connection: Connection, written: Sequence[Written]) -> None:
    ArtifactStore.add(connection, [artifact for part in written for artifact in part.artifacts])
    rows = [(part.run_id, event.seq, event.name, event.data) for part in written for event in part.events]
    if rows and connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_INSERT_SQLITE, (json.dumps(rows),))
    elif rows:
        named = [dict(zip(("run_id", "seq", "name", "data"), row, strict=True)) for row in rows]
        connection.execute(postgresql.insert(events).on_conflict_do_nothing(), named)
    for part in written:
        if part.status is not None:
            ended = {"of": part.run_id, "how": part.status, "now": time.time()}
            connection.execute(_END, ended)


class EventStore:
    """The event log in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, written: Sequence[Written]) -> None:
        """Add what some runs did, all or nothing. What is there already stays: appending twice is appending once.

        Raises `StoreError`, and `Conflict` when a run is gone.
        """
        await self._database.write(lambda connection: _append(connection, written))

    async def read(self, run_id: str, after: int, limit: int) -> list[StoredEvent]:
        """Up to ``limit`` events that follow number ``after``, in order."""
        where = {"run_id": run_id, "after": after, "limit": limit}
        return await self._database.read(
            lambda connection: [StoredEvent(*row) for row in connection.execute(_READ, where)]
        )

    async def last_number(self, run_id: str) -> int:
        """The number of the last event; 0 when there is none."""
        query = select(func.max(events.c.seq)).where(events.c.run_id == run_id)
        return await self._database.read(lambda connection: connection.execute(query).scalar_one() or 0)
