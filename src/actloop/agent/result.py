"""What a run hands back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from actloop.agent.events import StopReason
from actloop.messages import Message, Usage
from actloop.tools import Artifact

__all__ = ["AgentResult", "StepResult"]


@dataclass(frozen=True, slots=True)
class StepResult:
    """One tool call of a run. ``error`` is the failure's text, else None; ``elapsed`` is in seconds."""

    tool_name: str
    tool_args: dict[str, Any]
    observation: str
    error: str | None
    elapsed: float
    artifacts: tuple[Artifact, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentResult:
    """A finished run.

    answer: the brief text of the last iteration, or what was found so far when the run ended early.
    messages: the whole conversation, from the system prompt to the last assistant message; always a valid history.
    stop_reason: why it ended; ``error`` says more when that is ``"error"``.
    usage: tokens of every model call of the run; elapsed: seconds.
    """

    answer: str
    steps: tuple[StepResult, ...]
    iterations: int
    usage: Usage
    elapsed: float
    messages: tuple[Message, ...]
    stop_reason: StopReason
    error: str | None = None
