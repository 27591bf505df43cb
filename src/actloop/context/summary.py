"""The one running summary of a conversation: how it looks in a history, and how it is made without a model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from actloop.messages import AssistantMessage, Message, ToolMessage, Usage, UserMessage, shorten, text_of

__all__ = ["SUMMARY_HEADER", "digest", "is_summary", "summary_message", "summary_text", "summary_usage", "transcript"]

SUMMARY_HEADER = "[SUMMARY OF THE EARLIER CONVERSATION]"


def summary_message(text: str, usage: Usage) -> UserMessage:
    """The message that stands for everything before; ``usage`` is what writing it cost, kept beside the message."""
    message = UserMessage(f"{SUMMARY_HEADER}\n{text}")
    message.memo["usage"] = usage
    return message


def is_summary(message: Message) -> bool:
    """Whether ``message`` is a running summary, also one that was loaded from a store."""
    return isinstance(message, UserMessage) and summary_text(message) is not None


def summary_text(message: Message) -> str | None:
    """The text of a running summary without its header; None for any other message."""
    if not isinstance(message, UserMessage) or not isinstance(message.content, str):
        return None
    header, newline, text = message.content.partition("\n")
    return text if newline and header == SUMMARY_HEADER else None


def summary_usage(messages: Iterable[Message]) -> Usage:
    """What the model calls for the summary in ``messages`` cost; nothing when no model wrote it in this process."""
    return Usage.total(message.memo["usage"] for message in messages if "usage" in message.memo)


def digest(messages: Sequence[Message], limit: int) -> list[str]:
    """A line of ``limit`` characters for each thing said or done: what is left of it when no model can summarise."""
    return [_line(label, shorten(" ".join(text.split()), limit, marker=" … ")) for label, text in _told(messages)]


def transcript(messages: Sequence[Message], limit: int) -> str:
    """The conversation as text for a model to summarise, each piece cut to ``limit`` characters."""
    return "\n".join(_line(label, shorten(text, limit)) for label, text in _told(messages))


def _line(label: str, text: str) -> str:
    return f"- {label}: {text}"


def _told(messages: Sequence[Message]) -> Iterable[tuple[str, str]]:
    """Who said or did what, one piece after the other."""
    for message in messages:
        text = text_of(message.content)
        if isinstance(message, AssistantMessage):
            if text.strip():
                yield "assistant", text
            for call in message.tool_calls:
                yield f"call of {call.name}", json.dumps(call.arguments, ensure_ascii=False, default=str)
        elif isinstance(message, ToolMessage):
            yield f"{'error' if message.is_error else 'result'} of {message.name or 'the call'}", text
        elif text.strip():
            yield message.role, text
