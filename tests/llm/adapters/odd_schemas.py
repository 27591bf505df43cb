"""JSON that looks like a schema and mostly is none."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_KEYWORDS = (
    "$ref", "$defs", "type", "enum", "const", "anyOf", "allOf", "properties", "required", "items", "minItems",
    "maxItems", "additionalProperties", "minLength", "maxLength", "pattern", "format", "minimum", "maximum", "a",
)  # fmt: skip
_WORDS = ("string", "integer", "object", "array", "#", "#/$defs/b", "^a$", "^[a$", "^\\", "^a{2,1}$", "date", "a")


def odd_schemas() -> st.SearchStrategy[Any]:
    """Any nesting of the keywords of JSON Schema with values of any kind; no reference leads anywhere."""
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    leaves = st.none() | st.booleans() | numbers | st.sampled_from(_WORDS)
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYWORDS), inner, min_size=1, max_size=5)
        ),
        max_leaves=20,
    )
