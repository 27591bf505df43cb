"""Find the JSON that a model was asked for in the text it wrote.

The whole text is tried first, then the text without reasoning, then what `json_scan` finds in it from left to right,
with a code fence marked json ahead of other places.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

from actloop.llm.coerce import coerce
from actloop.llm.json_scan import CutOff, scan
from actloop.llm.json_schema import fits
from actloop.llm.lenient_json import Complete, read_value
from actloop.llm.reasoning import split_reasoning
from actloop.llm.schema_node import SchemaNode
from actloop.llm.strict_json import strict_value

__all__ = ["Extraction", "Found", "Malformed", "RanOut", "extract_json", "extract_json_value"]

_FENCED = re.compile(r"(?:```|~~~)[\w+-]*[ \t]*\r?\n(.*)\n[ \t]*(?:```|~~~)", re.DOTALL)
_SCALAR = re.compile(
    r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?|(?<![\w.-])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\w|\.\d)|\b(?:true|false|null)\b'
)
_SCALAR_TYPES = frozenset(("string", "number", "integer", "boolean", "null"))
_MOST_COERCED = 1_000
_MOST_SCALARS = 20_000


@dataclass(frozen=True, slots=True)
class Found:
    """The value. ``json.dumps(value, allow_nan=False)`` always works on it."""

    value: Any


@dataclass(frozen=True, slots=True)
class Malformed:
    """There is no usable JSON in the text."""


@dataclass(frozen=True, slots=True)
class RanOut:
    """The text ends in the middle of the JSON: the reply was cut off. No inner piece of it is an answer."""


Extraction = Found | Malformed | RanOut


def extract_json(text: str) -> dict[str, Any] | None:
    """Return the first complete JSON object in ``text``, one in a json fence ahead of others, or None.

    Forgiving as `lenient_json` says; never a partial object, never an inner piece of a larger value. Never raises.
    """
    outcome = _Candidates(text).first(_is_object)
    return outcome.value if isinstance(outcome, Found) else None


def extract_json_value(text: str, *, schema: dict[str, Any] | None = None) -> Extraction:
    """Find a JSON value of any kind in ``text``.

    schema: the JSON Schema of the wanted value. Given, the first complete value that fits wins, as it is or else gently
        coerced; also a number, string or literal in prose counts. Without it the first complete object wins, then the
        first complete array.

    Raises `ConfigError` if ``schema`` is no valid JSON Schema, and nothing else.
    """
    candidates = _Candidates(text)
    if schema is None:
        outcome = candidates.first(_is_object)
        return outcome if isinstance(outcome, Found) else candidates.first(lambda value: True)
    root = schema
    outcome = candidates.first(lambda value: fits(value, root))
    if isinstance(outcome, Malformed) and _wants_scalars(SchemaNode.of(root)):
        outcome = candidates.first_scalar(lambda value: fits(value, root))
    if not isinstance(outcome, Found):
        outcome = candidates.first(_Coerced(root))
    return Found(coerce(outcome.value, root)) if isinstance(outcome, Found) else outcome


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


class _Coerced:
    """Whether a value fits after coercion; only the first values of a text are worth the work."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self._schema = schema
        self._left = _MOST_COERCED

    def __call__(self, value: Any) -> bool:
        self._left -= 1
        return self._left >= 0 and fits(coerce(value, self._schema), self._schema)


class _Candidates:
    """The values in a text that may be the one: the whole of it, or else what stands in it, from left to right."""

    def __init__(self, text: str) -> None:
        self._whole = _whole(text)
        if self._whole is None and "<" in text:
            _, text = split_reasoning(text)
            self._whole = _whole(text)
        self._text = text
        self._pieces = list(scan(text)) if self._whole is None else []

    def first(self, usable: Callable[[Any], bool]) -> Extraction:
        """The first usable value, one in a json fence ahead of others."""
        if self._whole is not None:
            return Found(self._whole.value) if usable(self._whole.value) else Malformed()
        found: Found | None = None
        for piece in self._pieces:
            if isinstance(piece, CutOff):
                return RanOut() if found is None or piece.in_json_fence else found
            if (found is None or piece.in_json_fence) and usable(piece.value):
                found = Found(piece.value)
                if piece.in_json_fence:
                    break
        return found or Malformed()

    def first_scalar(self, usable: Callable[[Any], bool]) -> Extraction:
        """The first usable string, number or literal in prose."""
        for token in islice(_SCALAR.finditer(self._text), _MOST_SCALARS) if self._whole is None else ():
            reading = read_value(token.group())
            if isinstance(reading, Complete) and usable(reading.value):
                return Found(reading.value)
        return Malformed()


def _whole(text: str) -> Complete | None:
    """The value, when the text is one value or one fence around it."""
    text = text.strip().removeprefix("\ufeff")
    if (reading := strict_value(text)) is not None:
        return Complete(reading[0], len(text))
    if (fenced := _FENCED.fullmatch(text)) is not None:
        text = fenced[1]
    lenient = read_value(text)
    if not isinstance(lenient, Complete) or text[lenient.end :].strip() or _is_quoted_json(lenient.value):
        return None
    return lenient


def _is_quoted_json(value: Any) -> bool:
    """Whether the quotes around a whole text are prose: ``'{"a": 1}'`` is an object that somebody put in quotes."""
    return isinstance(value, str) and ("{" in value or "[" in value)


def _wants_scalars(node: SchemaNode) -> bool:
    node = node.resolved()
    allowed = [node.schema["const"]] if "const" in node.schema else node.schema.get("enum", [])
    return (
        bool(_SCALAR_TYPES.intersection(node.types()))
        or (isinstance(allowed, list) and any(not isinstance(one, dict | list) for one in allowed))
        or any(bool(_SCALAR_TYPES.intersection(branch.resolved().types())) for branch in node.branches())
    )
