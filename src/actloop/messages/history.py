"""The order law of a conversation, and the repair that makes any history keep it.

A history is valid when: system messages stand first; every assistant message with tool calls is followed at once by
exactly one tool message for each call, in the order of the calls; no tool message stands anywhere else; call ids are
non-empty and unique within their message. Providers refuse a request that breaks it (OpenAI: "An assistant message with
'tool_calls' must be followed by tool messages responding to each 'tool_call_id'").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from actloop.messages.message import AssistantMessage, Message, SystemMessage, ToolMessage
from actloop.messages.tools import ToolCall

__all__ = ["INTERRUPTED", "broken_rule", "unique_call_ids", "valid_history"]

INTERRUPTED = "[The call was interrupted before it returned a result. Whether it took effect is unknown.]"


def broken_rule(messages: Sequence[Message], sound: int = 0) -> str | None:
    """Say which rule of the order law ``messages`` breaks first, or None when it is kept.

    sound: so many messages at the beginning are known to keep it.
    """
    position, count = sound, len(messages)
    while not sound and position < count and messages[position].role == "system":
        position += 1
    while position < count:
        message = messages[position]
        position += 1
        if message.role == "assistant":
            if not message.tool_calls:
                continue
            seen: set[str] = set()
            for call in message.tool_calls:
                if not call.id or call.id in seen:
                    return f"call id {call.id!r} is empty or not unique within its message"
                seen.add(call.id)
                answer = messages[position] if position < count else None
                if not isinstance(answer, ToolMessage) or answer.tool_call_id != call.id:
                    return f"call {call.id!r} is not followed by its result"
                position += 1
        elif message.role == "tool":
            return f"tool message {message.tool_call_id!r} answers no call"
        elif message.role == "system":
            return "a system message stands after the beginning"
    return None


def valid_history(messages: Sequence[Message]) -> list[Message]:
    """Return a list of ``messages`` that keeps the order law; the input is never changed.

    A missing result is filled in with a message saying that the call was interrupted, a result without its call is
    dropped, of two results the first counts, late results move up to their call, system messages move to the front,
    and empty or doubled call ids are replaced. A valid history comes back with the same messages; twice is once.
    """
    if broken_rule(messages) is None:
        return list(messages)
    result: list[Message] = [message for message in messages if isinstance(message, SystemMessage)]
    rest = [message for message in messages if not isinstance(message, SystemMessage)]
    for position, message in enumerate(rest):
        if isinstance(message, AssistantMessage) and message.tool_calls:
            result += _repaired_round(message, _results_after(rest, position))
        elif not isinstance(message, ToolMessage):
            result.append(message)
    return result


def _results_after(messages: Sequence[Message], position: int) -> list[ToolMessage]:
    """The tool messages between the assistant message at ``position`` and the next assistant message."""
    found: list[ToolMessage] = []
    for message in messages[position + 1 :]:
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, ToolMessage):
            found.append(message)
    return found


def _repaired_round(message: AssistantMessage, results: list[ToolMessage]) -> list[Message]:
    calls = unique_call_ids(message.tool_calls)
    answers: list[Message] = []
    for old, new in zip(message.tool_calls, calls, strict=True):
        match = next((result for result in results if result.tool_call_id == old.id), None)
        if match is None:
            answers.append(ToolMessage(INTERRUPTED, new.id, new.name, is_error=True))
        else:
            results.remove(match)
            answers.append(match if match.tool_call_id == new.id else replace(match, tool_call_id=new.id))
    return [message if calls == list(message.tool_calls) else replace(message, tool_calls=tuple(calls)), *answers]


def unique_call_ids(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Return ``calls`` with every empty or repeated id replaced by a new one, the same each time for the same input."""
    taken = {call.id for call in calls}
    if len(taken) == len(calls) and "" not in taken:
        return list(calls)
    seen: set[str] = set()
    result: list[ToolCall] = []
    for number, call in enumerate(calls, start=1):
        name = call.id
        if not name or name in seen:
            name = f"call_{number}" if not call.id else f"{call.id}_{number}"
            while name in taken:
                name += "x"
            taken.add(name)
            call = replace(call, id=name)
        seen.add(name)
        result.append(call)
    return result
