"""Any Python value as plain JSON data: bounded in depth and number, free of cycles, the same each time."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence, ValuesView
from collections.abc import Set as AbstractSet
from typing import Any

from actloop.tools.artifacts import Artifact

__all__ = ["PlainData"]

_MAX_DEPTH = 30
_MAX_VALUES = 50_000
_MAX_INT_BITS = 10_000


class PlainData:
    """Converts values; ``note`` phrases an artifact, and ``artifacts`` collects those that were met, in order.

    Left out beyond a depth of 30 or after 50,000 values: a model could not read that much.
    """

    def __init__(self, note: Callable[[Artifact], str]) -> None:
        self._note = note
        self._inside: set[int] = set()
        self._count = 0
        self.artifacts: list[Artifact] = []

    def of(self, value: Any) -> Any:
        """``value`` made of None, bool, int, finite float, str, list and dict with string keys only."""
        self._count += 1
        match value:
            case Artifact():
                self.artifacts.append(value)
                return self._note(value)
            case enum.Enum():
                return self.of(value.value)
            case None | bool():
                return value
            case str():
                return str(value)
            case int():
                return (
                    int(value) if value.bit_length() <= _MAX_INT_BITS else f"(integer of {value.bit_length():,} bits)"
                )
            case float():
                return float(value) if math.isfinite(value) else None
            case bytes() | bytearray() | memoryview():
                return f"({len(value):,} bytes of binary data)"
            case dt.date() | dt.time():
                return value.isoformat()
            case numbers.Integral():
                return self.of(int(value))
            case _:
                return self._compound(value)

    def _compound(self, value: Any) -> Any:
        children = _children(value)
        if children is None:
            return _text(value)
        if id(value) in self._inside:
            return "(circular)"
        if len(self._inside) >= _MAX_DEPTH:
            return "(nested too deeply)"
        self._inside.add(id(value))
        try:
            return self._mapping(children) if isinstance(children, Mapping) else self._sequence(children)
        finally:
            self._inside.discard(id(value))

    def _mapping(self, children: Mapping[Any, Any]) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key, child in children.items():
            if self._count >= _MAX_VALUES:
                result["…"] = f"({len(children) - len(result):,} more left out)"
                break
            plain = self.of(key.value if isinstance(key, enum.Enum) else key)
            result[plain if isinstance(plain, str) else str(key)] = self.of(child)
        return result

    def _sequence(self, children: Iterable[Any]) -> list[Any]:
        result: list[Any] = []
        for child in children:
            if self._count >= _MAX_VALUES:
                result.append("(more left out)")
                break
            result.append(self.of(child))
        return result


def _children(value: Any) -> Mapping[Any, Any] | Iterable[Any] | None:
    """What is inside ``value``: a mapping, an iterable, or None for a value that only has a text."""
    if isinstance(value, type):
        return None
    if isinstance(value, Mapping):
        return value
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.repr}
    if callable(getattr(type(value), "model_dump", None)):  # a pydantic model, without importing pydantic
        return dict(value.model_dump())
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return dict(value._asdict())
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=lambda item: (type(item).__name__, str(item)))
    if isinstance(value, (Sequence, AbstractSet, ValuesView)):
        return value
    return None


def _text(value: Any) -> str:
    """``str(value)``, without the memory address that the default one has: it would differ in each run."""
    kind: Any = type(value)
    if kind.__str__ is object.__str__ and kind.__repr__ is object.__repr__:
        return f"({kind.__name__} object)"
    return str(value)
