"""The bounds of a run, each with a reserve so that an answer can still be written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from actloop.agent.events import StopReason
from actloop.agent.run import RunState
from actloop.errors import ConfigError
from actloop.messages import Usage

__all__ = ["LimitCheck", "Limits", "describe"]

_TIME_SHARE = 0.8
_ANSWER_CALLS = 2


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one run; None means unbounded.

    max_tokens: prompt and completion tokens of all model calls together.
    max_cost: US dollars; needs known prices (the ``prices`` extra, or ``price``).
    max_time: seconds of wall time. max_calls: tool calls.
    price: dollars that a usage costs, for models without a public price. Prompt and completion tokens that nobody
        reported are 0 to it.

    The loop stops early enough that the last request and the synthesis of the answer fit as well: when what is left
    would not pay for two more requests like the last one, and at four fifths of the time.
    """

    max_tokens: int | None = None
    max_cost: float | None = None
    max_time: float | None = None
    max_calls: int | None = None
    price: Callable[[Usage], float] | None = None

    def __post_init__(self) -> None:
        for name in ("max_tokens", "max_cost", "max_time", "max_calls"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ConfigError(f"{name} must be a number of at least 0, or None for no bound; it is {value!r}")

    def cost_of(self, usage: Usage) -> float | None:
        """What ``usage`` cost in US dollars; None without a price, and when not every call reported its tokens."""
        if self.price is None or not usage.complete:
            return None
        return self.price(usage) if usage.calls else 0.0


class LimitCheck:
    """Says when a run has reached a bound."""

    def __init__(self, limits: Limits, max_iterations: int) -> None:
        self._limits = limits
        self._max_iterations = max_iterations

    def reached(self, run: RunState) -> StopReason | None:
        """The bound that ends the loop now, if any."""
        limits = self._limits
        if run.iteration >= self._max_iterations:
            return "max_iterations"
        if limits.max_calls is not None and run.calls >= limits.max_calls:
            return "max_calls"
        if limits.max_tokens is not None and run.tokens + _ANSWER_CALLS * run.last_request_tokens >= limits.max_tokens:
            return "max_tokens"
        if limits.max_time is not None and run.elapsed >= limits.max_time * _TIME_SHARE:
            return "max_time"
        if limits.max_cost is not None and self._cost_with_reserve(run) >= limits.max_cost:
            return "max_cost"
        return None

    def _cost_with_reserve(self, run: RunState) -> float:
        assert self._limits.price is not None
        usage = run.usage
        if not usage.calls:
            return 0.0
        written = usage.completion_tokens or 0
        read = usage.prompt_tokens or 0
        if not usage.complete:  # what nobody reported is estimated, or it would seem to cost nothing
            read = max(read, run.tokens - written)
        cost = self._limits.price(replace(usage, prompt_tokens=read, completion_tokens=written))
        calls = max(1, run.usage.calls)
        return cost + _ANSWER_CALLS * cost / calls

    def loop_deadline(self, run: RunState) -> float | None:
        """The ``time.monotonic`` moment when the loop must hand over to the answer; None without a bound."""
        return None if self._limits.max_time is None else run.started + self._limits.max_time * _TIME_SHARE

    def seconds_left(self, run: RunState, *, answering: bool = False) -> float | None:
        """How long the loop, or with ``answering`` the last request, may still take; None without a bound."""
        if self._limits.max_time is None:
            return None
        return self._limits.max_time * (1.0 if answering else _TIME_SHARE) - run.elapsed

    def calls_left(self, run: RunState) -> int | None:
        """How many tool calls may still run."""
        return None if self._limits.max_calls is None else max(0, self._limits.max_calls - run.calls)


def describe(reason: StopReason) -> str:
    """A limit in words, for the model."""
    return {
        "max_iterations": "the limit of model turns is reached",
        "max_tokens": "the token budget is used up",
        "max_cost": "the cost budget is used up",
        "max_time": "the time is up",
        "max_calls": "the limit of tool calls is reached",
    }.get(reason, "the run was stopped")
