"""The self-check rule: every few turns the model is reminded of the goal."""

from __future__ import annotations

from actloop.agent import prompts
from actloop.agent.rules.base import Rule
from actloop.agent.run import RunState
from actloop.agent.settings import AgentSettings

__all__ = ["SelfCheckRule"]


class SelfCheckRule(Rule):
    """After every ``self_check_every`` turns with tools one message restates the goal and asks how it stands."""

    def __init__(self, settings: AgentSettings) -> None:
        self._every = settings.self_check_every

    def after_tools(self, run: RunState) -> str | None:
        """The question, when it is time."""
        return prompts.self_check(run.query) if run.tool_turns % self._every == 0 else None
