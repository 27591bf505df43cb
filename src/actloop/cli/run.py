"""``actloop run``: one question, its answer, an exit code."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from actloop.agent import RunFinished
from actloop.cli.pull import ensure_model
from actloop.cli.screen import JsonScreen, Screen, screen_for, show_run
from actloop.config import Settings
from actloop.config.wiring import build_agent, build_models, build_tools

__all__ = ["exit_code", "run_question"]


def run_question(settings: Settings, question: str, tools_file: Path | None, *, as_json: bool = False) -> int:
    """Ask, show the run on standard output, and return the exit code: 0 if there is an answer, else 1."""
    tools = build_tools(settings, tools_file)
    ensure_model(settings)
    screen: Screen = JsonScreen(sys.stdout, sys.stderr) if as_json else screen_for(sys.stdout, sys.stderr)

    async def ask() -> RunFinished:
        models = build_models(settings)
        try:
            return await show_run(build_agent(settings, models, tools).stream(question), screen)
        finally:
            await models.aclose()

    return exit_code(asyncio.run(ask()))


def exit_code(finished: RunFinished) -> int:
    """0 when the run ended with an answer, also one that a limit forced; 1 when it ended with an error or nothing."""
    return 0 if finished.stop_reason != "error" and finished.answer.strip() else 1
