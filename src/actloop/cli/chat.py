"""``actloop chat``: questions from a terminal or a pipe, answers to it, commands that start with a slash."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from actloop.cli.conversation import Conversation
from actloop.cli.keyboard import Keyboard, TypedLine
from actloop.cli.listing import print_tools
from actloop.cli.prompt import Prompt
from actloop.cli.pull import ensure_model
from actloop.cli.run import exit_code
from actloop.cli.safe_text import one_line
from actloop.cli.screen import LiveScreen, can_move, screen_for
from actloop.config import Settings, load_settings
from actloop.config.wiring import build_tools, embedded_model, served_name
from actloop.errors import ActloopError, ConfigError
from actloop.llm.local_models import CatalogueModel
from actloop.tools import Tool

__all__ = ["chat"]

_HELP = """\
/new            begin a new conversation
/model [P:M]    show the model, or go on with another one, such as openai:gpt-5-mini
/tools          list the tools
/help           this text
/quit           leave (also Ctrl-D)
Ctrl-C stops an answer; what you type while the agent works reaches it between two steps."""


def chat(settings: Settings, tools_file: Path | None, *, base_url: str | None = None) -> int:
    """Talk until the person leaves or the input ends; return the exit code. ``base_url`` goes with a later ``/model``.

    Without a terminal, each line of standard input is a question. Input that ends at once asks for nothing: then this
    says what it would serve, and fetches no model.
    """
    tools = build_tools(settings, tools_file)
    if sys.stdin.isatty() and can_move(sys.stdout):
        ensure_model(settings)
        return _Terminal(settings, tools, base_url).talk()
    first = sys.stdin.readline()
    if not first:
        _introduce(settings, tools)
        return 0
    ensure_model(settings)
    return _answer_lines(settings, tools, first)


def _about(model: CatalogueModel) -> str:
    return f"{model.name} runs in this process. {model.summary} For a better model: actloop models, or --model."


def _introduce(settings: Settings, tools: Sequence[Tool]) -> None:
    print(f"actloop chat would serve {served_name(settings)} with {len(tools)} tools:")
    print_tools(tools)
    if embedded := embedded_model(settings):
        print(_about(embedded))
    print("Start it in a terminal to talk, or send questions, one a line: echo 'What is 6 * 7?' | actloop chat")


def _answer_lines(settings: Settings, tools: Sequence[Tool], first: str) -> int:
    """Answer each line of standard input; exit code 1 if one question got no answer."""
    code = 0
    conversation = Conversation(settings, tools)
    with asyncio.Runner() as runner:
        try:
            line = first
            while line:
                if line.strip():
                    finished = runner.run(conversation.ask(line.strip(), screen_for(sys.stdout, sys.stderr)))
                    code |= exit_code(finished)
                line = sys.stdin.readline()
        finally:
            runner.run(conversation.aclose())
    return code


class _Terminal:
    """The conversation with a person: a prompt, a run, a prompt. The event loop stands still while the prompt waits."""

    def __init__(self, settings: Settings, tools: Sequence[Tool], base_url: str | None) -> None:
        self._settings = settings
        self._base_url = base_url
        self._tools = tools
        self._console = Console()
        self._prompt = Prompt(settings.data_dir / "chat_history")
        self._conversation = Conversation(settings, tools)
        self._commands: dict[str, Callable[[asyncio.Runner, str], None]] = {
            "/help": lambda runner, words: self._say(_HELP),
            "/new": self._new,
            "/tools": lambda runner, words: print_tools(self._tools),
            "/model": self._model,
        }

    def talk(self) -> int:
        self._say(f"actloop · {served_name(self._settings)} · {len(self._tools)} tools · /help")
        if embedded := embedded_model(self._settings):
            self._say(_about(embedded))
        with asyncio.Runner() as runner, self._prompt:
            try:
                while (line := self._next_line()) not in (None, "/quit"):
                    self._handle(runner, line or "")
            finally:
                runner.run(self._conversation.aclose())
        return 0

    def _next_line(self) -> str | None:
        """What the person says next: what came too late for the last run, or a new line; None if they leave."""
        late = self._conversation.left_over()
        if late:
            self._console.print(Text(f"› {one_line(late, 500)}", "bold"))
        return late or self._prompt.ask()

    def _handle(self, runner: asyncio.Runner, line: str) -> None:
        word, _, rest = line.partition(" ")
        if not line.startswith("/"):
            self._answer_in(runner, line)
        elif command := self._commands.get(word):
            command(runner, rest.strip())
        else:
            self._say(f"There is no command {word!r}.\n{_HELP}")

    def _answer_in(self, runner: asyncio.Runner, question: str) -> None:
        try:
            runner.run(self._answer(question))
        except KeyboardInterrupt:
            pass  # the run has said so; the conversation goes on
        except ActloopError as error:
            self._console.print(Text(f"! {error}", "bold red"))

    async def _answer(self, question: str) -> None:
        """One run. What is typed meanwhile goes to the agent; an unfinished line comes back at the next prompt."""
        typed = TypedLine()
        screen = LiveScreen(self._console, typed)
        try:
            with Keyboard(sys.stdin.fileno(), typed, self._conversation.interrupt):
                await self._conversation.ask(question, screen)
        finally:
            self._prompt.begin_with(typed.text)
            self._console.print()

    def _new(self, runner: asyncio.Runner, words: str) -> None:
        self._conversation.forget()
        self._say("A new conversation.")

    def _model(self, runner: asyncio.Runner, name: str) -> None:
        if name:
            try:
                settings = load_settings(model=name, base_url=self._base_url)
                runner.run(self._conversation.use_models(settings))
                self._settings = settings
            except ConfigError as error:
                self._say(f"{error}")
        self._say(f"The model is {served_name(self._settings)}.")

    def _say(self, text: str) -> None:
        self._console.print(Text(text, "dim"))
