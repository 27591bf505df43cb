"""Everything a run can report: one closed union of immutable events, named for what just happened.

`actloop.service.wire` alone knows the names they have on the wire.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from actloop.messages import Usage
from actloop.tools import Artifact

__all__ = [
    "AgentEvent",
    "AnswerDelta",
    "AnswerFinished",
    "AnswerReady",
    "AnswerRestarted",
    "AnswerStarted",
    "ContextCompacted",
    "Emit",
    "ErrorOccurred",
    "InterruptChanged",
    "InterruptStatus",
    "PhaseStarted",
    "RunFinished",
    "StopReason",
    "ThinkingFinished",
    "ThinkingStarted",
    "ToolCallFinished",
    "ToolCallStarted",
]

StopReason = Literal["answer", "max_iterations", "max_tokens", "max_cost", "max_time", "max_calls", "stopped", "error"]
InterruptStatus = Literal["queued", "delivered", "answered", "returned"]


@dataclass(frozen=True, slots=True)
class PhaseStarted:
    """A phase began, for example ``selecting_tools`` (with ``total_tools``) or ``demoted`` (with the reason)."""

    phase: str
    total_tools: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ThinkingStarted:
    """The model is about to be asked."""

    iteration: int


@dataclass(frozen=True, slots=True)
class ThinkingFinished:
    """The model's reply was read; its tools have not started yet."""

    iteration: int
    reasoning: str


@dataclass(frozen=True, slots=True)
class ToolCallStarted:
    """A tool is about to run (or to be answered with an error)."""

    iteration: int
    call_id: str
    tool_name: str
    tool_args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCallFinished:
    """A tool call ended. ``error`` is the failure's text, else None; ``elapsed`` is in seconds."""

    iteration: int
    call_id: str
    tool_name: str
    observation: str
    error: str | None
    elapsed: float
    artifacts: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerReady:
    """The tool loop is done; what follows is the answer."""


@dataclass(frozen=True, slots=True)
class AnswerStarted:
    """The streamed answer begins."""


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    """The next piece of the answer."""

    content: str


@dataclass(frozen=True, slots=True)
class AnswerRestarted:
    """The answer broke off: forget the text so far, it begins anew. ``attempt`` counts from 2."""

    attempt: int


@dataclass(frozen=True, slots=True)
class AnswerFinished:
    """The streamed answer is whole."""


@dataclass(frozen=True, slots=True)
class ContextCompacted:
    """Earlier messages were summarised or dropped so that the request fits."""

    original_messages: int
    kept_messages: int


@dataclass(frozen=True, slots=True)
class InterruptChanged:
    """The receipt of something a person wrote while the agent worked, at each change of its status."""

    id: str
    content: str
    status: InterruptStatus
    iteration: int | None = None


@dataclass(frozen=True, slots=True)
class ErrorOccurred:
    """Something the person should see went wrong."""

    message: str
    recoverable: bool


@dataclass(frozen=True, slots=True)
class RunFinished:
    """Always last, exactly once. ``elapsed`` is in seconds.

    cost: US dollars; None unless the limits know a price and every call reported its tokens.
    """

    answer: str
    iterations: int
    usage: Usage
    elapsed: float
    stop_reason: StopReason
    cost: float | None = None


AgentEvent = (
    PhaseStarted
    | ThinkingStarted
    | ThinkingFinished
    | ToolCallStarted
    | ToolCallFinished
    | AnswerReady
    | AnswerStarted
    | AnswerDelta
    | AnswerRestarted
    | AnswerFinished
    | ContextCompacted
    | InterruptChanged
    | ErrorOccurred
    | RunFinished
)

Emit = Callable[[AgentEvent], None]
