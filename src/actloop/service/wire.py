"""The one place that knows what events look like outside of Python: their names and their JSON.

The service sends each event as one Server-Sent Event, the terminal's ``--json`` as one line; both take name and data
from here. Knows no web framework and no store. Everything it returns can be encoded: text is valid Unicode, numbers are
finite, and what JSON has no word for is shown as text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict, assert_never

from actloop.agent.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReady,
    AnswerRestarted,
    AnswerStarted,
    ContextCompacted,
    ErrorOccurred,
    InterruptChanged,
    InterruptStatus,
    PhaseStarted,
    RunFinished,
    StopReason,
    ThinkingFinished,
    ThinkingStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.messages import Usage, clean_text

__all__ = [
    "AnswerData",
    "ArtifactData",
    "CompactData",
    "DoneData",
    "ErrorData",
    "EventName",
    "InjectData",
    "PhaseData",
    "StepData",
    "UsageData",
    "WireData",
    "encode_data",
    "encode_line",
    "wire_event",
]

EventName = Literal["phase", "step", "answer", "compact", "inject", "error", "done"]


class PhaseData(TypedDict):
    """A phase begins. ``total_tools`` comes with ``selecting_tools``, ``reason`` with ``demoted``."""

    phase: str
    total_tools: NotRequired[int]
    reason: NotRequired[str]


class ArtifactData(TypedDict):
    """What a tool made for the person; ``size`` is in bytes."""

    name: str
    media_type: str
    size: int


class ThinkingStartData(TypedDict):
    """The model is about to be asked."""

    type: Literal["thinking"]
    status: Literal["start"]
    iteration: int


class ThinkingDoneData(TypedDict):
    """The model's reply was read."""

    type: Literal["thinking"]
    status: Literal["done"]
    iteration: int
    reasoning: str


class ToolStartData(TypedDict):
    """A tool starts."""

    type: Literal["iteration"]
    status: Literal["start"]
    iteration: int
    call_id: str
    tool_name: str
    tool_args: dict[str, Any]


class ToolDoneData(TypedDict):
    """A tool call ended. ``iter_elapsed`` is in seconds, ``error`` null unless it failed."""

    type: Literal["iteration"]
    status: Literal["done"]
    iteration: int
    call_id: str
    tool_name: str
    observation: str
    error: str | None
    iter_elapsed: float
    artifacts: list[ArtifactData]


class AnswerReadyData(TypedDict):
    """The tool loop is done."""

    type: Literal["answer"]
    status: Literal["start"]


StepData = ThinkingStartData | ThinkingDoneData | ToolStartData | ToolDoneData | AnswerReadyData


class AnswerData(TypedDict):
    """The streamed answer. ``content`` comes with ``delta``, ``attempt`` (from 2) with ``restart``."""

    status: Literal["start", "delta", "restart", "done"]
    content: NotRequired[str]
    attempt: NotRequired[int]


class CompactData(TypedDict):
    """The history was summarised."""

    original_messages: int
    kept_messages: int


class InjectData(TypedDict):
    """The receipt of an interrupt. ``iteration`` is null until one has taken it up."""

    type: Literal["inject"]
    id: str
    content: str
    status: InterruptStatus
    iteration: int | None


class ErrorData(TypedDict):
    """Something the person should see."""

    message: str
    recoverable: bool


class UsageData(TypedDict):
    """Tokens of the whole run; a figure that nobody reported is null, and missed in ``unreported`` of ``calls``."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    calls: int
    unreported: int


class DoneData(TypedDict):
    """The end of a run. ``elapsed`` is in seconds."""

    answer: str
    iterations: int
    usage: UsageData
    elapsed: float
    stop_reason: StopReason


WireData = PhaseData | StepData | AnswerData | CompactData | InjectData | ErrorData | DoneData


def wire_event(event: AgentEvent) -> tuple[EventName, WireData]:
    """Return the name of ``event`` on the wire and its data, ready for `json.dumps` and for UTF-8."""
    match event:
        case PhaseStarted():
            return "phase", _phase(event)
        case ThinkingStarted() | ThinkingFinished() | ToolCallStarted() | ToolCallFinished() | AnswerReady():
            return "step", _step(event)
        case AnswerStarted() | AnswerDelta() | AnswerRestarted() | AnswerFinished():
            return "answer", _answer(event)
        case ContextCompacted(original_messages=original, kept_messages=kept):
            return "compact", {"original_messages": original, "kept_messages": kept}
        case InterruptChanged():
            return "inject", _inject(event)
        case ErrorOccurred(message=message, recoverable=recoverable):
            return "error", {"message": clean_text(message), "recoverable": recoverable}
        case RunFinished():
            return "done", _done(event)
        case _:
            assert_never(event)


def _phase(event: PhaseStarted) -> PhaseData:
    data: PhaseData = {"phase": event.phase}
    if event.total_tools is not None:
        data["total_tools"] = event.total_tools
    if event.reason is not None:
        data["reason"] = clean_text(event.reason)
    return data


def _step(
    event: ThinkingStarted | ThinkingFinished | ToolCallStarted | ToolCallFinished | AnswerReady,
) -> StepData:
    match event:
        case ThinkingStarted(iteration=iteration):
            return {"type": "thinking", "status": "start", "iteration": iteration}
        case ThinkingFinished(iteration=iteration, reasoning=reasoning):
            return {"type": "thinking", "status": "done", "iteration": iteration, "reasoning": clean_text(reasoning)}
        case ToolCallStarted():
            return {
                "type": "iteration",
                "status": "start",
                "iteration": event.iteration,
                "call_id": clean_text(event.call_id),
                "tool_name": clean_text(event.tool_name),
                "tool_args": _clean_object(event.tool_args),
            }
        case ToolCallFinished():
            return _tool_done(event)
        case AnswerReady():
            return {"type": "answer", "status": "start"}
        case _:
            assert_never(event)


def _tool_done(event: ToolCallFinished) -> ToolDoneData:
    return {
        "type": "iteration",
        "status": "done",
        "iteration": event.iteration,
        "call_id": clean_text(event.call_id),
        "tool_name": clean_text(event.tool_name),
        "observation": clean_text(event.observation),
        "error": None if event.error is None else clean_text(event.error),
        "iter_elapsed": round(event.elapsed, 3),
        "artifacts": [
            {"name": clean_text(item.name), "media_type": clean_text(item.media_type), "size": _size(item.content)}
            for item in event.artifacts
        ],
    }


def _size(content: str | bytes) -> int:
    return len(content) if isinstance(content, bytes) else len(clean_text(content).encode())


def _answer(event: AnswerStarted | AnswerDelta | AnswerRestarted | AnswerFinished) -> AnswerData:
    match event:
        case AnswerStarted():
            return {"status": "start"}
        case AnswerDelta(content=content):
            return {"status": "delta", "content": clean_text(content)}
        case AnswerRestarted(attempt=attempt):
            return {"status": "restart", "attempt": attempt}
        case AnswerFinished():
            return {"status": "done"}
        case _:
            assert_never(event)


def _inject(event: InterruptChanged) -> InjectData:
    return {
        "type": "inject",
        "id": event.id,
        "content": clean_text(event.content),
        "status": event.status,
        "iteration": event.iteration,
    }


def _done(event: RunFinished) -> DoneData:
    return {
        "answer": clean_text(event.answer),
        "iterations": event.iterations,
        "usage": _usage(event.usage),
        "elapsed": round(event.elapsed, 3),
        "stop_reason": event.stop_reason,
    }


def _usage(usage: Usage) -> UsageData:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "calls": usage.calls,
        "unreported": usage.unreported,
    }


_MAX_DEPTH = 100
"""Deeper nesting than any argument needs, and far from where Python's JSON encoder gives up."""

_MAX_INT_BITS = 10_000
"""Python refuses to write integers of more than 4,300 digits (about 14,000 bits) in decimal."""


def _clean_object(value: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    return {clean_text(str(key)): _clean_value(item, depth + 1) for key, item in value.items()}


def _clean_value(value: Any, depth: int) -> Any:
    """Return ``value`` as JSON can say it: NaN and infinities are null, strangers their `str`."""
    if depth > _MAX_DEPTH:
        return "…"
    match value:
        case None | bool():
            return value
        case str():
            return clean_text(value)
        case int():
            return value if value.bit_length() <= _MAX_INT_BITS else f"{value:#x}"
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return _clean_object(value, depth)
        case list() | tuple():
            return [_clean_value(item, depth + 1) for item in value]
        case _:
            return clean_text(str(value))


_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}
"""What the JSON encoder leaves as it is, though a terminal obeys it or a reader takes it for a line end."""


def encode_data(data: Mapping[str, object]) -> str:
    """Return ``data`` as JSON on one line, in the eyes of every reader: no raw control or line end in it."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)


def encode_line(event: AgentEvent) -> str:
    """Return ``event`` as one line of JSON, without the line end: ``{"event": NAME, "data": {…}}``.

    The data stays under a key of its own, as in a Server-Sent Event, since some of it has a key ``event`` as well.
    """
    name, data = wire_event(event)
    return encode_data({"event": name, "data": data})
