"""Conversations: who owns them, what they are called, and the history that the next run will know."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, and_, bindparam, case, delete, insert, or_, select, update

from actloop.messages import Message, clean_text, valid_history
from actloop.service.store.database import Database, storable
from actloop.service.store.ids import new_id, plausible_id
from actloop.service.store.message_json import dump_history, parse_history
from actloop.service.store.tables import conversations, runs

__all__ = ["Conversation", "ConversationStore", "Place", "title_of", "touch"]

_COLUMNS = (
    conversations.c.id,
    conversations.c.owner,
    conversations.c.title,
    conversations.c.created_at,
    conversations.c.updated_at,
)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation without its messages. Times are seconds since 1970, UTC."""

    id: str
    owner: str
    title: str
    created_at: float
    updated_at: float


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the list of an owner's conversations: several may have changed at the same time."""

    updated_at: float
    id: str

    def __str__(self) -> str:
        return f"{self.updated_at!r}_{self.id}"

    @classmethod
    def of(cls, text: str) -> Place | None:
        """The place that `str` wrote; None for any other text."""
        found = _PLACE.fullmatch(text)
        return None if found is None else cls(float(found[1]), found[2])


_PLACE = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)_(conv_[0-9a-f]{32})")

_INSERT = insert(conversations)
_GET = select(*_COLUMNS).where(conversations.c.id == bindparam("id"), conversations.c.owner == bindparam("owner"))
_HISTORY = select(conversations.c.history).where(conversations.c.id == bindparam("id"))
_BOTH_HISTORIES = select(conversations.c.history, conversations.c.history_before).where(
    conversations.c.id == bindparam("id")
)
_SAVE_HISTORY = update(conversations).where(conversations.c.id == bindparam("of")).values(history=bindparam("history"))
_TOUCH = (
    update(conversations)
    .where(conversations.c.id == bindparam("of"))
    .values(
        updated_at=bindparam("now"),
        history_before=conversations.c.history,
        title=case((conversations.c.title == "", bindparam("title_if_none")), else_=conversations.c.title),
    )
)
"""Made once: to make such a statement costs more than to run it."""


class ConversationStore:
    """Conversations in a database. Every look-up names the owner: somebody else's is not there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, owner: str, title: str = "") -> Conversation:
        """Begin a conversation."""
        now = time.time()
        conversation = Conversation(new_id("conv"), owner, title_of(title), now, now)
        values = {
            "id": conversation.id,
            "owner": owner,
            "title": conversation.title,
            "created_at": now,
            "updated_at": now,
            "history": "[]",
        }
        await self._database.write(lambda connection: connection.execute(_INSERT, values))
        return conversation

    async def get(self, id: str, owner: str) -> Conversation | None:
        """The conversation, or None when there is none of that id for this owner."""
        if not plausible_id(id):
            return None
        named = {"id": id, "owner": owner}
        row = await self._database.read(lambda connection: connection.execute(_GET, named).one_or_none())
        return None if row is None else Conversation(*row)

    async def of_owner(
        self, owner: str, *, limit: int, after: Place | None = None, text: str = ""
    ) -> list[Conversation]:
        """Up to ``limit`` conversations, the last changed first; with ``after`` those that follow that place.

        text: only those with it in their title or one of their questions, in large letters or small ones.
        """
        query = select(*_COLUMNS).where(conversations.c.owner == owner)
        if text := storable(clean_text(text)):
            asked = select(runs.c.id).where(
                runs.c.conversation_id == conversations.c.id, runs.c.query.icontains(text, autoescape=True)
            )
            query = query.where(or_(conversations.c.title.icontains(text, autoescape=True), asked.exists()))
        if after is not None:
            same_time = and_(conversations.c.updated_at == after.updated_at, conversations.c.id > after.id)
            query = query.where(conversations.c.updated_at <= after.updated_at)
            query = query.where(or_(conversations.c.updated_at < after.updated_at, same_time))
        query = query.order_by(conversations.c.updated_at.desc(), conversations.c.id).limit(limit)
        return await self._database.read(lambda connection: [Conversation(*row) for row in connection.execute(query)])

    async def rename(self, id: str, title: str) -> None:
        """Give the conversation another title."""
        query = update(conversations).where(conversations.c.id == id).values(title=title_of(title))
        await self._database.write(lambda connection: connection.execute(query))

    async def delete(self, id: str) -> None:
        """Delete it with its runs, events and artifacts."""
        query = delete(conversations).where(conversations.c.id == id)
        await self._database.write(lambda connection: connection.execute(query))

    async def history(self, id: str) -> list[Message]:
        """What was said; empty at first, and for a conversation that is gone."""
        text = await self._database.read(
            lambda connection: connection.execute(_HISTORY, {"id": id}).scalar_one_or_none()
        )
        return [] if text is None else parse_history(text)

    async def save_history(self, id: str, messages: Sequence[Message]) -> None:
        """Replace what was said; what is stored is a valid history."""
        saved = {"of": id, "history": dump_history(valid_history(messages))}
        await self._database.write(lambda connection: connection.execute(_SAVE_HISTORY, saved))

    async def continue_history(self, id: str, messages: Sequence[Message]) -> None:
        """Have ``messages`` follow what the last run knew when it began, in place of all that was saved since."""

        def save(connection: Connection) -> None:
            row = connection.execute(_BOTH_HISTORIES, {"id": id}).one_or_none()
            if row is not None:
                # a run of an older version did not note what it began with
                before = parse_history(row.history if row.history_before is None else row.history_before)
                told = dump_history(valid_history([*before, *messages]))
                connection.execute(_SAVE_HISTORY, {"of": id, "history": told})

        await self._database.write(save)

    async def add_to_history(self, id: str, messages: Sequence[Message]) -> None:
        """Add what was said to no run."""
        await self.save_history(id, [*await self.history(id), *messages])


def touch(connection: Connection, id: str, title_if_none: str, now: float) -> bool:
    """A run begins in a conversation now: it moves to the top, and gets a title if it has none.

    Its history as it is now can be had back with `replacing.take_back_last_run`. False when there is no such
    conversation.
    """
    named = {"of": id, "now": now, "title_if_none": title_of(title_if_none)}
    return connection.execute(_TOUCH, named).rowcount == 1


_TITLE_CHARACTERS = 200


def title_of(text: str) -> str:
    """A title made of ``text``: one line, and not too long."""
    return storable(clean_text(" ".join(text[: 2 * _TITLE_CHARACTERS].split())[:_TITLE_CHARACTERS]))
