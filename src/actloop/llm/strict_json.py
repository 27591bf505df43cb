"""Read valid JSON fast: a whole text, or an object or array in the middle of one.

What needs a second look (numbers out of range, lone surrogates, doubled keys) is left to `lenient_json`.
"""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["FastReader", "strict_value"]

_OUT_OF_RANGE = re.compile(r"[eE]\+?[0-9]{3}|[0-9]{300}")
_NEEDS_CARE = re.compile(r"[eE]\+?[0-9]{3}|[0-9]{300}|\\u[dD]|[\ud800-\udfff]")
_FEW = 100
_WASTED_PASSES = 6
_FAILURE_COST = 2_000  # json counts the lines of the whole text to place an error


def strict_value(text: str) -> tuple[Any] | None:
    """The value in a tuple of one, when all of ``text`` is valid JSON and needs no second look; else None."""
    if _OUT_OF_RANGE.search(text):
        return None
    import jiter

    try:
        return (jiter.from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True),)
    except ValueError:  # not valid, or not Unicode: UnicodeEncodeError is a ValueError
        return None


class FastReader:
    """Reads objects and arrays in ``text`` by the standard library's scanner, some twenty times as fast as ours.

    An attempt that fails has read up to the fault for nothing. Attempts that follow a failure are left out, more each
    time, and there is an end to what may be wasted: reading stays linear.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._budget = _WASTED_PASSES * (len(text) + _FAILURE_COST)
        self._left_out = 0
        self._leave_out = 1

    def read(self, start: int, max_depth: int) -> tuple[Any, int] | None:
        """The value that begins at ``start`` and where it ends, or None if it is not plainly valid."""
        if self._left_out > 0 or self._budget <= 0:
            self._left_out -= 1
            return None
        try:
            value, end = _DECODER.raw_decode(self._text, start)
        except json.JSONDecodeError as error:
            self._failed(error.pos - start)
        except (ValueError, RecursionError, _DoubledKeyError):  # ValueError: an integer too long for CPython
            self._failed(len(self._text) - start)
        else:
            if not _NEEDS_CARE.search(self._text, start, end) and not self._is_deeper(value, start, end, max_depth):
                self._leave_out = 1
                return value, end
            self._failed(end - start)
        return None

    def _failed(self, wasted: int) -> None:
        self._budget -= wasted + _FAILURE_COST
        self._left_out = self._leave_out
        self._leave_out *= 2

    def _is_deeper(self, value: Any, start: int, end: int, limit: int) -> bool:
        openers = self._text.count("[", start, end) + self._text.count("{", start, end)
        return openers > min(limit, _FEW) and _depth_exceeds(value, limit)


def _depth_exceeds(value: Any, limit: int) -> bool:
    layer = [value]
    for _ in range(limit):
        layer = [
            member
            for outer in layer
            for member in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(member, dict | list)
        ]
        if not layer:
            return False
    return True


class _DoubledKeyError(Exception):
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _DoubledKeyError
    return value


_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda name: None, object_pairs_hook=_object)
