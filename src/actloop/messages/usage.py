"""Token usage: what a provider reported, and how it adds up. A count that nobody reported stays None, never 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call, or of many added up.

    Counts are in tokens; None means that no call reported the figure. ``cached_tokens`` are part of ``prompt_tokens``,
    ``reasoning_tokens`` part of ``completion_tokens``. ``calls`` counts the model calls, reported or not, and
    ``unreported`` how many of them lacked a prompt or completion count, so that a sum can say it is a lower bound.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    calls: int = 0
    unreported: int = 0

    @property
    def total_tokens(self) -> int | None:
        """Prompt and completion tokens together; None when neither is known."""
        return _add(self.prompt_tokens, self.completion_tokens)

    @property
    def complete(self) -> bool:
        """Whether every call that is counted here reported its prompt and completion tokens."""
        return self.unreported == 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt_tokens=_add(self.prompt_tokens, other.prompt_tokens),
            completion_tokens=_add(self.completion_tokens, other.completion_tokens),
            cached_tokens=_add(self.cached_tokens, other.cached_tokens),
            reasoning_tokens=_add(self.reasoning_tokens, other.reasoning_tokens),
            calls=self.calls + other.calls,
            unreported=self.unreported + other.unreported,
        )

    @classmethod
    def of_call(
        cls,
        prompt_tokens: int | None = None,
        completion_tokens: int | None = None,
        cached_tokens: int | None = None,
        reasoning_tokens: int | None = None,
    ) -> Usage:
        """The usage of exactly one model call, marked as unreported when a main count is missing."""
        missing = prompt_tokens is None or completion_tokens is None
        return cls(prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, calls=1, unreported=int(missing))

    @classmethod
    def total(cls, usages: Iterable[Usage]) -> Usage:
        """Add up any number of usages."""
        result = cls()
        for usage in usages:
            result = result + usage
        return result


def _add(left: int | None, right: int | None) -> int | None:
    if left is None:
        return right
    return left if right is None else left + right
