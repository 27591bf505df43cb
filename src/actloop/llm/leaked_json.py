"""Calls written as plain JSON: bare, fenced, behind ``Action:``, one a line or in an array, under whatever keys."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from actloop.llm.arguments import UnreadableArguments, parse_arguments
from actloop.llm.json_scan import CutOff, Piece, scan

__all__ = ["Written", "WrittenCall", "call_objects", "json_calls"]

WrittenCall = tuple[str, dict[str, Any]]
"""A tool's name as it was written, and the arguments."""


@dataclass(frozen=True, slots=True)
class Written:
    """Calls as they were written, in order, and the text around them."""

    calls: tuple[WrittenCall, ...] = ()
    rest: str = ""


_NAME_KEYS = ("name", "tool_name", "tool", "function_name", "function", "action")
_ARGUMENT_KEYS = (
    "arguments", "parameters", "args", "tool_args", "params", "function_args", "input", "tool_input", "action_input",
)  # fmt: skip

# What may stand on the line before a call, and between and behind calls, without making it part of a sentence.
_LEAD = re.compile(r"(?:^|.*:)[ \t]*\Z")
_FILLER = re.compile(
    r"(?:```\w*|\b(?:action|action input|tool call|call|json)\s*:|</?\w+>|[\s.,;`\]\[]+)*", re.IGNORECASE
)
_INVENTED_RESULT = re.compile(r"\s*(?:```\s*)?(?:observation|tool result|result|output)\s*:", re.IGNORECASE)


def call_objects(value: Any) -> Iterator[WrittenCall]:
    """The calls that a JSON value stands for: an object of the usual shapes, or a list of them."""
    if isinstance(value, list):
        for item in value:
            yield from call_objects(item)
    elif isinstance(value, Mapping):
        inner = next((value[key] for key in ("tool_calls", "tool_call", "function_call") if key in value), None)
        if isinstance(inner, list | Mapping):
            yield from call_objects(inner)
        elif isinstance(value.get("function"), Mapping):
            yield from call_objects(value["function"])
        else:
            yield from _one(value)


def _one(value: Mapping[str, Any]) -> Iterator[WrittenCall]:
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    if name is None or key is None:
        return
    try:
        yield name, parse_arguments(value[key])
    except UnreadableArguments:
        return


def json_calls(text: str) -> Written:
    """The calls that end ``text`` as JSON: prose may stand before them on lines of its own, but none after."""
    pieces = [piece for piece in scan(text) if isinstance(piece, CutOff) or _is_call(piece)]
    whole = [piece for piece in pieces if isinstance(piece, Piece)]
    if not whole or not _LEAD.match(text[text.rfind("\n", 0, whole[0].start) + 1 : whole[0].start]):
        return Written()
    position = whole[0].start
    calls: list[WrittenCall] = []
    for piece in pieces:
        if not _FILLER.fullmatch(text, position, piece.start):
            break
        if isinstance(piece, CutOff):
            position = len(text)
            break
        calls += call_objects(piece.value)
        position = piece.end
    end = _FILLER.match(text, position)
    rest = text[end.end() if end else position :]
    if rest.strip() and not _INVENTED_RESULT.match(rest):
        return Written()
    return Written(tuple(calls), _before(text[: whole[0].start]))


def _is_call(piece: Piece) -> bool:
    """Two keys of one name are two calls that were merged: not to be trusted (seen from 0.5B models)."""
    return piece.duplicate_key is None and any(True for _ in call_objects(piece.value))


def _before(text: str) -> str:
    return re.sub(
        r"(?:```\w*\s*|\b(?:action|tool call|json)\s*:\s*)+\Z", "", text.rstrip(), flags=re.IGNORECASE
    ).rstrip()
