from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from actloop.llm.adapters.grammar_schema import grammar_schema
from tests.llm.adapters.odd_schemas import odd_schemas


def test_a_schema_that_is_fine_stays_as_it_is_and_in_its_order() -> None:
    schema = {
        "$defs": {"point": {"type": "object", "properties": {"y": {"type": "number"}, "x": {"type": "number"}}}},
        "type": "object",
        "properties": {
            "kind": {"const": "a"},
            "at": {"$ref": "#/$defs/point"},
            "code": {"type": "string", "pattern": "^[a-z]{2}-(x|y)$"},
            "tags": {"type": "array", "items": {"enum": ["b", "a"]}, "maxItems": 3},
            "size": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}]},
        },
        "required": ["kind", "at"],
        "additionalProperties": False,
    }
    loosened = grammar_schema(schema)
    assert loosened == schema
    assert list(loosened["properties"]) == list(schema["properties"])  # type: ignore[call-overload]
    assert list(loosened["$defs"]["point"]["properties"]) == ["y", "x"]


def test_a_schema_may_refer_to_itself_below_a_property() -> None:
    tree = {
        "$defs": {"tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}}}},
        "$ref": "#/$defs/tree",
    }
    assert grammar_schema(tree) == tree


@pytest.mark.parametrize(
    ("schema", "kept"),
    [
        (True, {}),
        ([], {}),
        ({"type": ["string", "nonsense"]}, {"type": ["string"]}),
        ({"type": []}, {}),
        ({"enum": []}, {}),
        ({"anyOf": []}, {}),
        ({"properties": {"a": True}}, {"properties": {"a": {}}}),
        ({"items": True, "minItems": -1}, {"items": {}}),
        ({"minimum": None, "maximum": 10**40}, {}),
        ({"minimum": 5, "maximum": 3}, {}),
        ({"exclusiveMinimum": True}, {}),
        ({"pattern": "a"}, {}),
        ({"pattern": r"^\d+$"}, {}),
        ({"pattern": "^(?=a)a$"}, {}),
        ({"pattern": "^([a$"}, {}),
        ({"$ref": "#"}, {}),
        ({"$ref": "other.json"}, {}),
        ({"description": "words", "title": "A"}, {}),
        ({"const": {"$ref": "#"}}, {"const": {"$ref": "#"}}),
    ],
)
def test_what_llama_cpp_cannot_use_is_left_out(schema: Any, kept: dict[str, Any]) -> None:
    assert grammar_schema(schema) == kept


@given(schema=odd_schemas())
def test_loosening_twice_changes_nothing_more(schema: Any) -> None:
    once = grammar_schema(schema)
    assert grammar_schema(once) == once
