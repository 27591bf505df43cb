"""Tells a stored history in the words of JSON mode: tools in the system prompt, native turns as text.

The history itself does not change; what was told of a message is kept in its memo.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from actloop.agent import prompts
from actloop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
    shorten,
)

__all__ = ["call_text", "is_observation", "observation_text", "retold"]


def retold(
    messages: Sequence[Message], specs: Sequence[ToolSpec], joined: Mapping[int, Message], *, constrained: bool
) -> list[Message]:
    """The history with native turns told as JSON-mode turns; what is already text stays the same object.

    specs: tools that the system prompt tells of.
    joined: messages to say before the message of that number.
    constrained: whether the model's output is bound to the schema of an action.
    """
    told: list[Message] = []
    results: dict[str, ToolMessage] = {}
    for position, message in enumerate(messages):
        if position in joined:
            told.append(joined[position])
        if isinstance(message, SystemMessage):
            told.append(_with_tools(message, specs, constrained) if position == 0 else message)
        elif isinstance(message, AssistantMessage) and message.tool_calls:
            count = len(message.tool_calls)
            results = {m.tool_call_id: m for m in messages[position + 1 : position + 1 + count] if m.role == "tool"}
            for call in message.tool_calls:
                told.append(_told_call(message, call))
                told.append(_told_result(results[call.id]))
        elif not isinstance(message, ToolMessage):
            told.append(message)
    return [*told, joined[len(messages)]] if len(messages) in joined else told


def _with_tools(message: SystemMessage, specs: Sequence[ToolSpec], constrained: bool) -> Message:
    made_for, was_constrained, told = message.memo.get("json_mode", (None, constrained, message))
    if made_for is not specs or was_constrained != constrained:
        instructions = prompts.json_mode_instructions(specs, constrained=constrained)
        told = SystemMessage(f"{message.content}\n\n{instructions}")
        message.memo["json_mode"] = (specs, constrained, told)
    return cast(Message, told)


def _told_call(message: AssistantMessage, call: ToolCall) -> Message:
    key = ("json_mode", call.id)
    if key not in message.memo:
        if call.unreadable is not None:
            call = replace(call, unreadable=shorten(call.unreadable, _SHOWN_UNREADABLE, marker=" … "))
        message.memo[key] = AssistantMessage(call_text(call, message.content))
    return cast(Message, message.memo[key])


def _told_result(message: ToolMessage) -> Message:
    if "json_mode" not in message.memo:
        message.memo["json_mode"] = UserMessage(observation_text(message.name, message.content))
    return cast(Message, message.memo["json_mode"])


def call_text(call: ToolCall, reasoning: str = "") -> str:
    """A call as a JSON-mode turn."""
    arguments = call.arguments if call.unreadable is None else call.unreadable
    action = {"type": "tool_call", "reasoning": reasoning, "tool_name": call.name, "tool_args": arguments}
    return json.dumps(action, ensure_ascii=False)


_SHOWN_UNREADABLE = 200
_RESULT = "Result of "


def observation_text(name: str, text: str) -> str:
    """A result as the user message of a JSON-mode turn."""
    return f"{_RESULT}{name}:\n{text}"


def is_observation(message: Message) -> bool:
    """Whether ``message`` is the result of a call, in either mode's form."""
    if isinstance(message, UserMessage):
        return not message.pinned and isinstance(message.content, str) and message.content.startswith(_RESULT)
    return isinstance(message, ToolMessage)
