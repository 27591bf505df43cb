"""What a model turned out to be able to do, whatever it advertises; remembered per instance for the process."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

from actloop.llm.base import LLM

__all__ = ["Observed", "can", "observed"]


@dataclass(slots=True)
class Observed:
    """What was seen of one model instance.

    refused: abilities that the provider refused outright; ``tool_choice`` when it takes tools but forces none.
    leaked_runs: in how many runs a tool call came as text although tools were offered.
    failed_levels: how often in a row a level of `structured_llm_call` brought no data at all, by its name.
    """

    refused: set[str] = field(default_factory=set)
    leaked_runs: int = 0
    failed_levels: dict[str, int] = field(default_factory=dict)

    def reset(self) -> None:
        """Forget everything: the model is taken at its word again."""
        self.refused.clear()
        self.leaked_runs = 0
        self.failed_levels.clear()

    def findings(self) -> list[str]:
        """What was seen, one sentence each; nothing when the model does what it advertises."""
        found = [f"the provider refuses {name!r}" for name in sorted(self.refused)]
        if self.leaked_runs:
            found.append(f"it wrote tool calls as text in {self.leaked_runs} runs")
        failed = sorted(item for item in self.failed_levels.items() if item[1])
        return found + [f"structured output by {level!r} brought nothing {times} times" for level, times in failed]


_seen: dict[int, tuple[object, Observed]] = {}
"""By id, since a model of somebody's own may compare by value or have no hash, as dataclasses do."""


def observed(llm: LLM) -> Observed:
    """The record of this model instance; the same object each time."""
    entry = _seen.get(id(llm))
    if entry is None:
        entry = _seen[id(llm)] = (_hold(llm), Observed())
    return entry[1]


def _hold(llm: LLM) -> object:
    """What keeps an id from being taken over: a reference that ends the entry, or the model if it allows none."""
    key = id(llm)
    try:
        return weakref.ref(llm, lambda _: _seen.pop(key, None))
    except TypeError:  # a class with __slots__
        return llm


def can(llm: LLM, ability: str) -> bool:
    """Whether ``llm`` advertises ``ability`` and its provider has not refused it so far."""
    return bool(llm.abilities.get(ability)) and ability not in observed(llm).refused
