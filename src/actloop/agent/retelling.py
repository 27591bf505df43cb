"""Tells a stored history in the words of JSON mode: tools in the system prompt, native turns as text.

The history itself does not change; what was told of a message is kept in its memo.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from actloop.agent import prompts
from actloop.agent.dialect import ActionForm
from actloop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    UserMessage,
    shorten,
    text_of,
)

__all__ = ["call_text", "is_observation", "observation_text", "repeated_failure", "retold"]


def retold(
    messages: Sequence[Message], specs: Sequence[ToolSpec], joined: Mapping[int, Message], *, form: ActionForm
) -> list[Message]:
    """The history with native turns told as JSON-mode turns; what is already text stays the same object.

    specs: tools that the system prompt tells of.
    joined: messages to say before the message of that number.
    form: how an action is asked for. In the plain form calls that were made before, and failed ones as soon as another
        succeeded, are left out: weak models copy what they see.
    """
    told: list[Message] = []
    results: dict[str, ToolMessage] = {}
    for position, message in enumerate(messages):
        if position in joined:
            told.append(joined[position])
        if isinstance(message, SystemMessage):
            told.append(_with_tools(message, specs, form) if position == 0 else message)
        elif isinstance(message, AssistantMessage) and message.tool_calls:
            count = len(message.tool_calls)
            results = {m.tool_call_id: m for m in messages[position + 1 : position + 1 + count] if m.role == "tool"}
            for call in message.tool_calls:
                told.append(_told_call(message, call, form))
                told.append(_told_result(results[call.id]))
        elif not isinstance(message, ToolMessage):
            told.append(message)
    if form == "plain":
        told = _without_detours(told)
    return [*told, joined[len(messages)]] if len(messages) in joined else told


def _without_detours(told: Sequence[Message]) -> list[Message]:
    """``told`` without calls that were made before, and those that failed before the last one that did not."""
    answered = [n for n, message in enumerate(told) if message.role == "user" and told[n - 1].role == "assistant"]
    repeated = [n for n in answered if told[n].content == prompts.KNOWN_ALREADY]
    results = [n for n in answered if is_observation(told[n])]
    failed = [n for n in results if _FAILED.match(text_of(told[n].content))]
    last_good = max(set(results).difference(failed), default=0)
    dropped = {place for n in [*repeated, *(n for n in failed if n < last_good)] for place in (n - 1, n)}
    return [message for n, message in enumerate(told) if n not in dropped]


_FAILED = re.compile(r"Result of ([^\n]*):\n(\[You made[^\n]*\n)?Error: ")


def repeated_failure(message: Message) -> str | None:
    """The tool whose call failed as it did before, when ``message`` is the result of one."""
    match = _FAILED.match(text_of(message.content)) if is_observation(message) else None
    return match[1] if match is not None and match[2] else None


def _with_tools(message: SystemMessage, specs: Sequence[ToolSpec], form: ActionForm) -> Message:
    made_for, made_in, told = message.memo.get("json_mode", (None, form, message))
    if made_for is not specs or made_in != form:
        instructions = prompts.json_mode_instructions(specs, form)
        told = SystemMessage(f"{message.content}\n\n{instructions}")
        message.memo["json_mode"] = (specs, form, told)
    return cast(Message, told)


def _told_call(message: AssistantMessage, call: ToolCall, form: ActionForm) -> Message:
    key = ("json_mode", call.id, form == "plain")
    if key not in message.memo:
        if call.unreadable is not None:
            call = replace(call, unreadable=shorten(call.unreadable, _SHOWN_UNREADABLE, marker=" … "))
        message.memo[key] = AssistantMessage(call_text(call, message.content, plain=form == "plain"))
    return cast(Message, message.memo[key])


def _told_result(message: ToolMessage) -> Message:
    if "json_mode" not in message.memo:
        message.memo["json_mode"] = UserMessage(observation_text(message.name, message.content))
    return cast(Message, message.memo["json_mode"])


def call_text(call: ToolCall, reasoning: str = "", *, plain: bool = False) -> str:
    """A call as a JSON-mode turn."""
    arguments = call.arguments if call.unreadable is None else call.unreadable
    opening = {} if plain else {"type": "tool_call", "reasoning": reasoning}
    action = {**opening, "tool_name": call.name, "tool_args": arguments}
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
