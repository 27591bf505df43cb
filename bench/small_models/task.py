"""A task: a question, the tools that are offered, and what a right run looks like."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bench.small_models.world import World

__all__ = ["Task", "task_of"]


@dataclass(frozen=True)
class Task:
    """One question.

    says: regular expressions that the answer must all match, case-insensitive, thousands separators taken out.
    calls: tools that must have run at least so often; ``quiet`` means that none may have run.
    """

    kind: str
    question: str
    tools: list[str]
    says: list[str]
    calls: dict[str, int]
    quiet: bool
    world: Callable[[], World]

    def solved(self, answer: str, world: World) -> bool:
        """Whether the answer is right and came about by the tools that know it."""
        text = re.sub(r"(?<=\d)[,  ](?=\d{3}\b)", "", answer)
        if not all(re.search(pattern, text, re.IGNORECASE) for pattern in self.says):
            return False
        if self.quiet:
            return not world.log
        return all(world.called(name) >= times for name, times in self.calls.items())


def task_of(
    world: Callable[[], World], kind: str, question: str, tools: str, says: str, calls: str = "", *, quiet: bool = False
) -> Task:
    """A task in short: ``tools`` and ``calls`` are names between spaces, ``says`` patterns between ``&``."""
    wanted: dict[str, int] = {}
    for name in calls.split():
        wanted[name] = wanted.get(name, 0) + 1
    return Task(kind, question, tools.split(), says.split("&"), wanted, quiet, world)
