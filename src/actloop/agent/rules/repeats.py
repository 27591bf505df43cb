"""The repeat rule: the same call with the same result again and again leads nowhere."""

from __future__ import annotations

import json
from typing import Any

from actloop.agent import prompts
from actloop.agent.dialect import Outcome
from actloop.agent.rules.base import Rule
from actloop.agent.run import RunState
from actloop.agent.settings import AgentSettings

__all__ = ["RepeatRule"]

_SECOND, _THIRD = 2, 3
_in_order = json.JSONEncoder(sort_keys=True, default=repr).encode


class RepeatRule(Rule):
    """The second time a call returns what it returned before, the model is told; the third time it must answer.

    A call whose result changes (polling) is no repeat, nor is the same call side by side in one turn: the model had not
    read the first result when it wrote the second call.
    """

    def __init__(self, settings: AgentSettings) -> None:
        self._seen: dict[tuple[str, str], tuple[str, int]] = {}
        self._stuck = False
        self._this_turn: set[tuple[str, str]] = set()

    def observe(self, outcome: Outcome) -> Outcome:
        """Count the call, and put a note before the result of a repeat."""
        call = outcome.call
        key = (call.name, _written(call.arguments))
        before, times = self._seen.get(key, ("", 0))
        if key in self._this_turn and before == outcome.observation:
            return outcome
        self._this_turn.add(key)
        times = times + 1 if before == outcome.observation else 1
        self._seen[key] = (outcome.observation, times)
        if times < _SECOND:
            return outcome
        self._stuck = self._stuck or times >= _THIRD
        return outcome._replace(observation=prompts.repeat_note(outcome.observation))

    def after_tools(self, run: RunState) -> None:
        """The turn is over."""
        self._this_turn.clear()

    def answer_only(self) -> bool:
        """True once after a third time."""
        stuck, self._stuck = self._stuck, False
        return stuck


def _written(arguments: dict[str, Any]) -> str:
    """The same text for the same arguments; a hook may have put into them what JSON cannot hold."""
    try:
        if not any(isinstance(value, (dict, list)) for value in arguments.values()):
            return repr(sorted(arguments.items()))
        return _in_order(arguments)
    except (TypeError, ValueError):
        return repr(arguments)
