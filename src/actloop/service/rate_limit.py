"""How often one caller may ask: a bucket of tokens for each, of which a request takes one."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["RateLimit"]

_BURST_SECONDS = 10
_MOST_BUCKETS = 10_000


class RateLimit:
    """Allows ``per_second`` requests a second of each caller, and ten seconds' worth at once."""

    def __init__(self, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._capacity = max(1.0, per_second * _BURST_SECONDS)
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def wait(self, caller: str) -> float:
        """Count a request. 0 when it is allowed, else the seconds until the next one is."""
        now = self._clock()
        tokens, then = self._buckets.pop(caller, (self._capacity, now))
        tokens = min(self._capacity, tokens + (now - then) * self._per_second)
        allowed = tokens >= 1
        # the last used stands last; a caller who comes after being forgotten begins with a full bucket
        self._buckets[caller] = (tokens - 1 if allowed else tokens, now)
        if len(self._buckets) > _MOST_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        return 0.0 if allowed else (1 - tokens) / self._per_second
