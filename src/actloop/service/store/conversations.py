"""Conversations: who owns them, what they are called, and the history that the next run will know."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from actloop.messages import Message, UserMessage, clean_text, valid_history
from actloop.service.store.database import Database, storable
from actloop.service.store.ids import new_id, plausible_id
from actloop.service.store.message_json import dump_history, parse_history
from actloop.service.store.tables import conversations

__all__ = ["Conversation", "ConversationStore", "StoredMemory", "touch"]

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


class ConversationStore:
    """Conversations in a database. Every look-up names the owner: somebody else's is not there."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create(self, owner: str, title: str = "") -> Conversation:
        """Begin a conversation."""
        now = time.time()
        conversation = Conversation(new_id("conv"), owner, _title(title), now, now)
        values = {
            "id": conversation.id,
            "owner": owner,
            "title": conversation.title,
            "created_at": now,
            "updated_at": now,
            "history": "[]",
        }
        async with self._database.write() as connection:
            await connection.execute(insert(conversations).values(values))
        return conversation

    async def get(self, id: str, owner: str) -> Conversation | None:
        """The conversation, or None when there is none of that id for this owner."""
        if not plausible_id(id):
            return None
        query = select(*_COLUMNS).where(conversations.c.id == id, conversations.c.owner == owner)
        async with self._database.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else Conversation(*row)

    async def of_owner(self, owner: str, *, limit: int, before: float | None = None) -> list[Conversation]:
        """Up to ``limit`` conversations, the last changed first; with ``before`` those changed before that time."""
        query = select(*_COLUMNS).where(conversations.c.owner == owner)
        if before is not None:
            query = query.where(conversations.c.updated_at < before)
        query = query.order_by(conversations.c.updated_at.desc(), conversations.c.id).limit(limit)
        async with self._database.read() as connection:
            return [Conversation(*row) for row in await connection.execute(query)]

    async def rename(self, id: str, title: str) -> None:
        """Give the conversation another title."""
        await self._update(id, title=_title(title))

    async def delete(self, id: str) -> None:
        """Delete it with its runs, events and artifacts."""
        async with self._database.write() as connection:
            await connection.execute(delete(conversations).where(conversations.c.id == id))

    async def history(self, id: str) -> list[Message]:
        """What was said; empty at first, and for a conversation that is gone."""
        query = select(conversations.c.history).where(conversations.c.id == id)
        async with self._database.read() as connection:
            text = (await connection.execute(query)).scalar_one_or_none()
        return [] if text is None else parse_history(text)

    async def save_history(self, id: str, messages: Sequence[Message]) -> None:
        """Replace what was said; what is stored is a valid history."""
        await self._update(id, history=dump_history(valid_history(messages)))

    async def add_to_history(self, id: str, messages: Sequence[Message]) -> None:
        """Add what was said to no run."""
        await self.save_history(id, [*await self.history(id), *messages])

    async def _update(self, id: str, **values: object) -> None:
        async with self._database.write() as connection:
            await connection.execute(update(conversations).where(conversations.c.id == id).values(**values))


class StoredMemory:
    """The memory (`actloop.context.Memory`) of one stored conversation."""

    def __init__(self, store: ConversationStore, conversation_id: str) -> None:
        self._store = store
        self._id = conversation_id

    async def load(self) -> Sequence[Message]:
        """Everything said so far."""
        return await self._store.history(self._id)

    async def save(self, messages: Sequence[Message]) -> None:
        """Replace the conversation. Nothing is pinned for the next run."""
        kept = [UserMessage(message.content) if isinstance(message, UserMessage) else message for message in messages]
        await self._store.save_history(self._id, kept)


async def touch(connection: AsyncConnection, id: str, title_if_none: str) -> None:
    """Something happens in a conversation now: it moves to the top, and gets a title if it has none."""
    here = conversations.c.id == id
    await connection.execute(update(conversations).where(here).values(updated_at=time.time()))
    untitled = update(conversations).where(here, conversations.c.title == "")
    await connection.execute(untitled.values(title=_title(title_if_none)))


_TITLE_CHARACTERS = 200


def _title(text: str) -> str:
    return storable(clean_text(" ".join(text[: 2 * _TITLE_CHARACTERS].split())[:_TITLE_CHARACTERS]))
