"""The one normaliser for replies: what every adapter's raw pieces become, streamed or not."""

from __future__ import annotations

import operator
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

from actloop.errors import LLMError
from actloop.llm.arguments import UnreadableArguments, parse_arguments
from actloop.llm.base import CallDelta, Delta, EndDelta, FinishReason, ReasoningDelta, Reply, TextDelta
from actloop.llm.reasoning import split_reasoning
from actloop.messages import AssistantMessage, ToolCall, Usage, clean_text, unique_call_ids

__all__ = ["RawCall", "ReplyBuilder", "build_reply", "collect", "read_call", "sound_reply"]


class RawCall(NamedTuple):
    """A tool call as it came: ``arguments`` is JSON text, an object that a server sent in its place, or None."""

    id: str
    name: str
    arguments: Any


def build_reply(
    *,
    content: str,
    reasoning: str = "",
    calls: Iterable[RawCall] = (),
    finish_reason: FinishReason | None,
    usage: Usage,
    reasoning_state: Any = None,
) -> Reply:
    """Make a reply: clean text, reasoning split off, unique call ids, arguments parsed or marked unreadable."""
    content = clean_text(content)
    if not reasoning and "<" in content:
        reasoning, content = split_reasoning(content)
    tool_calls = unique_call_ids([read_call(call.id, call.name, call.arguments) for call in calls])
    if tool_calls and finish_reason == "stop":
        finish_reason = "tool_calls"
    message = AssistantMessage(
        content, tuple(tool_calls), reasoning=clean_text(reasoning), reasoning_state=reasoning_state
    )
    return Reply(message, usage, finish_reason)


def sound_reply(reply: object) -> Reply:
    """Return what an `LLM` of somebody's own replied, with unique call ids; raises `LLMError` when it is no `Reply`."""
    if not isinstance(reply, Reply) or not isinstance(reply.message, AssistantMessage):
        raise LLMError(f"The model's chat() must return a Reply with an AssistantMessage; it returned {_kind(reply)}.")
    message = reply.message
    if wrong := [_kind(part) for part, kind in ((message.content, str), (reply.usage, Usage)) if not _is(part, kind)]:
        raise LLMError(
            "A Reply holds text, an empty one beside tool calls, and a Usage; the model returned one with "
            f"{' and '.join(wrong)} in their place."
        )
    if not message.tool_calls:
        return reply
    for call in message.tool_calls:
        if not _is(call, ToolCall) or not _is(call.name, str):
            raise LLMError(f"The calls of a Reply are ToolCalls, each with a name; the model returned {call!r:.200}.")
    calls = unique_call_ids(message.tool_calls)
    if all(map(operator.is_, calls, message.tool_calls)):
        return reply
    return replace(reply, message=replace(message, tool_calls=tuple(calls)))


def _is(value: object, kind: type) -> bool:
    return isinstance(value, kind)


def _kind(value: object) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def read_call(id: str, name: str, arguments: Any) -> ToolCall:
    """A tool call from what a model or server wrote: JSON text, an object or None; unreadable arguments are marked."""
    name = clean_text(name)
    try:
        return ToolCall(id, name, parse_arguments(arguments))
    except UnreadableArguments:
        raw = arguments if isinstance(arguments, str) else repr(arguments)
        return ToolCall(id, name, {}, unreadable=clean_text(raw))


class ReplyBuilder:
    """Folds the deltas of a stream into the reply that the same model would have given unstreamed."""

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._calls: dict[int, list[CallDelta]] = {}
        self._end: EndDelta | None = None

    def add(self, delta: Delta) -> None:
        """Take the next delta."""
        match delta:
            case TextDelta(text):
                self._text.append(text)
            case ReasoningDelta(text):
                self._reasoning.append(text)
            case CallDelta():
                self._calls.setdefault(delta.index, []).append(delta)
            case EndDelta():
                self._end = delta

    def reply(self) -> Reply:
        """The reply made of all deltas so far; without an `EndDelta` its finish reason is None."""
        end = self._end or EndDelta(None)
        return build_reply(
            content="".join(self._text),
            reasoning="".join(self._reasoning),
            calls=[_joined(pieces) for _, pieces in sorted(self._calls.items())],
            finish_reason=end.finish_reason,
            usage=end.usage,
            reasoning_state=end.reasoning_state,
        )


def _joined(pieces: list[CallDelta]) -> RawCall:
    return RawCall(
        id=next((piece.id for piece in pieces if piece.id), ""),
        name=next((piece.name for piece in pieces if piece.name), ""),
        arguments="".join(piece.arguments for piece in pieces),
    )


async def collect(stream: AsyncIterator[Delta]) -> Reply:
    """Read a stream to its end and return the whole reply."""
    builder = ReplyBuilder()
    async for delta in stream:
        builder.add(delta)
    return builder.reply()
