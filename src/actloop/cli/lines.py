"""The short plain lines that tell of a run: for pipes, logs, and as parts of the live view (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, assert_never

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
    PhaseStarted,
    RunFinished,
    StopReason,
    ThinkingFinished,
    ThinkingStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.cli.safe_text import one_line
from actloop.messages import Usage

__all__ = ["call_text", "event_line", "seconds_text"]

_LINE_CHARACTERS = 200
_ARGUMENT_CHARACTERS = 60

_STOPPED: dict[StopReason, str] = {
    "answer": "",
    "max_iterations": "stopped at the iteration limit",
    "max_tokens": "stopped at the token limit",
    "max_cost": "stopped at the cost limit",
    "max_time": "stopped at the time limit",
    "max_calls": "stopped at the tool call limit",
    "stopped": "stopped on request",
    "error": "ended by an error",
}


def call_text(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call on one line: ``read_file(path="notes.txt")``, long values shortened."""
    shown = ", ".join(f"{one_line(str(key), 40)}={_argument(value)}" for key, value in arguments.items())
    return f"{one_line(name, 80)}({one_line(shown, _LINE_CHARACTERS)})"


def _argument(value: Any) -> str:
    if isinstance(value, str):
        return f'"{one_line(value, _ARGUMENT_CHARACTERS)}"'
    return one_line(json.dumps(value, ensure_ascii=False, default=str), _ARGUMENT_CHARACTERS)


def seconds_text(elapsed: float) -> str:
    """Return a time span as people write it: ``3.2 s``, ``4 min 7 s``."""
    return f"{elapsed:.1f} s" if elapsed < 60 else f"{int(elapsed // 60)} min {int(elapsed % 60)} s"


def _footer(event: RunFinished) -> str:
    """Return the line under an answer: iterations, tokens in and out, time, and why it stopped if not by answering."""
    turns = f"{event.iterations} iteration{'' if event.iterations == 1 else 's'}"
    parts = [turns, _tokens(event.usage), seconds_text(event.elapsed), _STOPPED[event.stop_reason]]
    return " · ".join(part for part in parts if part)


def _tokens(usage: Usage) -> str:
    if usage.prompt_tokens is None and usage.completion_tokens is None:
        return "tokens unknown"
    at_least = "" if usage.complete else "≥ "
    return " · ".join(
        f"{at_least}{count:,} tokens {way}"
        for count, way in ((usage.prompt_tokens, "in"), (usage.completion_tokens, "out"))
        if count is not None
    )


def event_line(event: AgentEvent, call: ToolCallStarted | None = None) -> str | None:
    """Return the short plain line that tells of ``event``, or None if it needs none.

    ``call`` is the start of the tool call whose end is told, for its arguments. The answer's text is not told.
    """
    match event:
        case ToolCallFinished():
            what = f"{call_text(event.tool_name, call.tool_args if call else {})} {seconds_text(event.elapsed)}"
            return f"✓ {what}" if event.error is None else f"✗ {what}: {one_line(event.error, _LINE_CHARACTERS)}"
        case PhaseStarted():
            return _phase(event)
        case ErrorOccurred(message=message):
            return f"! {one_line(message, 1000)}"
        case AnswerRestarted():
            return "! the answer broke off and is written anew"
        case ContextCompacted(original_messages=original, kept_messages=kept):
            return f"… {original} earlier messages were shortened to {kept}"
        case InterruptChanged(content=content, status=status):
            return None if status == "answered" else f"» {one_line(content, _LINE_CHARACTERS)} ({status})"
        case RunFinished():
            return _footer(event)
        case ThinkingStarted() | ThinkingFinished() | ToolCallStarted() | AnswerReady():
            return None
        case AnswerStarted() | AnswerDelta() | AnswerFinished():
            return None
        case _:
            assert_never(event)


def _phase(event: PhaseStarted) -> str:
    match event.phase:
        case "selecting_tools":
            return f"… choosing among {event.total_tools} tools"
        case "demoted":
            return f"! {one_line(event.reason or 'Going on in JSON mode.', _LINE_CHARACTERS)}"
        case _:
            return f"… {one_line(event.phase.replace('_', ' '), 80)}"
