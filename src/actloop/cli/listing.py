"""``actloop tools`` and ``actloop models``: what is at hand, a line each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from shutil import get_terminal_size

from actloop.cli.safe_text import one_line
from actloop.config import Settings
from actloop.config.wiring import served_name
from actloop.tools import Tool

__all__ = ["list_models", "print_tools"]

_NAME_WIDTH = 16
_UNBOUNDED = 300
"""Columns where no terminal says how many it has."""


def print_tools(tools: Iterable[Tool]) -> None:
    """Print each tool's name and what it says about itself, as much as fits one line of the terminal."""
    room = max(40, get_terminal_size((_UNBOUNDED, 24)).columns - _NAME_WIDTH - 4)
    for tool in tools:
        about = tool.description.strip().partition("\n")[0]
        print(f"  {tool.name:<{_NAME_WIDTH}} {one_line(about, room)}")


def list_models(settings: Settings) -> None:
    """Print what is set, what is in the cache, what Ollama serves on this machine, and which keys are there by name."""
    from actloop.llm.local_models import CATALOGUE, find_ollama, installed

    print("set:")
    if not settings.models:
        print(f"  nothing: {served_name(settings)} serves")
    for role, model in settings.models.items():
        print(f"  {role:<{_NAME_WIDTH}} {model.name}{f' at {model.base_url}' if model.base_url else ''}")
    here = {item.model.name for item in installed(settings.models_dir)}
    print(f"in this process, without a server or a key (cache: {settings.models_dir}):")
    for entry in CATALOGUE:
        state = (
            "here" if entry.name in here else f"{entry.size / 1e6:,.0f} MB to fetch: actloop models pull {entry.name}"
        )
        print(f"  local:{entry.name:<24} {state}. {entry.summary}")
    served = asyncio.run(find_ollama())
    print("Ollama on this machine:" if served else "Ollama: does not answer on this machine")
    for name in served:
        print(f"  {one_line(name, 80)}  (--model openai:{one_line(name, 80)} --base-url http://127.0.0.1:11434/v1)")
    print(f"keys in the environment: {', '.join(settings.keys) or 'none'}")
