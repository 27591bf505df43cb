"""The events of a run, as a person at a terminal sees them (pure: knows no terminal, the clock is handed in)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

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
    ThinkingFinished,
    ThinkingStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.cli.lines import call_text, event_line, seconds_text
from actloop.cli.markdown import MarkdownBlock, split_finished
from actloop.cli.safe_text import one_line, safe_text

__all__ = ["RunView"]

_OBSERVATION_LINES = 4
_REASONING_CHARACTERS = 300
_WORTH_TELLING = 0.05
"""Seconds; a quicker tool shows no time."""


@dataclass(frozen=True, slots=True)
class _Running:
    call: ToolCallStarted
    since: float


class RunView:
    """What a terminal shows of one run: finished parts to print once, and a live part to draw again and again."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._running: dict[str, _Running] = {}
        self._busy: tuple[str, float] | None = None
        self._answer = ""
        self._something_above = False
        self._answer_whole = False
        self._spinner = Spinner("dots")

    def update(self, event: AgentEvent) -> list[RenderableType]:
        """Take the next event; return what is finished by it, to be printed above the live part."""
        parts = self._finished_by(event)
        self._something_above = self._something_above or bool(parts)
        return parts

    def _finished_by(self, event: AgentEvent) -> list[RenderableType]:
        match event:
            case ThinkingStarted():
                return self._wait("thinking")
            case AnswerReady() | AnswerStarted():
                self._answer_whole = False
                return self._wait("writing the answer")
            case ThinkingFinished(reasoning=reasoning):
                self._busy = None
                return [Text(one_line(reasoning, _REASONING_CHARACTERS), "dim italic")] if reasoning.strip() else []
            case ToolCallStarted():
                self._running[event.call_id] = _Running(event, self._clock())
                return []
            case ToolCallFinished():
                running = self._running.pop(event.call_id, None)
                return list(_card(event, running.call.tool_args if running else {}))
            case AnswerDelta(content=content):
                self._busy = None
                return self._answer_grew(content)
            case AnswerFinished():
                self._busy = None
                self._answer_whole = True
                return self._flush_answer()
            case AnswerRestarted():
                self._answer_whole = False
                return [*self._flush_answer(), *self._line(event, "yellow")]
            case RunFinished():
                self._busy = None
                return [*self._unstreamed_answer(event.answer), Text(""), *self._line(event, "dim")]
            case ErrorOccurred(recoverable=recoverable):
                return self._line(event, "yellow" if recoverable else "bold red")
            case PhaseStarted(phase=phase):
                return self._line(event, "yellow" if phase == "demoted" else "dim")
            case ContextCompacted() | InterruptChanged():
                return self._line(event, "dim")
            case _:
                assert_never(event)

    def live(self) -> RenderableType:
        """What still moves: running tools with their time, the block of the answer that is being written, the wait."""
        rows: list[RenderableType] = [
            self._waiting(call_text(item.call.tool_name, item.call.tool_args), item.since, "cyan")
            for item in self._running.values()
        ]
        if self._answer:
            rows += self._block(self._answer)
        if self._busy and not self._running:
            rows.append(self._waiting(*self._busy, "dim"))
        return Group(*rows)

    def interrupted(self) -> list[RenderableType]:
        """The run was cancelled: return what had been shown as live, marked as unfinished."""
        rows: list[RenderableType] = [
            Text(f"✗ {call_text(item.call.tool_name, item.call.tool_args)} cancelled", "red")
            for item in self._running.values()
        ]
        self._running.clear()
        self._busy = None
        return [*rows, *self._flush_answer(), Text("interrupted", "yellow")]

    def _line(self, event: AgentEvent, style: str) -> list[RenderableType]:
        line = event_line(event)
        return [Text(line, style)] if line else []

    def _wait(self, what: str) -> list[RenderableType]:
        self._busy = (what, self._clock())
        return []

    def _waiting(self, what: str, since: float, style: str) -> RenderableType:
        row = Table.grid(padding=(0, 1))
        row.add_column(no_wrap=True)
        row.add_column(no_wrap=True, overflow="ellipsis")
        row.add_column(no_wrap=True)
        row.add_row(self._spinner, Text(what, style), Text(seconds_text(self._clock() - since), "dim"))
        return row

    def _answer_grew(self, content: str) -> list[RenderableType]:
        self._answer += content
        if "\n" not in content:
            return []
        finished, self._answer = split_finished(safe_text(self._answer))
        return self._print_block(finished)

    def _flush_answer(self) -> list[RenderableType]:
        rest, self._answer = self._answer, ""
        return self._print_block(rest)

    def _unstreamed_answer(self, answer: str) -> list[RenderableType]:
        """The answer of a run that ended before a stream of it was whole: nobody has seen all of it yet."""
        if self._answer_whole:
            return []
        return [*self._flush_answer(), *self._print_block(answer)]

    def _print_block(self, text: str) -> list[RenderableType]:
        if not text.strip():
            return []
        return self._block(text)

    def _block(self, text: str) -> list[RenderableType]:
        gap: list[RenderableType] = [Text("")] if self._something_above else []
        return [*gap, MarkdownBlock(text)]


def _card(event: ToolCallFinished, arguments: Mapping[str, Any]) -> Iterable[RenderableType]:
    failed = event.error is not None
    title = Text(no_wrap=True, overflow="ellipsis")
    title.append("✗ " if failed else "✓ ", "bold red" if failed else "green")
    title.append(call_text(event.tool_name, arguments), "red" if failed else "cyan")
    title.append(f" {seconds_text(event.elapsed)}" if event.elapsed >= _WORTH_TELLING else "", "dim")
    yield title
    lines = safe_text(event.error if event.error is not None else event.observation).strip().split("\n")
    for line in lines[:_OBSERVATION_LINES]:
        yield Padding(Text(line, "red" if failed else "dim", no_wrap=True, overflow="ellipsis"), (0, 0, 0, 2))
    if len(lines) > _OBSERVATION_LINES:
        yield Padding(Text(f"… {len(lines) - _OBSERVATION_LINES} more lines", "dim italic"), (0, 0, 0, 2))
    for artifact in event.artifacts:
        made = f"made {one_line(artifact.name, 80)} ({one_line(artifact.media_type, 40)})"
        yield Padding(Text(made, "magenta"), (0, 0, 0, 2))
