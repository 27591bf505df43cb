"""What a model turned out to be able to do, whatever it advertises; remembered per instance for the process."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

from actloop.llm.base import LLM

__all__ = ["Observed", "can", "observed"]


@dataclass(slots=True)
class Observed:
    """What was seen of one model instance.

    refused: abilities that the provider refused outright.
    leaked_runs: in how many runs a tool call came as text although tools were offered.
    """

    refused: set[str] = field(default_factory=set)
    leaked_runs: int = 0

    def reset(self) -> None:
        """Forget everything: the model is taken at its word again."""
        self.refused.clear()
        self.leaked_runs = 0


_seen: weakref.WeakKeyDictionary[LLM, Observed] = weakref.WeakKeyDictionary()


def observed(llm: LLM) -> Observed:
    """The record of this model instance; the same object each time."""
    record = _seen.get(llm)
    if record is None:
        record = _seen[llm] = Observed()
    return record


def can(llm: LLM, ability: str) -> bool:
    """Whether ``llm`` advertises ``ability`` and its provider has not refused it so far."""
    return bool(llm.abilities.get(ability)) and ability not in observed(llm).refused
