"""The completion-check rule: the first answer of a longer run is looked at once more."""

from __future__ import annotations

from actloop.agent import prompts
from actloop.agent.rules.base import Rule
from actloop.agent.run import RunState
from actloop.agent.settings import AgentSettings

__all__ = ["CompletionCheckRule"]


class CompletionCheckRule(Rule):
    """Once a run, before the first answer after ``completion_check_calls`` or more tool calls."""

    def __init__(self, settings: AgentSettings) -> None:
        self._calls = settings.completion_check_calls
        self._done = False

    def before_answer(self, run: RunState) -> str | None:
        """The question, once."""
        if self._done or run.calls < self._calls:
            return None
        self._done = True
        return prompts.completion_check(run.query)
