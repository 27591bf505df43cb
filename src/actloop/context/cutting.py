"""Cutting what is too long by itself: a single message, or the newest round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from actloop.messages import AssistantMessage, Message, TextPart, ToolCall, UserMessage, shorten

__all__ = ["MAX_MESSAGE_CHARACTERS", "cut_message", "cut_round", "cut_text", "longest_text"]

MAX_MESSAGE_CHARACTERS = 50_000
_MARKER_ROOM = 60
"""A cut text with its marker is no longer than what was asked for, so that it is not cut again."""


def longest_text(message: Message) -> int:
    """The characters of the longest text in a message: its content, or a text in the arguments of a call."""
    return max((len(text) for text in _texts(message)), default=0)


def _texts(message: Message) -> list[str]:
    content = message.content
    texts = [content] if isinstance(content, str) else [part.text for part in content if isinstance(part, TextPart)]
    if isinstance(message, AssistantMessage):
        for call in message.tool_calls:
            texts += _texts_in(call.arguments)
    return texts


def _texts_in(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts_in(item)]


def cut_message(message: Message, limit: int) -> Message:
    """The message with every text in it cut to ``limit`` characters, marker included; the same if none is longer."""
    if longest_text(message) <= limit:
        return message
    if isinstance(message, AssistantMessage):
        calls = tuple(_cut_call(call, limit) for call in message.tool_calls)
        return replace(message, content=_cut(message.content, limit), tool_calls=calls)
    if isinstance(message, UserMessage) and not isinstance(message.content, str):
        parts = [TextPart(_cut(part.text, limit)) if isinstance(part, TextPart) else part for part in message.content]
        return replace(message, content=parts)
    assert isinstance(message.content, str)
    return replace(message, content=_cut(message.content, limit))


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else shorten(text, max(0, limit - _MARKER_ROOM))


def _cut_call(call: ToolCall, limit: int) -> ToolCall:
    return replace(call, arguments=_cut_in(call.arguments, limit))


def _cut_in(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return _cut(value, limit)
    if isinstance(value, dict):
        return {key: _cut_in(item, limit) for key, item in value.items()}
    return [_cut_in(item, limit) for item in value] if isinstance(value, list) else value


def cut_round(messages: Sequence[Message], room: float, weigh: Callable[[Message], float]) -> list[Message] | None:
    """The messages with their texts cut alike so that they fit into ``room`` tokens; None when even that cannot be."""
    shortest, longest = _MARKER_ROOM, max(map(longest_text, messages))
    best: list[Message] | None = None
    while shortest <= longest:
        limit = (shortest + longest) // 2
        cut = [cut_message(message, limit) for message in messages]
        if sum(map(weigh, cut)) <= room:
            best, shortest = cut, limit + 1
        else:
            longest = limit - 1
    return best


def cut_text(text: str, room: float, weigh: Callable[[str], float]) -> str:
    """``text`` cut in the middle so that it weighs at most ``room`` tokens; empty when hardly any would be left."""
    weight = weigh(text)
    while weight > room:
        limit = int(len(text) * room / weight * 0.95) - _MARKER_ROOM
        if limit < _MARKER_ROOM:
            return ""
        text = shorten(text, limit)
        weight = weigh(text)
    return text
