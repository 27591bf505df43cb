"""A JSON Schema as a model reads it (pure)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["schema_form", "schema_text"]


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


def schema_form(schema: Mapping[str, Any]) -> str:
    """The form of the data in few words, ``{"name": text, "age": whole number}``, without the details of the schema."""
    definitions = schema.get("$defs")
    return _form(schema, definitions if isinstance(definitions, dict) else {}, _FORM_DEPTH)


_FORM_DEPTH = 12
_WORDS = {"string": "text", "integer": "whole number", "boolean": "true | false"}


def _form(schema: Any, definitions: Mapping[str, Any], depth: int) -> str:
    if not isinstance(schema, Mapping) or depth == 0:
        return "…"
    if "$ref" in schema:
        # what refers to itself would be told again and again: a reference counts as a third of the depth
        target = definitions.get(str(schema["$ref"]).rpartition("/")[2])
        return _form(target, definitions, max(0, depth - _FORM_DEPTH // 3))
    if isinstance(schema.get("anyOf"), list):
        return " | ".join(_form(branch, definitions, depth - 1) for branch in schema["anyOf"])
    if isinstance(schema.get("enum"), list) or "const" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema.get("enum", [schema.get("const")]))
    kinds = schema.get("type", "…")
    if kinds == "object":
        members = [
            f"{json.dumps(name, ensure_ascii=False)}: {_form(member, definitions, depth - 1)}"
            for name, member in schema.get("properties", {}).items()
        ]
        if isinstance(schema.get("additionalProperties"), Mapping):
            value = _form(schema["additionalProperties"], definitions, depth - 1)
            members.append(f"name: {value}, …")
        return "{" + ", ".join(members) + "}"
    if kinds == "array" and "prefixItems" in schema:
        return "[" + ", ".join(_form(item, definitions, depth - 1) for item in schema["prefixItems"]) + "]"
    if kinds == "array":
        return f"[{_form(schema.get('items', {}), definitions, depth - 1)}, …]"
    return " | ".join(_WORDS.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
