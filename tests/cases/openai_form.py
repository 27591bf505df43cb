"""The messages of the case files, which have the form of the OpenAI API, as ours; and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from actloop.llm import Reply, read_call
from actloop.llm.adapters.openai_reply import read_reply
from actloop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolMessage,
    UserMessage,
    text_of,
)

__all__ = ["messages_from", "messages_to", "reply_from"]


def messages_from(raw: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Our messages; the calls are read as any adapter reads them."""
    return [_message(message) for message in raw]


def _message(raw: Mapping[str, Any]) -> Message:
    content = str(raw.get("content") or "")
    match raw["role"]:
        case "system" | "developer":
            return SystemMessage(content)
        case "user":
            return UserMessage(content)
        case "tool":
            return ToolMessage(content, str(raw.get("tool_call_id") or ""), str(raw.get("name") or ""))
        case "assistant":
            calls = [
                read_call(str(call.get("id") or ""), call["function"]["name"], call["function"].get("arguments"))
                for call in raw.get("tool_calls") or ()
            ]
            return AssistantMessage(content, tuple(calls), reasoning=str(raw.get("reasoning_content") or ""))
        case role:
            raise ValueError(f"unknown role {role!r}")


def messages_to(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The form of the case files; arguments are JSON text."""
    return [_raw(message) for message in messages]


def _raw(message: Message) -> dict[str, Any]:
    raw: dict[str, Any] = {"role": message.role, "content": text_of(message.content)}
    if isinstance(message, ToolMessage):
        raw["tool_call_id"] = message.tool_call_id
    elif isinstance(message, AssistantMessage) and message.tool_calls:
        raw["content"] = message.content or None
        raw["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for call in message.tool_calls
        ]
    return raw


def reply_from(message: Mapping[str, Any]) -> Reply:
    """The reply that the OpenAI adapter makes of an assistant message; `finish_reason` may stand in the message."""
    finish = message.get("finish_reason", "tool_calls" if message.get("tool_calls") else "stop")
    usage = message.get("usage", {"prompt_tokens": 10, "completion_tokens": 5})
    return read_reply({"choices": [{"index": 0, "message": dict(message), "finish_reason": finish}], "usage": usage})
