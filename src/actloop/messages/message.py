"""The messages of a conversation: one closed union of immutable dataclasses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from actloop.messages.content import Content
from actloop.messages.tools import ToolCall

__all__ = ["AssistantMessage", "Message", "SystemMessage", "ToolMessage", "UserMessage"]


def _memo() -> Any:
    """A place for what others derive from an immutable message (its encoded bytes, its token count); not part of it."""
    return field(default_factory=dict, init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class SystemMessage:
    """Instructions from whoever built the agent; always first in a history."""

    content: str
    memo: dict[Any, Any] = _memo()
    role: Literal["system"] = field(default="system", init=False)


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What a person (or, in JSON mode, a tool's observation on their behalf) says. Pinned ones survive compaction."""

    content: Content
    pinned: bool = field(default=False, kw_only=True)
    memo: dict[Any, Any] = _memo()
    role: Literal["user"] = field(default="user", init=False)


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """What a model said.

    content: the visible text, possibly empty.
    tool_calls: the calls it asks for; each is answered by one `ToolMessage` right after this message.
    reasoning: its thoughts, when the provider hands them over apart from the text.
    reasoning_state: whatever the provider wants back word for word in the next request (signed thinking blocks,
        DeepSeek's ``reasoning_content`` …); opaque to everyone but the adapter that made it.
    """

    content: str = ""
    tool_calls: Sequence[ToolCall] = ()
    reasoning: str = ""
    reasoning_state: Any = field(default=None, repr=False)
    memo: dict[Any, Any] = _memo()
    role: Literal["assistant"] = field(default="assistant", init=False)


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The result of one tool call, as the model reads it."""

    content: str
    tool_call_id: str
    name: str = ""
    is_error: bool = field(default=False, kw_only=True)
    memo: dict[Any, Any] = _memo()
    role: Literal["tool"] = field(default="tool", init=False)


Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage
