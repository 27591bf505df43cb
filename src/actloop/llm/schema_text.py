"""A JSON Schema as a model reads it (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["schema_text"]


def schema_text(schema: Mapping[str, Any]) -> str:
    """A schema as a model reads it: compact JSON without what only machines need."""
    return json.dumps(_readable(schema), ensure_ascii=False)


_NOISE = frozenset(("$schema", "$id", "$comment", "title", "examples", "deprecated", "readOnly", "writeOnly"))
_NAMED = frozenset(("properties", "patternProperties", "$defs", "definitions", "dependentSchemas"))
_VALUES = frozenset(("default", "const", "enum", "required"))


def _readable(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_readable(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _VALUES:
            result[key] = value
        elif key in _NAMED and isinstance(value, dict):
            result[key] = {name: _readable(item) for name, item in value.items()}
        elif key not in _NOISE or (key == "title" and isinstance(value, dict)):
            result[key] = _readable(value)
    return result
