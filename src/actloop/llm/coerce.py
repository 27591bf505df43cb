"""Bend values gently until they fit their JSON Schema: only where the meaning is beyond doubt, never by guessing.

A value that fits already stays as it is (apart from 3.0 becoming 3 where an integer is wanted). Whether the outcome
fits is for `json_schema.check` to say.
"""

from __future__ import annotations

import json
import re
from typing import Any

from actloop.llm.lenient_json import Complete, read_value
from actloop.llm.schema_node import SchemaNode
from actloop.llm.strict_json import strict_value

__all__ = ["coerce", "without_unknown_keys"]

_MOST_STEPS = 20_000  # nested alternatives multiply; past this a value stays as it came
_MOST_LEVELS = 100  # of values and alternatives within each other; what lies deeper stays as it came
_MOST_DIGITS = 300  # more would overflow a float, or what CPython parses
_INTEGER = re.compile(r"(-?(?:0|[1-9][0-9]*))(?:\.0+)?")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]{1,2})?")
_NULL_WORDS = ("", "null", "none")
_KNOWN_ELSEWHERE = frozenset(
    {"allOf", "anyOf", "oneOf", "if", "not", "dependentSchemas", "patternProperties", "$ref", "$dynamicRef"}
)


def coerce(value: Any, schema: dict[str, Any]) -> Any:
    """Return ``value`` bent towards ``schema``; the input is never changed.

    Bent are: numbers, booleans and null written as text where the schema asks for those; whole numbers where it asks
    for text; JSON text where it asks for an object or array; one item where it asks for a list of such; the spelling of
    an enum's value by case and outer white space; null for an optional property that cannot be null, which goes. Of
    alternatives the one counts that fits as it is, else the only outcome that fits.

    Raises `ConfigError` if ``schema`` is no valid JSON Schema.
    """
    return _Coercion().apply(value, SchemaNode.of(schema))


def without_unknown_keys(value: Any, schema: dict[str, Any]) -> Any:
    """Return ``value`` without the keys that ``schema`` does not know; the input is never changed.

    Where keys decide between alternatives nothing is trimmed: that would hide that the wrong one was chosen. An object
    that may also be null is no such choice. A schema that allows other keys in so many words keeps them.
    """
    return _trimmed(value, SchemaNode.of(schema))


class _Coercion:
    """One pass over a value, the steps it has taken and how deep it is."""

    def __init__(self) -> None:
        self._steps = 0
        self._level = 0
        self._wrapping = False

    def apply(self, value: Any, node: SchemaNode) -> Any:
        self._steps += 1
        if self._steps > _MOST_STEPS or self._level == _MOST_LEVELS:
            return value
        self._level += 1
        try:
            return self._bent(value, node)
        finally:
            self._level -= 1

    def _bent(self, value: Any, node: SchemaNode) -> Any:
        node = node.resolved()
        value = self._alternative(_spelled(value, node), node)
        for number in range(len(node.schema.get("allOf") or ())):
            value = self.apply(value, node.child("allOf", number))
        types = node.types()
        if not types or any(_is_of_type(value, name) for name in types):
            return self._members(_whole(value, types), node)
        outcomes = [outcome for name in types for outcome in self._as_type(value, name, node)]
        return _only(outcomes, value)

    def _alternative(self, value: Any, node: SchemaNode) -> Any:
        """``value`` as the branch of ``anyOf`` or ``oneOf`` wants it."""
        branches = node.branches()
        for branch in branches:
            if branch.accepts(value):
                return self.apply(value, branch)
        outcomes = [(branch, self.apply(value, branch)) for branch in branches]
        return _only([outcome for branch, outcome in outcomes if branch.accepts(outcome)], value)

    def _as_type(self, value: Any, name: str, node: SchemaNode) -> list[Any]:
        """``value`` as one of type ``name``, in a list; an empty list when it cannot be one."""
        match name, value:
            case (("array" | "object"), str()):
                parsed = _parsed(value)
                if _is_of_type(parsed, name):
                    return [self._members(parsed, node)]
                return self._wrapped(value, node) if name == "array" else []
            case "array", _:
                return self._wrapped(value, node)
            case _, str():
                return _scalar(value.strip(), name)
            case "string", int() if not isinstance(value, bool):
                return [str(value)]
            case _:
                return []

    def _wrapped(self, value: Any, node: SchemaNode) -> list[Any]:
        """One item as a list of one."""
        items = node.schema.get("items")
        if not isinstance(items, dict) or value is None or self._wrapping:
            return []
        if isinstance(value, str) and value.strip()[:1] in ("", "["):  # nothing, or a list that could not be read
            return []
        item = node.child("items")
        self._wrapping = True  # a list of one list of one item would be too much
        value = self.apply(value, item)
        self._wrapping = False
        return [[value]] if item.accepts(value) else []

    def _members(self, value: Any, node: SchemaNode) -> Any:
        if isinstance(value, dict):
            return self._properties(value, node)
        if isinstance(value, list) and isinstance(node.schema.get("items"), dict):
            first = len(node.schema.get("prefixItems") or ())
            item = node.child("items")
            return value[:first] + [self.apply(member, item) for member in value[first:]]
        return value

    def _properties(self, value: dict[str, Any], node: SchemaNode) -> dict[str, Any]:
        known = node.schema.get("properties") or {}
        required = node.schema.get("required") or ()
        others = isinstance(node.schema.get("additionalProperties"), dict) and "patternProperties" not in node.schema
        result: dict[str, Any] = {}
        for key, member in value.items():
            if key in known:
                place = node.child("properties", key)
                member = self.apply(member, place)
                if member is None and key not in required and not place.accepts(None):
                    continue
            elif others:
                member = self.apply(member, node.child("additionalProperties"))
            result[key] = member
        return result


def _is_of_type(value: Any, name: str) -> bool:
    match name:
        case "object":
            return isinstance(value, dict)
        case "array":
            return isinstance(value, list)
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "null":
            return value is None
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "integer":
            return not isinstance(value, bool) and (isinstance(value, int) or _is_whole(value))
        case _:
            return False


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def _whole(value: Any, types: tuple[str, ...]) -> Any:
    """3.0 as 3 where an integer is wanted and no other number would do."""
    return int(value) if "integer" in types and "number" not in types and _is_whole(value) else value


def _scalar(text: str, name: str) -> list[Any]:
    match name:
        case "boolean" if text.lower() in ("true", "false"):
            return [text.lower() == "true"]
        case "null" if text.lower() in _NULL_WORDS:
            return [None]
        case "integer" if (match := _INTEGER.fullmatch(text)) and len(text) <= _MOST_DIGITS:
            return [int(match[1])]
        case "number" if _NUMBER.fullmatch(text) and len(text) <= _MOST_DIGITS:
            return [json.loads(text)]
        case _:
            return []


def _spelled(value: Any, node: SchemaNode) -> Any:
    """The value of ``enum`` or ``const`` that ``value`` spells with other case, outer space or quotes around it."""
    allowed = [node.schema["const"]] if "const" in node.schema else node.schema.get("enum")
    if not isinstance(allowed, list) or isinstance(value, dict | list) or node.accepts(value):
        return value
    written = _spelling(value)
    return _only([one for one in allowed if _spelling(one) == written], value)


def _spelling(value: Any) -> str:
    return value.strip().casefold() if isinstance(value, str) else json.dumps(value)


def _only(outcomes: list[Any], otherwise: Any) -> Any:
    """The outcome, if all are the same; several different ones would be a guess."""
    different = {json.dumps(outcome, sort_keys=True): outcome for outcome in outcomes}
    return outcomes[0] if len(different) == 1 else otherwise


def _parsed(text: str) -> Any:
    strict = strict_value(text)
    if strict is not None:
        return strict[0]
    reading = read_value(text)
    if isinstance(reading, Complete) and reading.duplicate_key is None and not text[reading.end :].strip():
        return reading.value
    return None


def _trimmed(value: Any, node: SchemaNode, level: int = 0) -> Any:
    if level == _MOST_LEVELS:
        return value
    level += 1
    node = _without_null(node.resolved())
    schema = node.schema
    if isinstance(value, list) and isinstance(schema.get("items"), dict) and "prefixItems" not in schema:
        return [_trimmed(item, node.child("items"), level) for item in value]
    if not isinstance(value, dict) or "properties" not in schema or not _KNOWN_ELSEWHERE.isdisjoint(schema):
        return value
    known = schema["properties"]
    open_to_others = schema.get("additionalProperties", False) is not False
    return {
        key: _trimmed(member, node.child("properties", key), level) if key in known else member
        for key, member in value.items()
        if key in known or open_to_others
    }


def _without_null(node: SchemaNode) -> SchemaNode:
    """The one form of a value that is either that or null."""
    forms = [branch.resolved() for branch in node.branches()]
    forms = [form for form in forms if form.types() != ("null",)]
    alone = len(forms) == 1 and "properties" not in node.schema
    return forms[0] if alone else node
