"""Find the JSON objects and arrays in a text, from left to right, in time linear in its length.

A value that turns out malformed is skipped with everything in it: its inner pieces are no answers. A value that ran out
of text ends the search: the reply was cut off, and its inner pieces are no answers either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from actloop.llm.lenient_json import Broken, Complete, LenientReader, Short

__all__ = ["CutOff", "Piece", "scan"]


@dataclass(frozen=True, slots=True)
class Piece:
    """An object or array in a text, from ``start`` to ``end``.

    in_json_fence: whether it stands in a code fence marked json.
    duplicate_key: a key that one of its objects holds twice, if any.
    """

    value: dict[str, Any] | list[Any]
    start: int
    end: int
    in_json_fence: bool
    duplicate_key: str | None = None


@dataclass(frozen=True, slots=True)
class CutOff:
    """A value begins at ``start``, but the text ends before it does."""

    start: int
    in_json_fence: bool


# An opener counts only if what follows can begin a member: hostile runs of braces never reach the parser.
_OPENER = re.compile(
    r"""(?:`{3,}|~{3,})[ \t]*(?P<label>[\w+-]*)
    | \{(?=\{?\s*+(?:["'“”„‘’‚/\#]|\Z)|\s*+\})
    | \[(?=\s*+(?:["'“”„‘’‚/\#{\[\]\-0-9tfnTFNiI]|\Z))""",
    re.VERBOSE,
)
_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?P<closed>"?)|[{}\[\]]', re.DOTALL)
_RESCANS = 2
_FREE_RESCANS = 10_000
_MOST_CANDIDATES = 10_000  # no answer has so many; more would only cost time


def scan(text: str) -> Iterator[Piece | CutOff]:
    """Yield the objects and arrays of ``text`` that are not part of another one; a `CutOff` comes last if at all.

    Also what is nested too deep ends the search, silently, and so do 10,000 candidates.
    """
    reader = LenientReader(text)
    candidates = 0
    position = 0
    in_json_fence = False
    rescans = _RESCANS * len(text) + _FREE_RESCANS  # characters that may be read more than once
    while (opener := _OPENER.search(text, position)) is not None:
        start = opener.start()
        if opener["label"] is not None:
            in_json_fence = opener["label"].lower().startswith("json")
            position = opener.end()
            continue
        candidates += 1
        if candidates > _MOST_CANDIDATES:
            return
        match reader.read(start):
            case Complete(value, end, duplicate_key):
                yield Piece(value, start, end, in_json_fence, duplicate_key)
                position = end
            case Short():
                yield CutOff(start, in_json_fence)
                return
            case Broken(too_deep=True):
                return
            case Broken() as broken:
                position, reread = _after(text, start, broken) if rescans > 0 else (max(broken.at, start + 1), 0)
                rescans -= reread


def _after(text: str, start: int, broken: Broken) -> tuple[int, int]:
    """Where the search goes on after a malformed value, and how many characters are read once more for that.

    Prose with a brace in it, or a doubled brace that was none, ends right after the brace. A value that had begun goes
    on to the bracket that balances it, or if there is none, to the place where it broke.
    """
    if not broken.begun or text.startswith("{{", start):
        return start + 1, broken.at - start
    depth = broken.open_containers
    for bracket in _BRACKET.finditer(text, broken.at):
        mark = bracket.group()
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
        elif not bracket["closed"]:
            break
        if depth == 0:
            return bracket.end(), bracket.end() - broken.at
    return max(broken.at, start + 1), len(text) - broken.at
