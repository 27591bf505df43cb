"""Runs: which question is worked on in which conversation, and how each ended."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, bindparam, func, insert, select

from actloop.errors import ActloopError
from actloop.messages import clean_text
from actloop.service.store.conversations import title_of, touch
from actloop.service.store.database import Conflict, Database, storable
from actloop.service.store.ids import new_id, plausible_id
from actloop.service.store.replacing import take_back_last_run
from actloop.service.store.tables import runs

__all__ = ["ConversationGone", "EarlyEnd", "Run", "RunActive", "RunStore", "Status"]

Status = Literal["running", "finished", "failed", "cancelled", "interrupted"]
"""``finished`` has an answer, also one that a limit or a stop forced; ``failed`` ended with an error; somebody
``cancelled`` it; a shutdown or crash of the service ``interrupted`` it."""

EarlyEnd = Literal["cancelled", "interrupted"]
"""The ways to end that are not the run's own."""


class RunActive(ActloopError):
    """The conversation has a run that has not ended."""


class ConversationGone(ActloopError):
    """The conversation has been deleted meanwhile."""


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


_TICK = 1e-6
"""Runs of a conversation are in the order of their times, also when the clock is set back."""

_INSERT = insert(runs)
_LAST = select(func.max(runs.c.created_at)).where(runs.c.conversation_id == bindparam("of"))
_GET = select(runs).where(runs.c.id == bindparam("id"), runs.c.owner == bindparam("owner"))


class RunStore:
    """Runs in a database. How a run ends is written with its last event, by `EventStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(
        self,
        conversation_id: str,
        owner: str,
        query: str,
        *,
        node: str,
        agent: str | None,
        model: str | None,
        replaces: str | None = None,
    ) -> Run:
        """Begin a run; its conversation moves to the top, and gets a title if it has none.

        replaces: the id of the last run, in whose place it comes: that one goes, and what was said in it.

        Raises `RunActive` when the conversation has a run that has not ended, `ConversationGone` when it is deleted,
        and `NotTheLastRun` when ``replaces`` is another one.
        """
        id, question = new_id("run"), storable(clean_text(query))

        def begin(connection: Connection) -> Run:
            if replaces is not None:
                take_back_last_run(connection, conversation_id, replaces, title_of)
            last = connection.execute(_LAST, {"of": conversation_id}).scalar_one()
            now = time.time() if last is None else max(time.time(), last + _TICK)
            if not touch(connection, conversation_id, query, now):
                raise ConversationGone(f"the conversation {conversation_id!r} has been deleted")
            run = Run(id, conversation_id, owner, node, question, agent, model, "running", now, ended_at=None)
            connection.execute(_INSERT, {column.name: getattr(run, column.name) for column in runs.c})
            return run

        try:
            return await self._database.write(begin)
        except Conflict as error:
            raise RunActive(f"the conversation {conversation_id!r} has a run that has not ended") from error

    async def get(self, id: str, owner: str) -> Run | None:
        """The run, or None when there is none of that id for this owner."""
        if not plausible_id(id):
            return None
        named = {"id": id, "owner": owner}
        row = await self._database.read(lambda connection: connection.execute(_GET, named).one_or_none())
        return None if row is None else Run(*row)

    async def of_conversation(self, conversation_id: str) -> list[Run]:
        """The runs of a conversation in the order they began."""
        query = select(runs).where(runs.c.conversation_id == conversation_id).order_by(runs.c.created_at, runs.c.id)
        return await self._database.read(lambda connection: [Run(*row) for row in connection.execute(query)])

    async def unended(self, node: str | None) -> list[Run]:
        """The runs that ``node`` (None: any) has not brought to an end."""
        query = select(runs).where(runs.c.status == "running")
        if node is not None:
            query = query.where(runs.c.node == node)
        return await self._database.read(lambda connection: [Run(*row) for row in connection.execute(query)])
