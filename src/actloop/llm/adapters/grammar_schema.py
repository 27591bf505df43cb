"""A JSON Schema loosened until llama.cpp can make a grammar of it (pure).

Tools bring schemas of all kinds, and llama.cpp refuses the whole request for one keyword it cannot use, or writes a
warning to the terminal (seen with xllamacpp 2026.10). A constraint that is left out here only makes the grammar wider:
the engine checks the output against the real schema afterwards. What stays refused: references that lead back to
themselves without consuming anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["grammar_schema"]

_TYPES = frozenset({"string", "number", "integer", "boolean", "null", "object", "array"})
_MAX_ITEMS = 1_000
"""llama.cpp refuses to repeat a rule more often."""
_MAX_LENGTH = 2**31 - 1
_MAX_BOUND = 2**53
_PLAIN_PATTERN = re.compile(r"\^(?:[^\\(\[]|\\[^a-zA-Z0-9]|\((?!\?)|\[(?!\^?\]))*\$")
"""What llama.cpp can hold output to: anchored at both ends, without ``\\d`` and the like, without ``(?…)``."""


def grammar_schema(schema: Any) -> dict[str, Any]:
    """``schema`` without what llama.cpp refuses. The order of properties, and so of the output, stays."""
    loosened = _schema(schema)
    result: dict[str, Any] = _with_sound_references(loosened, loosened)
    return result


def _schema(schema: Any) -> dict[str, Any]:
    if not isinstance(schema, Mapping):
        return {}  # ``true``, ``false`` and mistakes
    result = {key: read(schema[key]) for key, read in _READERS.items() if key in schema}
    result = {key: value for key, value in result.items() if value is not None}
    for low, high in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        if low in result and high in result and result[low] > result[high]:
            del result[low], result[high]
    return result


def _type(value: Any) -> Any:
    if isinstance(value, str):
        return value if value in _TYPES else None
    return [name for name in value if name in _TYPES] or None if _strings(value) is not None else None


def _strings(value: Any) -> list[str] | None:
    return value if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def _schemas(value: Any) -> list[dict[str, Any]] | None:
    return [_schema(item) for item in value] if isinstance(value, list) and value else None


def _named_schemas(value: Any) -> dict[str, Any] | None:
    return {str(name): _schema(item) for name, item in value.items()} if isinstance(value, Mapping) else None


def _bound(value: Any) -> float | None:
    return (
        value if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MAX_BOUND else None
    )


def _count(limit: int) -> Any:
    return lambda value: value if type(value) is int and 0 <= value <= limit else None


def _pattern(value: Any) -> str | None:
    if not isinstance(value, str) or not _PLAIN_PATTERN.fullmatch(value):
        return None
    try:
        re.compile(value)
    except re.error:
        return None
    return value


def _same(value: Any) -> Any:
    return value


_READERS: Mapping[str, Any] = {
    "$ref": lambda value: value if isinstance(value, str) else None,
    "$defs": _named_schemas,
    "definitions": _named_schemas,
    "type": _type,
    "enum": lambda value: value if isinstance(value, list) and value else None,
    "const": _same,
    "anyOf": _schemas,
    "oneOf": _schemas,
    "allOf": _schemas,
    "properties": _named_schemas,
    "required": _strings,
    "additionalProperties": lambda value: value if isinstance(value, bool) else _schema(value),
    "items": lambda value: _schemas(value) if isinstance(value, list) else _schema(value),
    "prefixItems": _schemas,
    "minItems": _count(_MAX_ITEMS),
    "maxItems": _count(_MAX_ITEMS),
    "minLength": _count(_MAX_ITEMS),
    "maxLength": _count(_MAX_LENGTH),
    "pattern": _pattern,
    "format": lambda value: value if isinstance(value, str) else None,
    "minimum": _bound,
    "maximum": _bound,
    "exclusiveMinimum": _bound,
    "exclusiveMaximum": _bound,
}


def _with_sound_references(value: Any, root: Mapping[str, Any]) -> Any:
    """``value`` with every reference that leads nowhere, outside, or in a circle replaced by "anything"."""
    if isinstance(value, list):
        return [_with_sound_references(item, root) for item in value]
    if not isinstance(value, Mapping):
        return value
    reference = value.get("$ref")
    if isinstance(reference, str) and not _leads_somewhere(reference, root):
        value = {key: item for key, item in value.items() if key != "$ref"}
    return {
        key: item if key in ("enum", "const") else _with_sound_references(item, root) for key, item in value.items()
    }


def _leads_somewhere(reference: str, root: Mapping[str, Any]) -> bool:
    seen: set[str] = set()
    while reference not in seen and reference.startswith("#/"):
        seen.add(reference)
        target: Any = root
        for step in reference[2:].split("/"):
            target = target.get(step) if isinstance(target, Mapping) else None
        if not isinstance(target, Mapping):
            return False
        following = target.get("$ref")
        if not isinstance(following, str):
            return True
        reference = following
    return False
