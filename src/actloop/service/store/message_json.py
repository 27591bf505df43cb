"""Messages to JSON and back, so that a conversation can be kept in a database (pure)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, assert_never

from actloop.messages import (
    AssistantMessage,
    Content,
    ContentPart,
    ImagePart,
    Message,
    SystemMessage,
    TextPart,
    ToolCall,
    ToolMessage,
    UserMessage,
    clean_text,
)
from actloop.service.wire_json import clean_object

__all__ = ["dump_history", "message_data", "parse_history"]


def dump_history(messages: Iterable[Message]) -> str:
    """Return ``messages`` as a JSON text. What the encoding cannot say (a lone surrogate, NaN) is replaced."""
    return json.dumps([message_data(message) for message in messages], separators=(",", ":"), allow_nan=False)


def parse_history(text: str) -> list[Message]:
    """Return the messages of a text that `dump_history` made."""
    return [_message(item) for item in json.loads(text)]


def message_data(message: Message) -> dict[str, Any]:
    """Return one message as plain JSON data; keys with their default value are left out."""
    match message:
        case SystemMessage(content=content):
            data: dict[str, Any] = {"role": "system", "content": content}
        case UserMessage(content=content, pinned=pinned):
            data = {"role": "user", "content": _content_data(content), "pinned": pinned}
        case AssistantMessage():
            data = {
                "role": "assistant",
                "content": message.content,
                "tool_calls": [
                    {"id": call.id, "name": call.name, "arguments": call.arguments, "unreadable": call.unreadable}
                    for call in message.tool_calls
                ],
                "reasoning": message.reasoning,
                "reasoning_state": _state_data(message.reasoning_state),
            }
        case ToolMessage():
            data = {
                "role": "tool",
                "content": message.content,
                "tool_call_id": message.tool_call_id,
                "name": message.name,
                "is_error": message.is_error,
            }
        case _:
            assert_never(message)
    return clean_object({key: value for key, value in data.items() if key in _ALWAYS or value})


_ALWAYS = {"role", "content"}


def _content_data(content: Content) -> str | list[dict[str, str]]:
    if isinstance(content, str):
        return content
    return [{"text": part.text} if isinstance(part, TextPart) else {"image": part.url} for part in content]


def _state_data(state: Any) -> Any:
    """What a provider wants back; it came as JSON, so that a state that is none would be our mistake."""
    return None if state is None else json.loads(clean_text(json.dumps(state, ensure_ascii=False)))


def _message(data: Mapping[str, Any]) -> Message:
    match data["role"]:
        case "system":
            return SystemMessage(data["content"])
        case "user":
            return UserMessage(_content(data["content"]), pinned=data.get("pinned", False))
        case "assistant":
            calls = tuple(
                ToolCall(call["id"], call["name"], call["arguments"], call["unreadable"])
                for call in data.get("tool_calls", ())
            )
            return AssistantMessage(
                data["content"],
                calls,
                reasoning=data.get("reasoning", ""),
                reasoning_state=data.get("reasoning_state"),
            )
        case role:
            if role != "tool":
                raise ValueError(f"a stored message has the unknown role {role!r}")
            return ToolMessage(
                data["content"], data["tool_call_id"], data.get("name", ""), is_error=data.get("is_error", False)
            )


def _content(data: str | Sequence[Mapping[str, str]]) -> Content:
    if isinstance(data, str):
        return data
    return [_part(part) for part in data]


def _part(data: Mapping[str, str]) -> ContentPart:
    return TextPart(data["text"]) if "text" in data else ImagePart(data["image"])
