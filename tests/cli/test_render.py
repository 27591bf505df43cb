"""What a person sees of a run, with a clock in the test's hand and no terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType

from actloop.agent.events import (
    AgentEvent,
    AnswerDelta,
    AnswerFinished,
    AnswerReady,
    AnswerRestarted,
    AnswerStarted,
    ErrorOccurred,
    PhaseStarted,
    RunFinished,
    ThinkingFinished,
    ThinkingStarted,
    ToolCallFinished,
    ToolCallStarted,
)
from actloop.cli.render import RunView
from actloop.messages import Usage
from actloop.tools import Artifact


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def text(*parts: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(Group(*parts))
    assert isinstance(console.file, io.StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n")).strip("\n")


def printed(view: RunView, events: Iterable[AgentEvent]) -> str:
    return text(*(part for event in events for part in view.update(event)))


READ = ToolCallStarted(1, "c1", "read_file", {"path": "notes.txt", "limit": 3})


def test_a_running_tool_shows_its_arguments_and_its_time() -> None:
    clock = Clock()
    view = RunView(clock=clock)
    assert printed(view, [READ]) == ""
    clock.now += 3.21
    assert 'read_file(path="notes.txt", limit=3) 3.2 s' in text(view.live())


def test_a_finished_tool_becomes_a_card_with_the_first_lines_of_its_result() -> None:
    view = RunView()
    observation = "\n".join(f"line {number}" for number in range(1, 8))
    artifact = Artifact("chart.html", "text/html", "<b>")
    done = ToolCallFinished(1, "c1", "read_file", observation, None, 1.26, (artifact,))
    assert printed(view, [READ, done]).split("\n") == [
        '✓ read_file(path="notes.txt", limit=3) 1.3 s',
        "  line 1",
        "  line 2",
        "  line 3",
        "  line 4",
        "  … 3 more lines",
        "  made chart.html (text/html)",
    ]
    assert text(view.live()) == ""


def test_a_failed_tool_shows_its_error() -> None:
    failed = ToolCallFinished(1, "c1", "read_file", "irrelevant", "ToolError: no such file", 0.001)
    assert printed(RunView(), [READ, failed]) == ('✗ read_file(path="notes.txt", limit=3)\n  ToolError: no such file')


def test_tools_that_run_side_by_side_each_have_their_line() -> None:
    view = RunView()
    view.update(READ)
    view.update(ToolCallStarted(1, "c2", "read_file", {"path": "other.txt"}))
    view.update(ToolCallFinished(1, "c1", "read_file", "x", None, 0.1))
    assert "notes.txt" not in text(view.live())
    assert 'read_file(path="other.txt")' in text(view.live())


def test_long_arguments_keep_to_one_line() -> None:
    call = ToolCallStarted(1, "c1", "write", {"text": "word \n" * 10_000, "items": list(range(1000))})
    view = RunView()
    view.update(call)
    assert len(text(view.live()).split("\n")) == 1
    assert len(printed(view, [ToolCallFinished(1, "c1", "write", "ok", None, 0.0)]).split("\n")) == 2


def test_the_wait_for_the_model_says_what_is_waited_for() -> None:
    view = RunView(clock=Clock())
    view.update(ThinkingStarted(1))
    assert "thinking 0.0 s" in text(view.live())
    assert printed(view, [ThinkingFinished(1, "look\nit   up")]) == "look it up"
    view.update(AnswerReady())
    assert "writing the answer" in text(view.live())


def test_an_answer_is_printed_block_by_block_while_its_end_stays_live() -> None:
    view = RunView()
    view.update(AnswerStarted())
    assert printed(view, [AnswerDelta("First.\n\nSec"), AnswerDelta("ond.\n")]) == "First."
    assert text(view.live()) == "Second."
    assert printed(view, [AnswerFinished()]) == "Second."
    assert text(view.live()) == ""


def test_an_answer_that_begins_anew_is_shown_whole_after_a_notice() -> None:
    view = RunView()
    events: list[AgentEvent] = [
        AnswerStarted(),
        AnswerDelta("Half an ans"),
        AnswerRestarted(2),
        AnswerDelta("All of it."),
        AnswerFinished(),
    ]
    assert printed(view, events).split("\n") == [
        "Half an ans",
        "! the answer broke off and is written anew",
        "",
        "All of it.",
    ]


def test_the_footer_tells_turns_tokens_and_time() -> None:
    finished = RunFinished("x", 2, Usage(1234, 56, calls=3), 12.34, "answer")
    assert printed(RunView(), [AnswerStarted(), AnswerDelta("x"), AnswerFinished(), finished]) == (
        "x\n\n2 iterations · 1,234 tokens in · 56 tokens out · 12.3 s"
    )


def test_the_footer_is_honest_about_unknown_tokens_and_early_ends() -> None:
    unknown = RunFinished("x", 1, Usage(calls=1, unreported=1), 61.0, "max_time")
    partly = RunFinished("x", 1, Usage(10, None, calls=2, unreported=1), 1.0, "answer")
    assert printed(RunView(), [unknown]).endswith(
        "1 iteration · tokens unknown · 1 min 1 s · stopped at the time limit"
    )
    assert printed(RunView(), [partly]).endswith("1 iteration · ≥ 10 tokens in · 1.0 s")


def test_an_answer_that_was_never_streamed_is_shown_at_the_end() -> None:
    finished = RunFinished("What was found so far.", 1, Usage(1, 1, calls=1), 1.0, "error")
    shown = printed(RunView(), [ErrorOccurred("the server is gone", recoverable=False), finished])
    assert shown.startswith("! the server is gone\n\nWhat was found so far.\n")


def test_phases_and_demotion_are_told() -> None:
    events: list[AgentEvent] = [
        PhaseStarted("selecting_tools", 20),
        PhaseStarted("demoted", reason="The provider refuses tools."),
        PhaseStarted("re_planning"),
    ]
    assert printed(RunView(), events).split("\n") == [
        "… choosing among 20 tools",
        "! The provider refuses tools.",
        "… re planning",
    ]


def test_a_cancelled_run_leaves_nothing_live() -> None:
    view = RunView()
    for event in (READ, AnswerStarted(), AnswerDelta("Half")):
        view.update(event)
    assert text(*view.interrupted()).split("\n") == [
        '✗ read_file(path="notes.txt", limit=3) cancelled',
        "Half",
        "interrupted",
    ]
    assert text(view.live()) == ""


def test_orders_to_the_terminal_and_console_markup_are_shown_as_words_or_not_at_all() -> None:
    evil = "\x1b]0;title\x07[bold red]x[/] \x1b[2J"
    events: list[AgentEvent] = [
        ThinkingFinished(1, evil),
        ToolCallStarted(1, evil, evil, {evil: evil}),
        ToolCallFinished(1, evil, evil, evil, None, 0.0, (Artifact(evil, evil, ""),)),
        ToolCallFinished(1, "c", evil, evil, evil, 0.0),
        ErrorOccurred(evil, recoverable=True),
        PhaseStarted(evil),
        AnswerStarted(),
        AnswerDelta(evil),
        AnswerFinished(),
    ]
    shown = printed(RunView(), events)
    assert "\x1b" not in shown
    assert "title" not in shown
    assert shown.count("[bold red]x[/]") >= 10
