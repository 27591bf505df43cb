"""The screens: what goes where, and what a cancelled or a very long run leaves."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncGenerator

import pytest
from rich.console import Console

from actloop.agent.events import AgentEvent, AnswerDelta, AnswerFinished, AnswerRestarted, AnswerStarted, RunFinished
from actloop.cli.screen import LiveScreen, PlainScreen, screen_for, show_run
from actloop.messages import Usage

FINISHED = RunFinished("The answer.", 1, Usage(1, 1, calls=1), 0.5, "answer")


async def run_of(*events: AgentEvent) -> AsyncGenerator[AgentEvent]:
    for event in events:
        yield event


def a_terminal(height: int = 24) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=60, height=height, color_system=None)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.asyncio
async def test_a_pipe_never_sees_an_answer_that_broke_off() -> None:
    out, err = io.StringIO(), io.StringIO()
    events: list[AgentEvent] = [
        AnswerStarted(),
        AnswerDelta("Half an"),
        AnswerRestarted(2),
        AnswerDelta("The ans"),
        AnswerDelta("wer."),
    ]
    assert await show_run(run_of(*events, AnswerFinished(), FINISHED), PlainScreen(out, err)) is FINISHED
    assert out.getvalue() == "The answer.\n"
    assert err.getvalue().splitlines()[0] == "! the answer broke off and is written anew"


@pytest.mark.asyncio
async def test_a_terminal_gets_every_line_of_an_answer_longer_than_itself_once() -> None:
    console = a_terminal(height=10)
    lines = [f"- point {number}" for number in range(100)]
    deltas = [AnswerDelta(line + "\n") for line in lines]
    await show_run(run_of(AnswerStarted(), *deltas, AnswerFinished(), FINISHED), LiveScreen(console))
    shown = [line.strip() for line in written(console).split("\n")]
    assert [shown.count(f"• point {number}") for number in range(1, 100)] == [1] * 99


@pytest.mark.asyncio
async def test_what_moves_has_never_more_lines_than_the_terminal() -> None:
    console = a_terminal(height=10)
    screen = LiveScreen(console)
    with screen:
        screen.show(AnswerDelta("\n".join(f"- point {number}" for number in range(100))))
        screen.tick()
        assert 5 <= written(console).count("point") <= 10
        assert "point 99" in written(console)


@pytest.mark.asyncio
async def test_a_cancelled_run_is_told_and_the_cancellation_goes_on() -> None:
    out, err = io.StringIO(), io.StringIO()
    begun = asyncio.Event()

    async def endless() -> AsyncGenerator[AgentEvent]:
        yield AnswerDelta("Half an")
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(show_run(endless(), PlainScreen(out, err)))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (out.getvalue(), err.getvalue()) == ("", "! interrupted\n")


class Tty(io.StringIO):
    """Says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_pipe_and_a_dumb_terminal_get_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(screen_for(Tty(), io.StringIO()), LiveScreen)
    assert isinstance(screen_for(io.StringIO(), io.StringIO()), PlainScreen)
    monkeypatch.setenv("TERM", "dumb")
    assert isinstance(screen_for(Tty(), io.StringIO()), PlainScreen)
