"""From TOML values and texts to typed settings, with errors that say where and what is allowed (pure)."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

from actloop.errors import ConfigError

__all__ = ["field_kinds", "known_keys", "typed_text", "typed_value"]

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


def field_kinds(settings_class: type) -> dict[str, type]:
    """Return the type of each field of a dataclass of plain values; ``X | None`` counts as ``X``."""
    return {name: _without_none(hint) for name, hint in get_type_hints(settings_class).items()}


def _without_none(hint: Any) -> type:
    if isinstance(hint, UnionType):
        (hint,) = (arm for arm in get_args(hint) if arm is not NoneType)
    plain: type = get_origin(hint) or hint
    return plain


def known_keys(table: Mapping[str, object], allowed: Iterable[str], where: str) -> None:
    """Raise `ConfigError` if ``table`` has a key that is not allowed; the message names near ones."""
    names = sorted(allowed)
    for key in table:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ConfigError(f"{where}: unknown key {key!r}; {hint}Known here: {', '.join(names)}.")


def typed_value(kind: type, value: object, where: str, *, zero: bool = False) -> Any:
    """Return a TOML value as a ``kind``: `str`, `bool`, `int` or `float`.

    Numbers must be finite and positive; with ``zero`` they may also be 0. Raises `ConfigError`, which shows the value.
    """
    if kind is float and type(value) is int:
        value = float(value)
    fits = type(value) is kind and value != ""
    if fits and isinstance(value, int | float) and kind is not bool:
        fits = math.isfinite(value) and (value > 0 or (zero and value == 0))
    if not fits:
        raise ConfigError(f"{where} is {value!r}, but {_expected(kind, zero)} is expected.")
    return value


def typed_text(kind: type, text: str, where: str, *, zero: bool = False) -> Any:
    """Return the text of an environment variable as a ``kind``, by the same rules as `typed_value`."""
    text = text.strip()
    if kind is bool:
        return typed_value(kind, text.lower() in _TRUE if text.lower() in _TRUE | _FALSE else text, where)
    try:
        value = kind(text)
    except ValueError:
        value = text
    return typed_value(kind, value, where, zero=zero)


def _expected(kind: type, zero: bool) -> str:
    if kind is bool:
        return "true or false"
    if kind is str:
        return "a text that is not empty"
    words = "a whole number" if kind is int else "a number"
    return f"{words}, {'0 or more' if zero else 'greater than 0'},"
