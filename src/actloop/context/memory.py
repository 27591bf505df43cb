"""Conversation memory: what was said before is there again in the next run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from actloop.messages import Message, valid_history

__all__ = ["ConversationMemory", "Memory"]


class Memory(Protocol):
    """Where a conversation is kept between runs; system prompts are no part of it."""

    async def load(self) -> Sequence[Message]:
        """Everything said so far; empty at first."""
        ...

    async def save(self, messages: Sequence[Message]) -> None:
        """Replace what is kept by the conversation as it is now. It is always a valid history."""
        ...


class ConversationMemory:
    """A conversation kept in this process."""

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self.messages: list[Message] = valid_history(messages)

    async def load(self) -> Sequence[Message]:
        """Everything said so far."""
        return self.messages

    async def save(self, messages: Sequence[Message]) -> None:
        """Replace the conversation."""
        self.messages = list(messages)
