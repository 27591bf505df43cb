"""The commands of the terminal: their names, arguments and help. Each hands over to the module that does it."""

from __future__ import annotations

import sys
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from actloop.config import load_settings
from actloop.errors import ConfigError

__all__ = ["app"]

app = typer.Typer(
    help="Talk to an agent that thinks, calls tools and answers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
models_app = typer.Typer(help="List the models at hand, or fetch one.", rich_markup_mode=None)
app.add_typer(models_app, name="models")
keys_app = typer.Typer(help="List who may call the service, or make or remove a key.", rich_markup_mode=None)
app.add_typer(keys_app, name="keys")


class Mode(StrEnum):
    """How a question is worked on."""

    REACT = "react"
    DAG = "dag"
    AUTO = "auto"


ModelOption = Annotated[
    str | None,
    typer.Option("--model", metavar="PROVIDER:MODEL", help="For example openai:gpt-5-mini or local:FILE.gguf."),
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible server, such as http://localhost:11434/v1."),
]
ToolsOption = Annotated[
    Path | None, typer.Option("--tools", metavar="FILE.py", help="A Python file; its tools are offered as well.")
]
ModeOption = Annotated[Mode, typer.Option("--mode", help="react: one agent, step by step.")]


@app.callback(invoke_without_command=True)
def root(show_version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False) -> None:
    """Talk to an agent that thinks, calls tools and answers."""
    if show_version:
        print(f"actloop {version('actloop')}")
        raise typer.Exit


@app.command()
def run(
    question: Annotated[str, typer.Argument(help="What to ask; - reads it from standard input.")],
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    mode: ModeOption = Mode.REACT,
    tools: ToolsOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one event a line, as JSON.")] = False,
) -> None:
    """Ask one question and print the answer. Exit code 0: answered, 1: ended without an answer, 2: asked wrongly."""
    from actloop.cli.run import run_question

    _only_react(mode)
    text = sys.stdin.read() if question == "-" else question
    if not text.strip():
        raise ConfigError("the question is empty.")
    raise typer.Exit(run_question(load_settings(model=model, base_url=base_url), text.strip(), tools, as_json=as_json))


@app.command()
def chat(
    model: ModelOption = None, base_url: BaseUrlOption = None, mode: ModeOption = Mode.REACT, tools: ToolsOption = None
) -> None:
    """Talk with the agent, question after question. Ctrl-C stops an answer, Ctrl-D leaves."""
    from actloop.cli.chat import chat as start_chat

    _only_react(mode)
    raise typer.Exit(start_chat(load_settings(model=model, base_url=base_url), tools, base_url=base_url))


@app.command()
def serve(
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    tools: ToolsOption = None,
    host: Annotated[str | None, typer.Option("--host", help="Where to listen; 127.0.0.1 unless set.")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="8000 unless set.")] = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in a browser, and log only trouble.")
    ] = False,
) -> None:
    """Serve agents: the page, conversations, runs and event streams over HTTP, and the OpenAI API."""
    from actloop.cli.serve import serve as start_service

    start_service(load_settings(model=model, base_url=base_url), tools, host=host, port=port, open_page=open_page)


@keys_app.callback(invoke_without_command=True)
def keys(context: typer.Context) -> None:
    """List the names that have a key."""
    from actloop.cli.serve import list_keys

    if context.invoked_subcommand is None:
        list_keys(load_settings())


@keys_app.command()
def add(name: Annotated[str, typer.Argument(help="Whose key it is; conversations belong to this name.")]) -> None:
    """Make a key and print it; it is not shown again."""
    from actloop.cli.serve import add_key

    add_key(load_settings(), name)


@keys_app.command()
def remove(name: Annotated[str, typer.Argument(help="Whose key to remove.")]) -> None:
    """Remove a key; it stops working at once."""
    from actloop.cli.serve import remove_key

    remove_key(load_settings(), name)


@app.command()
def tools(tools_file: ToolsOption = None) -> None:
    """List the tools an agent is offered here."""
    from actloop.cli.listing import print_tools
    from actloop.config.wiring import build_tools

    print_tools(build_tools(load_settings(), tools_file))


@models_app.callback(invoke_without_command=True)
def models(context: typer.Context) -> None:
    """List the models at hand: what is set, what is in the cache, what Ollama serves, which keys are there."""
    from actloop.cli.listing import list_models

    if context.invoked_subcommand is None:
        list_models(load_settings())


@models_app.command()
def pull(
    name: Annotated[str | None, typer.Argument(help="Which model; without it the recommended one.")] = None,
) -> None:
    """Fetch a small model that runs in this process, without a server or a key."""
    from actloop.cli.pull import pull_model

    pull_model(load_settings(), name)


@app.command()
def doctor(
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    tools: ToolsOption = None,
    probe: Annotated[bool, typer.Option(help="Ask the model for a word, to see whether it answers.")] = True,
) -> None:
    """Check what works, and say what to do about the rest. Exit code 1: no question can be answered."""
    from actloop.cli.doctor import examine

    raise typer.Exit(examine(model=model, base_url=base_url, tools_file=tools, probe=probe))


def _only_react(mode: Mode) -> None:
    if mode is not Mode.REACT:
        raise ConfigError(f"--mode {mode.value} is not available yet; use --mode react.")
