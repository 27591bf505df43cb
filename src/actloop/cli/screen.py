"""Where the events of a run are shown: a live terminal, plain text for pipes, or lines of JSON."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, redirect_stdout
from typing import Protocol, Self, TextIO

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

from actloop.agent.events import (
    AgentEvent,
    AnswerDelta,
    AnswerRestarted,
    RunFinished,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.cli.keyboard import TypedLine
from actloop.cli.lines import event_line
from actloop.cli.render import RunView
from actloop.cli.safe_text import safe_text
from actloop.service.wire import encode_line

__all__ = ["JsonScreen", "LiveScreen", "PlainScreen", "Screen", "can_move", "screen_for", "show_run"]

_FRAME = 0.1
"""Seconds between two pictures of what moves."""


class Screen(Protocol):
    """Shows one run. Entered before its first event, left after its last one."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exc_info: object) -> None: ...

    def show(self, event: AgentEvent) -> None:
        """Show what happened."""
        ...

    def tick(self) -> None:
        """Time has passed: draw again what depends on it."""
        ...

    def cancelled(self) -> None:
        """The person stopped the run; no event will follow."""
        ...


async def show_run(events: AsyncGenerator[AgentEvent], screen: Screen) -> RunFinished:
    """Show a run from its first event to its last one, and return that. On cancellation the screen says so."""
    loop = asyncio.get_running_loop()
    finished: RunFinished | None = None
    with screen:
        ticker = _Ticker(loop, screen)
        try:
            async with aclosing(events) as stream:
                async for event in stream:
                    screen.show(event)
                    if isinstance(event, RunFinished):
                        finished = event
        except asyncio.CancelledError:
            screen.cancelled()
            raise
        finally:
            ticker.stop()
    assert finished is not None, "a run ends with RunFinished"
    return finished


class _Ticker:
    """Calls ``screen.tick`` again and again on the event loop, without a task that somebody would have to own."""

    def __init__(self, loop: asyncio.AbstractEventLoop, screen: Screen) -> None:
        self._loop = loop
        self._screen = screen
        self._handle = loop.call_later(_FRAME, self._tick)

    def _tick(self) -> None:
        self._screen.tick()
        self._handle = self._loop.call_later(_FRAME, self._tick)

    def stop(self) -> None:
        self._handle.cancel()


class LiveScreen:
    """A terminal that can move its cursor: finished parts scroll up, the last lines move.

    ``typed`` is what the person is typing meanwhile; it is shown under all else.
    """

    def __init__(self, console: Console, typed: TypedLine | None = None) -> None:
        self._console = console
        self._typed = typed or TypedLine()
        self._view = RunView()
        self._live = Live(console=console, auto_refresh=False, transient=True, get_renderable=self._picture)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._live.stop()

    def show(self, event: AgentEvent) -> None:
        self._print(self._view.update(event))

    def tick(self) -> None:
        self._live.refresh()

    def cancelled(self) -> None:
        self._print(self._view.interrupted())

    def _picture(self) -> RenderableType:
        typed = [Text(f"› {self._typed.text}", "bold")] if self._typed.text else []
        return _Bottom(Group(self._view.live(), *typed))

    def _print(self, parts: list[RenderableType]) -> None:
        if parts:
            self._console.print(Group(*parts))


class _Bottom:
    """The last lines of a renderable, as many as the terminal has room for."""

    def __init__(self, renderable: RenderableType) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(self._renderable, options, pad=False)
        for line in lines[-max(1, console.height - 2) :]:
            yield from line
            yield Segment.line()


class _PipeScreen:
    """For standard output that a program may read: what tools print meanwhile goes to standard error."""

    def __init__(self, out: TextIO, err: TextIO) -> None:
        self._out = out
        self._err = err
        self._tools_output = redirect_stdout(err)

    def __enter__(self) -> Self:
        self._tools_output.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._tools_output.__exit__(None, None, None)
        self._out.flush()

    def tick(self) -> None:
        """Nothing moves here."""

    def cancelled(self) -> None:
        print("! interrupted", file=self._err, flush=True)


class PlainScreen(_PipeScreen):
    """Text without control codes: the answer to ``out`` once it is whole, a short line for all else to ``err``.

    A run that ends with an error has no answer.
    """

    def __init__(self, out: TextIO, err: TextIO) -> None:
        super().__init__(out, err)
        self._calls: dict[str, ToolCallStarted] = {}
        self._answer: list[str] = []

    def show(self, event: AgentEvent) -> None:
        call = None
        match event:
            case ToolCallStarted(call_id=call_id):
                self._calls[call_id] = event
            case ToolCallFinished(call_id=call_id):
                call = self._calls.pop(call_id, None)
            case AnswerDelta(content=content):
                self._answer.append(content)
            case AnswerRestarted():
                self._answer.clear()
            case RunFinished(answer=answer, stop_reason=reason):
                # what stands in for an answer is none, to a program that reads it
                out = self._err if reason == "error" else self._out
                print(safe_text("".join(self._answer) or answer).strip(), file=out, flush=True)
            case _:
                pass
        if line := event_line(event, call):
            print(line, file=self._err, flush=True)


class JsonScreen(_PipeScreen):
    """One wire event a line on ``out``, as `actloop.service.wire.encode_line` writes it."""

    def show(self, event: AgentEvent) -> None:
        print(encode_line(event), file=self._out, flush=True)


def screen_for(out: TextIO, err: TextIO) -> Screen:
    """The screen for a person if ``out`` is a terminal that can move its cursor, else the one for pipes."""
    return LiveScreen(Console(file=out)) if can_move(out) else PlainScreen(out, err)


def can_move(out: TextIO) -> bool:
    """Whether ``out`` is a terminal that can move its cursor. ``FORCE_COLOR`` makes no terminal of a pipe."""
    console = Console(file=out)
    return out.isatty() and console.is_terminal and not console.is_dumb_terminal
