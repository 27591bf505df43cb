"""JSON as it leaves the process: whatever a tool or a model made, made sayable, and on one line (pure)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from actloop.messages import clean_text

__all__ = ["clean_object", "encode_data"]

_MAX_DEPTH = 100
"""Deeper nesting than any argument needs, and far from where Python's JSON encoder gives up."""

_MAX_INT_BITS = 10_000
"""Python refuses to write integers of more than 4,300 digits (about 14,000 bits) in decimal."""


def clean_object(value: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    """Return ``value`` as JSON can say it: text is valid Unicode, NaN and infinities null, strangers their `str`."""
    return {clean_text(str(key)): _clean_value(item, depth + 1) for key, item in value.items()}


def _clean_value(value: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        return "…"
    match value:
        case None | bool():
            return value
        case str():
            return clean_text(value)
        case int():
            return value if value.bit_length() <= _MAX_INT_BITS else f"{value:#x}"
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return clean_object(value, depth)
        case list() | tuple():
            return [_clean_value(item, depth + 1) for item in value]
        case _:
            return clean_text(str(value))


_ESCAPES = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}
"""What the JSON encoder leaves as it is, though a terminal obeys it or a reader takes it for a line end."""

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def encode_data(data: Mapping[str, object]) -> str:
    """Return ``data`` as JSON on one line, in the eyes of every reader: no raw control or line end in it."""
    line = _encode(data)
    return line if line.isascii() and "\x7f" not in line else line.translate(_ESCAPES)
