"""The one place that knows what events look like outside of Python: their names and their JSON.

The service sends each event as one Server-Sent Event, the terminal's ``--json`` as one line; both take name and data
from here. Knows no web framework and no store. Everything it returns can be encoded: text is valid Unicode, numbers are
finite, and what JSON has no word for is shown as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NotRequired, assert_never

from typing_extensions import TypedDict

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
from actloop.service.wire_json import clean_object, encode_data

__all__ = [
    "AnswerData",
    "ArtifactData",
    "CompactData",
    "DoneData",
    "ErrorData",
    "EventName",
    "InjectData",
    "PhaseData",
    "ResetData",
    "StepData",
    "ToolStartData",
    "UsageData",
    "WireData",
    "encode_line",
    "usage_data",
    "wire_event",
]

EventName = Literal["phase", "step", "answer", "compact", "inject", "error", "done", "reset"]


class PhaseData(TypedDict):
    """A phase begins. ``total_tools`` comes with ``selecting_tools``, ``reason`` with ``demoted``."""

    phase: str
    total_tools: NotRequired[int]
    reason: NotRequired[str]


class ArtifactData(TypedDict):
    """What a tool made for the person; ``size`` is in bytes. The service has it at ``/api/artifacts/{id}``."""

    name: str
    media_type: str
    size: int
    id: NotRequired[str]


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
    """A tool starts. ``started_at``, in seconds since 1970, comes with stored runs, for who reads them later."""

    type: Literal["iteration"]
    status: Literal["start"]
    iteration: int
    call_id: str
    tool_name: str
    tool_args: dict[str, Any]
    started_at: NotRequired[float]


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


class AnswerEdgeData(TypedDict):
    """The streamed answer begins, or is whole."""

    status: Literal["start", "done"]


class AnswerDeltaData(TypedDict):
    """The next piece of the answer."""

    status: Literal["delta"]
    content: str


class AnswerRestartData(TypedDict):
    """Forget the text so far: the answer begins anew. ``attempt`` counts from 2."""

    status: Literal["restart"]
    attempt: int


AnswerData = AnswerEdgeData | AnswerDeltaData | AnswerRestartData


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
    """The end of a run. ``elapsed`` is in seconds, ``cost`` in US dollars, null where it is not known.

    A run that somebody cancelled, or that a shutdown or a crash of the service interrupted, has no reason of its own:
    the service says so for it.
    """

    answer: str
    iterations: int
    usage: UsageData
    elapsed: float
    cost: float | None
    stop_reason: StopReason | Literal["cancelled", "interrupted"]


class ResetData(TypedDict):
    """The offset that was asked for is not one of this run: forget everything, it follows from the first event."""


WireData = PhaseData | StepData | AnswerData | CompactData | InjectData | ErrorData | DoneData | ResetData


def wire_event(event: AgentEvent, artifact_ids: Sequence[str] = ()) -> tuple[EventName, WireData]:
    """Return the name of ``event`` on the wire and its data, ready for `json.dumps` and for UTF-8.

    artifact_ids: under which ids the event's artifacts are stored, one for each; none when they are not.
    """
    match event:
        case PhaseStarted():
            return "phase", _phase(event)
        case ThinkingStarted() | ThinkingFinished() | ToolCallStarted() | ToolCallFinished() | AnswerReady():
            return "step", _step(event, artifact_ids)
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
    artifact_ids: Sequence[str],
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
                "tool_args": clean_object(event.tool_args),
            }
        case ToolCallFinished():
            return _tool_done(event, artifact_ids)
        case AnswerReady():
            return {"type": "answer", "status": "start"}
        case _:
            assert_never(event)


def _tool_done(event: ToolCallFinished, artifact_ids: Sequence[str]) -> ToolDoneData:
    artifacts: list[ArtifactData] = [
        {"name": clean_text(item.name), "media_type": clean_text(item.media_type), "size": _size(item.content)}
        for item in event.artifacts
    ]
    for artifact, id in zip(artifacts, artifact_ids, strict=False):
        artifact["id"] = id
    return {
        "type": "iteration",
        "status": "done",
        "iteration": event.iteration,
        "call_id": clean_text(event.call_id),
        "tool_name": clean_text(event.tool_name),
        "observation": clean_text(event.observation),
        "error": None if event.error is None else clean_text(event.error),
        "iter_elapsed": round(event.elapsed, 3),
        "artifacts": artifacts,
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
        "usage": usage_data(event.usage),
        "elapsed": round(event.elapsed, 3),
        "cost": event.cost,
        "stop_reason": event.stop_reason,
    }


def usage_data(usage: Usage) -> UsageData:
    """Return ``usage`` as it is on the wire."""
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "calls": usage.calls,
        "unreported": usage.unreported,
    }


def encode_line(event: AgentEvent) -> str:
    """Return ``event`` as one line of JSON, without the line end: ``{"event": NAME, "data": {…}}``.

    The data stays under a key of its own, as in a Server-Sent Event, since some of it has a key ``event`` as well.
    """
    name, data = wire_event(event)
    return encode_data({"event": name, "data": data})
