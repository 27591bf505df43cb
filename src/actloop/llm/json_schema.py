"""Check values against JSON Schema (draft 2020-12, or the draft that the schema names) and say what is wrong in words.

Schemas come from tools, MCP servers and OpenAPI documents, so they are not trusted: a reference that leads out of the
schema is refused, never fetched. A schema is taken as immutable: its validators are kept for as long as it is in use.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from actloop.errors import ConfigError
from actloop.messages import shorten

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

__all__ = ["Problem", "check", "fits"]

_KEPT = 512
_ROOT = "urn:actloop:schema"
_MOST_PROBLEMS = 20
_MOST_LETTERS = 400


class Problem(NamedTuple):
    """One thing that is wrong with a value.

    path: where, for example ``filters[0].min``; empty for the value as a whole.
    message: what was expected and what came.
    """

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


def check(value: Any, schema: dict[str, Any] | bool) -> tuple[Problem, ...]:
    """Return what is wrong with ``value``, nothing if it fits; at most 20 problems.

    Raises `ConfigError` if ``schema`` is no valid JSON Schema or refers to something outside itself.
    """
    if fits(value, schema):
        return ()
    problems: list[Problem] = []
    try:
        for error in _validators.get(schema, "").iter_errors(value):
            problems += _problems(error)
            if len(problems) >= _MOST_PROBLEMS:
                break
    except UnicodeEncodeError:
        return (Problem("", "holds text that is not valid Unicode"),)
    return tuple(dict.fromkeys(problems[:_MOST_PROBLEMS]))


def fits(value: Any, schema: dict[str, Any] | bool, pointer: str = "") -> bool:
    """Whether ``value`` fits ``schema``, or the part of it at the JSON pointer ``pointer``. Raises as `check` does."""
    try:
        return bool(_validators.get(schema, pointer).is_valid(value))
    except UnicodeEncodeError:
        return False


class _Validators:
    """The validators of the schemas last used. Each entry holds its schema, so that an id is never taken over."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[int, str], tuple[Any, Any]] = OrderedDict()
        self._lock = Lock()

    def get(self, schema: dict[str, Any] | bool, pointer: str) -> Any:
        key = (id(schema), pointer)
        with self._lock:
            entry = self._kept.get(key)
            if entry is not None:
                self._kept.move_to_end(key)
                return entry[1]
        validator = _build(schema, pointer)
        with self._lock:
            self._kept[key] = (schema, validator)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return validator


_validators = _Validators()


def _build(schema: dict[str, Any] | bool, pointer: str) -> Any:
    import jsonschema_rs

    def retrieve(uri: str) -> Any:
        if uri == _ROOT:
            return schema
        raise ValueError(f"{uri!r} lies outside the schema, and nothing is fetched")

    entry = {"$ref": f"{_ROOT}#{pointer}"} if pointer else schema
    try:
        return jsonschema_rs.validator_for(entry, retriever=retrieve)
    except (ValueError, TypeError) as error:
        reason = getattr(error, "message", None) or str(error)
        raise ConfigError(f"This JSON Schema cannot be used: {shorten(reason, _MOST_LETTERS)}") from error


def _problems(error: ValidationError) -> list[Problem]:
    path = _path(error.instance_path)
    kind = error.kind
    found = _shown(error.instance)
    match kind.name:
        case "required":
            return [Problem(_path([*error.instance_path, kind.value]), "is required, but missing")]
        case "additionalProperties" | "unevaluatedProperties":
            keys = kind.value if isinstance(kind.value, list) else [kind.value]
            return [Problem(_path([*error.instance_path, str(key)]), "is not a known key") for key in keys]
        case "type":
            types: list[str] = kind.value if isinstance(kind.value, list) else [kind.value]
            expected = " or ".join(_TYPE_WORDS.get(name, name) for name in types)
            return [Problem(path, f"expected {expected}, got {found}")]
        case "enum":
            return [Problem(path, f"expected one of {', '.join(_shown(one) for one in kind.value)}, got {found}")]
        case "const":
            return [Problem(path, f"expected {_shown(kind.value)}, got {found}")]
        case "falseSchema":
            return [Problem(path, f"nothing is allowed here, got {found}")]
        case "anyOf" | "oneOf":
            return [Problem(path, _branches(error, found))]
        case _:
            return [Problem(path, shorten(error.message, _MOST_LETTERS))]


def _branches(error: ValidationError, found: str) -> str:
    """What each branch of an ``anyOf`` or ``oneOf`` misses, so that a model sees every way to mend the value."""
    context: list[list[ValidationError]] = getattr(error.kind, "context", [])
    forms = ["; ".join(str(problem) for one in branch[:4] for problem in _problems(one)) for branch in context]
    forms = [form for form in dict.fromkeys(forms) if form]
    if not forms:
        return f"{found} fits more than one of the forms that exclude each other"
    listed = " ".join(f"({number}) {form}." for number, form in enumerate(forms[:10], start=1))
    return f"{found} fits none of the allowed forms: {listed}"


_TYPE_WORDS = {
    "array": "an array",
    "boolean": "true or false",
    "integer": "an integer",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "a string",
}


def _path(steps: Sequence[str | int]) -> str:
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text


def _shown(value: Any) -> str:
    return shorten(json.dumps(value, ensure_ascii=False, default=str), 80, marker="…")
