"""A stored conversation as the memory of one run."""

from __future__ import annotations

from collections.abc import Sequence

from actloop.messages import Message, UserMessage
from actloop.service.store.conversations import ConversationStore
from actloop.service.store.database import patiently

__all__ = ["StoredMemory"]


class StoredMemory:
    """The memory (`actloop.context.Memory`) of one run.

    Its run waits while the database cannot be used, as the run's events do: a turn that was answered is remembered.

    saved: whether the last attempt to save came to its end.
    """

    def __init__(self, store: ConversationStore, conversation_id: str) -> None:
        self._store = store
        self._id = conversation_id
        self._released = False
        self.saved = False

    def release(self) -> None:
        """Save nothing more: the run that has this memory is over, whatever still goes on of it."""
        self._released = True

    async def load(self) -> Sequence[Message]:
        """Everything said so far."""
        return await patiently(lambda: self._store.history(self._id))

    async def save(self, messages: Sequence[Message]) -> None:
        """Replace the conversation. Nothing is pinned for the next run."""
        self.saved = False
        kept = [UserMessage(message.content) if isinstance(message, UserMessage) else message for message in messages]
        await patiently(lambda: self._save(kept))
        self.saved = True

    async def _save(self, messages: Sequence[Message]) -> None:
        if not self._released:
            await self._store.save_history(self._id, messages)
