"""Fetching a local model, with a progress bar for a person and a few lines for a log."""

from __future__ import annotations

import asyncio
import sys
from typing import Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from actloop.cli.safe_text import one_line
from actloop.cli.screen import can_move
from actloop.config import EMBEDDED, Settings
from actloop.config.wiring import model_of
from actloop.llm.local_models import FetchProgress, FetchStage, find_default, pull

__all__ = ["ensure_model", "pull_model"]


def ensure_model(settings: Settings) -> None:
    """Fetch the recommended model if the embedded one is to serve and there is none yet.

    Raises `ConfigError` or another `ActloopError` that says what to do when none can be had.
    """
    if model_of(settings).name == EMBEDDED and find_default(settings.models_dir) is None:
        print("No model is set and none is on this machine yet: fetching a small one, once.", file=sys.stderr)
        if settings.keys:
            print(f"(There is a key in {settings.keys[0]}: --model PROVIDER:MODEL uses it instead.)", file=sys.stderr)
        pull_model(settings, None)


def pull_model(settings: Settings, name: str | None) -> None:
    """Fetch the model ``name``, or the recommended one, and say which it is and what to expect of it.

    Raises `ConfigError` for an unknown name and an `ActloopError` when it cannot be fetched.
    """
    report = _Bar(Console(stderr=True)) if can_move(sys.stderr) else _Lines()
    with report:
        pulled = asyncio.run(pull(name, directory=settings.models_dir, on_progress=report.show))
    print(f"{pulled.model.name} is in {str(pulled.path)!r}. {one_line(pulled.notice, 2000)}", file=sys.stderr)


class _Bar:
    """A bar that moves, a new one for each stage."""

    def __init__(self, console: Console) -> None:
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TimeRemainingColumn(),
            console=console,
        )
        self._tasks: dict[tuple[str, FetchStage], TaskID] = {}

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._progress.stop()

    def show(self, step: FetchProgress) -> None:
        """Move the bar to where the fetch is."""
        key = (step.model, step.stage)
        if key not in self._tasks:
            self._tasks[key] = self._progress.add_task(f"{step.stage} {step.model}", total=step.total)
        self._progress.update(self._tasks[key], completed=step.done, total=step.total)


class _Lines:
    """A line when a stage begins, and one for each tenth of it."""

    def __init__(self) -> None:
        self._told: tuple[str, FetchStage, int] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Nothing is open."""

    def show(self, step: FetchProgress) -> None:
        """Print a line if the fetch has come to another tenth."""
        tenth = 10 * step.done // max(1, step.total)
        if self._told != (step.model, step.stage, tenth):
            self._told = (step.model, step.stage, tenth)
            print(f"{step.stage} {step.model}: {10 * tenth} % of {step.total / 1e6:,.0f} MB", file=sys.stderr)
