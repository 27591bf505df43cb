"""Make a JSON Schema one that providers accept, as parameters of a tool or to constrain a reply (pure).

What goes out is only ever narrower or vaguer than the schema that was given; the data is checked against the latter.

Sources: OpenAI, guide "Structured Outputs", supported schemas (a root object without ``anyOf``, every property
required, ``additionalProperties`` false, at most 5,000 properties, 10 levels, 1,000 values of enums and 120,000
characters of names); llguidance, which constrains local models, refuses a schema with a keyword it cannot enforce.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["VALUE_KEY", "ConstraintSchema", "RootedSchema", "bounded", "constraint_schema", "rooted"]

VALUE_KEY = "value"
"""Where the data stands when its schema is not one of an object."""

_ROOT_NAME = "data"
_MOST_DEPTH = 60
_MOST_CHARACTERS = 400_000
_STRICT_LIMITS = {"properties": 5_000, "depth": 10, "enum": 1_000, "characters": 120_000}
_FORMATS = frozenset(("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"))
_KEPT = (
    *("type", "description", "properties", "required", "items", "prefixItems", "additionalProperties"),
    *("enum", "const", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
    *("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "anyOf", "allOf"),
)
_NOT_STRICT = frozenset(("prefixItems", "allOf", "minLength", "maxLength", "minProperties", "maxProperties"))
_PLAIN_PATTERN = re.compile(r"(?:[^(\\]|\((?!\?)|\(\?:|\\[^1-9kpPbB])*")  # no look-around, no back-references


@dataclass(frozen=True, slots=True)
class RootedSchema:
    """A schema of an object; ``wrapped`` says that the data stands in it under `VALUE_KEY`."""

    schema: dict[str, Any]
    wrapped: bool


@dataclass(frozen=True, slots=True)
class ConstraintSchema:
    """A schema to constrain a reply with; ``strict`` says whether it keeps the rules of OpenAI's strict mode."""

    schema: dict[str, Any]
    strict: bool


def rooted(schema: dict[str, Any], *, unions: bool) -> RootedSchema:
    """``schema`` with an object at its root: data of another kind is wrapped as ``{"value": …}``.

    unions: whether a union of objects may stay at the root; tools' parameters and constraints may not begin with one.
    """
    schema = {key: value for key, value in schema.items() if key not in ("$schema", "$id")}
    resolved = _with_reference_followed(schema)
    if resolved.get("type") == "object" and (unions or not _UNIONS & resolved.keys()):
        return RootedSchema(resolved, wrapped=False)
    if unions and _is_union_of_objects(resolved):
        return RootedSchema(resolved, wrapped=False)
    return RootedSchema(_wrapped(schema), wrapped=True)


_UNIONS = frozenset(("anyOf", "oneOf", "allOf", "enum", "not", "if"))


def constraint_schema(root: RootedSchema) -> ConstraintSchema | None:
    """What a reply can be constrained to; None when nothing useful is left (too deep, too long, or unknown references).

    Every object is closed and all its properties are required; those that were optional may be null instead.
    """
    pass_ = _Pass()
    try:
        schema = pass_.schema(root.schema, 0)
    except _CannotConstrain:
        return None
    definitions = {name: pass_.adapted_definition(definition) for name, definition in _definitions(root.schema).items()}
    if None in definitions.values():
        return None
    if definitions:
        schema["$defs"] = definitions
    return ConstraintSchema(schema, pass_.is_strict())


def bounded(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema``, one of `constraint_schema`, with bounds on every list, map and text that has none.

    For a model that went in circles until it was cut off: held to this, it comes to an end.
    """
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("properties", "$defs"):
            result[key] = {name: bounded(item) for name, item in value.items()}
        elif key in ("anyOf", "allOf", "prefixItems"):
            result[key] = [bounded(item) for item in value]
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            result[key] = bounded(value)
        else:
            result[key] = value
    kinds = [result["type"]] if isinstance(result.get("type"), str) else result.get("type", ())
    if "array" in kinds:
        result.setdefault("maxItems", max(_BOUND_ITEMS, result.get("minItems", 0)))
    if "string" in kinds and _SHORT_ALREADY.isdisjoint(result):
        result.setdefault("maxLength", max(_BOUND_LETTERS, result.get("minLength", 0)))
    if "object" in kinds and result.get("additionalProperties") is not False:
        result.setdefault("maxProperties", max(_BOUND_ITEMS, result.get("minProperties", 0)))
    return result


_BOUND_ITEMS = 6
_BOUND_LETTERS = 60
_SHORT_ALREADY = frozenset(("enum", "const", "pattern", "format"))


def _definitions(schema: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for keyword in ("definitions", "$defs"):
        value = schema.get(keyword)
        if isinstance(value, dict):
            found |= value
    return found


def _with_reference_followed(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` with the definition that its root refers to in place of the reference."""
    for _ in range(8):
        reference = schema.get("$ref")
        name = _defined_name(reference)
        target = _definitions(schema).get(name) if name is not None else None
        if not isinstance(target, dict):
            return schema
        schema = {**{key: value for key, value in schema.items() if key != "$ref"}, **target}
    return schema


def _defined_name(reference: object) -> str | None:
    match = re.fullmatch(r"#/(?:\$defs|definitions)/([^/~%]+)", reference) if isinstance(reference, str) else None
    return match[1] if match else None


def _is_union_of_objects(schema: Mapping[str, Any]) -> bool:
    branches = schema.get("anyOf") or schema.get("oneOf")
    definitions = _definitions(schema)
    if not isinstance(branches, list):
        return False
    followed = [
        _with_reference_followed({**branch, "$defs": definitions}) for branch in branches if isinstance(branch, dict)
    ]
    return len(followed) == len(branches) and all(branch.get("type") == "object" for branch in followed)


def _wrapped(schema: dict[str, Any]) -> dict[str, Any]:
    body = {key: value for key, value in schema.items() if key not in ("$defs", "definitions")}
    definitions = _definitions(schema)
    if any(_points_into_root(reference) for reference in _references(schema)):
        while _ROOT_NAME in definitions:  # a name of its own, whatever the others are
            definitions = {f"{name}_" if name == _ROOT_NAME else name: item for name, item in definitions.items()}
        definitions = {name: _moved(item) for name, item in definitions.items()} | {_ROOT_NAME: _moved(body)}
        body = {"$ref": f"#/$defs/{_ROOT_NAME}"}
    wrapped = {
        "type": "object",
        "properties": {VALUE_KEY: body},
        "required": [VALUE_KEY],
        "additionalProperties": False,
    }
    return {**wrapped, "$defs": definitions} if definitions else wrapped


def _references(schema: Any) -> Iterator[str]:
    stack = [schema]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if isinstance(value.get("$ref"), str):
                yield value["$ref"]
            stack += value.values()
        elif isinstance(value, list):
            stack += value


def _points_into_root(reference: str) -> bool:
    return reference == "#" or (reference.startswith("#/") and _defined_name(reference) is None)


def _moved(value: Any) -> Any:
    """``value`` with references into the root led to where the root has moved."""
    if isinstance(value, list):
        return [_moved(item) for item in value]
    if not isinstance(value, dict):
        return value
    moved = {key: _moved(item) for key, item in value.items()}
    reference = value.get("$ref")
    if isinstance(reference, str) and _points_into_root(reference):
        moved["$ref"] = f"#/$defs/{_ROOT_NAME}{reference[1:]}"
    return moved


class _CannotConstrain(Exception):
    """This schema cannot be put into a form that constrained decoding takes."""


class _Pass:
    """One adaption: what it met decides whether the outcome is strict."""

    def __init__(self) -> None:
        self._strict = True
        self._properties = 0
        self._enum_values = 0
        self._characters = 0
        self._depth = 0

    def is_strict(self) -> bool:
        seen = {
            "properties": self._properties,
            "depth": self._depth,
            "enum": self._enum_values,
            "characters": self._characters,
        }
        return self._strict and all(seen[name] <= limit for name, limit in _STRICT_LIMITS.items())

    def adapted_definition(self, definition: Any) -> dict[str, Any] | None:
        try:
            return self.schema(definition, 1)
        except _CannotConstrain:
            return None

    def schema(self, schema: Any, depth: int) -> dict[str, Any]:
        """The adapted form of one schema in the tree."""
        self._depth = max(self._depth, depth)
        if depth > _MOST_DEPTH or self._characters > _MOST_CHARACTERS or schema is False:
            raise _CannotConstrain
        if not isinstance(schema, dict):
            self._strict = False
            return {}
        if "$ref" in schema:
            return {"$ref": self._reference(schema["$ref"])}
        result = {key: schema[key] for key in _KEPT if key in schema}
        if isinstance(schema.get("oneOf"), list):
            result["anyOf"] = [*result.get("anyOf", ()), *schema["oneOf"]]
        self._strict = self._strict and _NOT_STRICT.isdisjoint(result)
        self._values(result)
        self._text(schema, result)
        for key in ("anyOf", "allOf", "prefixItems"):
            if key in result:
                result[key] = [self.schema(branch, depth + (key == "prefixItems")) for branch in result[key]]
        if result.get("items") is False:  # llama.cpp takes this for a schema; a bound says the same
            del result["items"]
            result["maxItems"] = min(result.get("maxItems", math.inf), len(result.get("prefixItems", ())))
        elif "items" in result:
            result["items"] = self.schema(result["items"], depth + 1)
        elif result.get("type") == "array":
            self._strict = False
        if result.get("type") == "object" or "properties" in result:
            self._object(schema, result, depth)
        if not {"type", "anyOf", "allOf", "enum", "const"} & result.keys():
            self._strict = False
        return result

    def _reference(self, reference: Any) -> str:
        name = _defined_name(reference)
        if name is None and reference != "#":
            raise _CannotConstrain
        return "#" if name is None else f"#/$defs/{name}"

    def _values(self, result: dict[str, Any]) -> None:
        values = result["enum"] if isinstance(result.get("enum"), list) else [result.get("const")]
        if "enum" not in result and "const" not in result:
            return
        self._enum_values += len(values)
        self._characters += sum(len(value) for value in values if isinstance(value, str))
        kinds = {_kind_of(value) for value in values}
        if not kinds <= {"string", "integer", "number", "boolean", "null"}:
            self._strict = False
        elif "type" not in result:
            result["type"] = kinds.pop() if len(kinds) == 1 else sorted(kinds)

    def _text(self, schema: Mapping[str, Any], result: dict[str, Any]) -> None:
        if schema.get("format") in _FORMATS:
            result["format"] = schema["format"]
        if not _PLAIN_PATTERN.fullmatch(str(result.get("pattern", ""))):
            del result["pattern"]

    def _object(self, schema: Mapping[str, Any], result: dict[str, Any], depth: int) -> None:
        properties = result.get("properties") or {}
        required = set(result.get("required") or ())
        others = schema.get("additionalProperties", False)
        if "patternProperties" in schema or (isinstance(others, dict) or (others is True and not properties)):
            self._strict = False
            if isinstance(others, dict):
                result["additionalProperties"] = self.schema(others, depth + 1)
        elif properties or "additionalProperties" in schema:
            result["additionalProperties"] = False
        else:
            self._strict = False  # any object at all
        self._properties += len(properties)
        self._characters += sum(map(len, properties))
        if "properties" in result or properties:
            adapted = {name: self.schema(value, depth + 1) for name, value in properties.items()}
            result["properties"] = {
                name: value if name in required else _or_null(value) for name, value in adapted.items()
            }
            result["required"] = list(properties)
        else:
            result.pop("required", None)


def _kind_of(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case _:
            return "object"


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """``schema`` that may also be null."""
    kinds = schema.get("type")
    description = {"description": schema["description"]} if "description" in schema else {}
    if schema == {} or kinds == "null" or (isinstance(kinds, list) and "null" in kinds):
        return schema
    if kinds in ("string", "integer", "number", "boolean") and not {"anyOf", "allOf", "const"} & schema.keys():
        enum = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
        return {**schema, "type": [kinds, "null"], **enum}
    branches = schema["anyOf"] if schema.keys() <= {"anyOf", "description"} else [schema]
    if {"type": "null"} in branches:
        return schema
    return {**description, "anyOf": [*branches, {"type": "null"}]}
