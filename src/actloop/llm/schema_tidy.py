"""Make a generated JSON Schema short and self-contained: a model reads it, and each word costs tokens (pure)."""

from __future__ import annotations

from typing import Any

__all__ = ["tidy_schema"]

_NAMED = ("properties", "patternProperties", "dependentSchemas", "$defs")
_VALUES = ("default", "const", "enum", "examples", "required")
_MAX_INLINED = 40


def tidy_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return ``schema`` without generated titles, and with its ``$ref`` replaced by what they point at.

    References stay, together with ``$defs``, where a type contains itself or where replacing them would blow the
    schema up (more than 40 of them).
    """
    definitions = schema.get("$defs", {})
    inliner = _Inliner(definitions)
    body = {key: value for key, value in schema.items() if key != "$defs"}
    result: dict[str, Any] = inliner.schema(body, ())
    if inliner.count > _MAX_INLINED:
        result = schema
    elif inliner.kept:
        result |= {"$defs": inliner.kept_definitions()}
    tidied: dict[str, Any] = _without_noise(result)
    return tidied


class _Inliner:
    def __init__(self, definitions: dict[str, Any]) -> None:
        self._definitions = definitions
        self.count = 0
        self.kept: set[str] = set()

    def schema(self, schema: Any, path: tuple[str, ...]) -> Any:
        """A copy of ``schema`` with references replaced; ``path`` names the definitions it stands in."""
        if isinstance(schema, list):
            return [self.schema(part, path) for part in schema]
        if not isinstance(schema, dict):
            return schema
        result: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _VALUES:
                result[key] = value
            elif key in _NAMED:
                result[key] = {name: self.schema(part, path) for name, part in value.items()}
            elif key != "$ref":
                result[key] = self.schema(value, path)
        if "$ref" in schema:
            result = self._target(schema["$ref"], path) | result
        return result

    def _target(self, reference: str, path: tuple[str, ...]) -> dict[str, Any]:
        name = reference.removeprefix("#/$defs/")
        self.count += 1
        if name in path or self.count > _MAX_INLINED:
            self.kept.add(name)
            return {"$ref": reference}
        target: dict[str, Any] = self.schema(self._definitions[name], (*path, name))
        return target

    def kept_definitions(self) -> dict[str, Any]:
        """The definitions that references still point at, themselves with references only to such."""
        done: dict[str, Any] = {}
        while missing := sorted(self.kept - done.keys()):
            for name in missing:
                done[name] = self.schema(self._definitions[name], (name,))
        return done


def _without_noise(schema: Any) -> Any:
    """Leave out titles, what holds anyway, and ``discriminator``: an OpenAPI word that points into ``$defs``."""
    if isinstance(schema, list):
        return [_without_noise(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _VALUES:
            result[key] = value
        elif key in _NAMED:
            result[key] = {name: _without_noise(part) for name, part in value.items()}
        elif key not in ("title", "discriminator") and (key, value) != ("additionalProperties", True):
            result[key] = _without_noise(value)
    return result
