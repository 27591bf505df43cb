"""Rules about the loop: each watches a run and may say a word, hold an answer back, or end the calling of tools."""

from __future__ import annotations

from collections.abc import Callable

from actloop.agent.dialect import Outcome
from actloop.agent.run import RunState
from actloop.agent.settings import AgentSettings

__all__ = ["Rule", "RuleFactory"]


class Rule:
    """A rule for one run. Every method may be left as it is: it then does nothing."""

    def __init__(self, settings: AgentSettings) -> None:
        """Take from the settings what the rule needs; each run gets a rule of its own."""

    def observe(self, outcome: Outcome) -> Outcome:
        """Look at the outcome of a call, and return it as the model shall read it."""
        return outcome

    def after_tools(self, run: RunState) -> str | None:
        """Called when a turn's results are in the history: a message to add, or None."""
        return None

    def answer_only(self) -> bool:
        """Whether the next turn may only answer. Asked once before each turn."""
        return False

    def before_answer(self, run: RunState) -> str | None:
        """Called when the model answers: a message that sends it back to work, or None to let the answer stand."""
        return None


RuleFactory = Callable[[AgentSettings], Rule]
"""Makes a fresh rule for each run; a rule class that takes the settings is one."""
