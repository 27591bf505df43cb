"""How long a server asks us to wait (pure)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

__all__ = ["retry_after"]

_MAD_SECONDS = 86_400.0


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """The seconds to wait by ``retry-after-ms`` (OpenAI) or ``Retry-After`` (RFC 9110, section 10.2.3), or None.

    A date in the past is 0. What is unreadable, negative, or longer than a day is no answer. ``headers`` must look
    names up without regard to case; ``now`` is the Unix time.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _sane(milliseconds / 1000)
    value = headers.get("Retry-After")
    if value is None:
        return None
    seconds = _number(value)
    if seconds is None:
        try:
            moment = parsedate_to_datetime(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
        seconds = max(0.0, moment - (time.time() if now is None else now))
    return _sane(seconds)


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None


def _sane(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) and 0 <= seconds <= _MAD_SECONDS else None
