"""What data is wanted, and what becomes of it: a JSON Schema, or a type whose instance is made of the data."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from actloop.errors import ConfigError
from actloop.llm.json_schema import fits
from actloop.llm.provider_schema import rooted
from actloop.llm.schema_node import SchemaNode
from actloop.llm.schema_tidy import tidy_schema
from actloop.llm.typed_dicts import with_portable_typed_dicts
from actloop.messages import shorten

__all__ = ["Target"]

_MOST_PROBLEMS = 8


class Target:
    """The data wanted.

    wanted: a JSON Schema, or a pydantic model, dataclass, TypedDict or any other type that JSON can hold.
    parse_fn: makes the value out of the data (or out of the instance, when a type is wanted).

    schema: the JSON Schema that data must fit. wrapped_schema: the same under `VALUE_KEY`. names: the properties that
    an object of this schema may have, by name.

    Raises `ConfigError` for an invalid schema and for a type that no JSON value can be.
    """

    def __init__(self, wanted: Any, parse_fn: Callable[[Any], Any] | None) -> None:
        self._instance: Callable[[Any], Any] | None = None
        self._parse_fn = parse_fn
        if isinstance(wanted, dict):
            self.schema: dict[str, Any] = wanted
        else:
            self.schema, self._instance = _described(wanted)
        fits(None, self.schema)
        self.wrapped_schema = rooted(self.schema, unions=False).schema
        self.names = _names(SchemaNode.of(self.schema), 4)

    def value_of(self, data: Any) -> Any:
        """The value made of data that fits the schema.

        Raises `ValueError`, in words for the model, when the type or ``parse_fn`` does not take it.
        """
        value = data if self._instance is None else self._instance(data)
        if self._parse_fn is None:
            return value
        try:
            value = self._parse_fn(value)
        except Exception as error:  # the caller's function judges the data: its failure is the verdict
            raise ValueError(f"the data was refused: {str(error) or type(error).__name__}") from error
        if value is None:
            raise ValueError("the data was refused: it makes no value")
        return value


def _names(node: SchemaNode, depth: int) -> frozenset[str]:
    node = node.resolved()
    found = set(node.schema.get("properties") or ())
    if depth:
        for keyword in ("anyOf", "oneOf", "allOf"):
            for number in range(len(node.schema.get(keyword) or ())):
                found |= _names(node.child(keyword, number), depth - 1)
    return frozenset(found)


def _described(kind: Any) -> tuple[dict[str, Any], Callable[[Any], Any]]:
    """The JSON Schema of a type, and the function that makes an instance of it."""
    from pydantic import PydanticUserError, TypeAdapter, ValidationError
    from pydantic.errors import PydanticUndefinedAnnotation

    try:
        adapter: TypeAdapter[Any] = TypeAdapter(with_portable_typed_dicts(kind, {}))
        schema = tidy_schema(adapter.json_schema())
    except (PydanticUserError, PydanticUndefinedAnnotation, TypeError, NameError) as error:
        raise ConfigError(
            f"schema is {kind!r}, which cannot be described to a model ({str(error).splitlines()[0]}). Pass a JSON "
            "Schema (a dict), or a type that JSON can hold: a pydantic model, a dataclass, a TypedDict, list[int] …"
        ) from error

    def instance(data: Any) -> Any:
        try:
            return adapter.validate_json(json.dumps(data))
        except ValidationError as error:
            details = error.errors(include_url=False, include_context=False, include_input=False)
            problems = [f"{_path(detail['loc'])}{detail['msg']}" for detail in details[:_MOST_PROBLEMS]]
            raise ValueError(shorten("; ".join(problems), 2_000, marker=" … ")) from error

    return schema, instance


def _path(location: tuple[int | str, ...]) -> str:
    path = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location).lstrip(".")
    return f"{path}: " if path else ""
