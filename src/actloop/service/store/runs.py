"""Runs: which question is worked on in which conversation, and how each ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import insert, select

from actloop.messages import clean_text
from actloop.service.store.conversations import touch
from actloop.service.store.database import Conflict, Database, storable
from actloop.service.store.ids import new_id, plausible_id
from actloop.service.store.tables import runs

__all__ = ["EarlyEnd", "Run", "RunActive", "RunStore", "Status"]

Status = Literal["running", "finished", "failed", "cancelled", "interrupted"]
"""``finished`` has an answer, also one that a limit or a stop forced; ``failed`` ended with an error; somebody
``cancelled`` it; a shutdown or crash of the service ``interrupted`` it."""

EarlyEnd = Literal["cancelled", "interrupted"]
"""The ways to end that are not the run's own."""


class RunActive(Exception):
    """The conversation has a run that has not ended."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run without its events. Times are seconds since 1970, UTC."""

    id: str
    conversation_id: str
    owner: str
    node: str
    query: str
    agent: str | None
    model: str | None
    status: Status
    created_at: float
    ended_at: float | None


class RunStore:
    """Runs in a database. How a run ends is written with its last event, by `EventStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self, conversation_id: str, owner: str, query: str, *, node: str, agent: str | None, model: str | None
    ) -> Run:
        """Begin a run; its conversation moves to the top, and gets a title if it has none.

        Raises `RunActive` when the conversation has a run that has not ended.
        """
        question = storable(clean_text(query))
        run = Run(
            new_id("run"), conversation_id, owner, node, question, agent, model, "running", time.time(), ended_at=None
        )
        values = {column.name: getattr(run, column.name) for column in runs.c}
        try:
            async with self._database.write() as connection:
                await connection.execute(insert(runs).values(values))
                await touch(connection, conversation_id, query)
        except Conflict as error:
            raise RunActive from error
        return run

    async def get(self, id: str, owner: str) -> Run | None:
        """The run, or None when there is none of that id for this owner."""
        if not plausible_id(id):
            return None
        async with self._database.read() as connection:
            row = (await connection.execute(select(runs).where(runs.c.id == id, runs.c.owner == owner))).one_or_none()
        return None if row is None else Run(*row)

    async def of_conversation(self, conversation_id: str) -> list[Run]:
        """The runs of a conversation in the order they began."""
        query = select(runs).where(runs.c.conversation_id == conversation_id).order_by(runs.c.created_at, runs.c.id)
        async with self._database.read() as connection:
            return [Run(*row) for row in await connection.execute(query)]

    async def unended(self, node: str) -> list[Run]:
        """The runs that ``node`` has not brought to an end."""
        query = select(runs).where(runs.c.status == "running", runs.c.node == node)
        async with self._database.read() as connection:
            return [Run(*row) for row in await connection.execute(query)]
