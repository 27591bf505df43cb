"""Schemas made ready for providers: what goes out, and whether it keeps OpenAI's strict mode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.json_schema import check, fits
from actloop.llm.provider_schema import RootedSchema, bounded, constraint_schema, rooted

TEXT = {"type": "string"}
NODE = {
    "type": "object",
    "properties": {"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
    "required": ["name", "children"],
}


def obj(properties: dict[str, Any], *required: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), **more}


def constrained(schema: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    constraint = constraint_schema(rooted(schema, unions=False))
    assert constraint is not None
    return constraint.schema, constraint.strict


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema inside a schema."""
    yield schema
    for key in ("properties", "$defs"):
        for inner in schema.get(key, {}).values():
            yield from parts(inner)
    for key in ("anyOf", "allOf", "prefixItems"):
        for inner in schema.get(key, ()):
            yield from parts(inner)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            yield from parts(schema[key])


def test_an_object_stays_at_the_root() -> None:
    schema = obj({"a": TEXT}, "a")
    assert rooted({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, unions=False) == RootedSchema(
        schema, wrapped=False
    )


@pytest.mark.parametrize("schema", [{"type": "array", "items": TEXT}, {"type": "integer"}, {"enum": [1, 2]}, {}])
def test_other_data_is_asked_for_under_a_key(schema: dict[str, Any]) -> None:
    root = rooted(schema, unions=True)
    assert root.wrapped
    assert root.schema["properties"] == {"value": schema}
    assert root.schema["required"] == ["value"]


def test_a_union_of_objects_stays_at_the_root_only_where_that_is_allowed() -> None:
    union = {"anyOf": [obj({"a": TEXT}), {"$ref": "#/$defs/B"}], "$defs": {"B": obj({"b": TEXT})}}
    assert rooted(union, unions=True) == RootedSchema(union, wrapped=False)
    wrapped = rooted(union, unions=False)
    assert wrapped.wrapped
    assert wrapped.schema["properties"]["value"] == {"anyOf": union["anyOf"]}
    assert wrapped.schema["$defs"] == union["$defs"]


def test_a_root_that_is_a_reference_is_followed() -> None:
    root = rooted({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}}, unions=False)
    assert not root.wrapped
    assert root.schema["properties"] == NODE["properties"]
    assert fits({"name": "a", "children": [{"name": "b", "children": []}]}, root.schema)


@pytest.mark.parametrize(
    ("schema", "data"),
    [
        ({"type": "array", "items": {"$ref": "#"}}, [[], [[]]]),
        (
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/anyOf/0"}}]},
            ["a"],
        ),
        (
            {"type": "array", "items": {"$ref": "#/definitions/a"}, "definitions": {"a": {"type": "integer"}}},
            [1],
        ),
    ],
)
def test_references_still_lead_to_their_place_when_data_is_wrapped(schema: dict[str, Any], data: Any) -> None:
    root = rooted(schema, unions=False)
    assert root.wrapped
    assert fits(data, schema)
    if "definitions" not in schema:
        assert check({"value": data}, root.schema) == ()
        assert not fits({"value": {"x": 1}}, root.schema)


def test_strict_mode_wants_every_property_and_no_others() -> None:
    schema = obj({"a": TEXT, "b": obj({"c": {"type": "integer", "default": 3}})}, "a")
    assert constrained(schema) == (
        {
            "type": "object",
            "properties": {
                "a": TEXT,
                "b": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {"c": {"type": ["integer", "null"]}},
                            "required": ["c"],
                            "additionalProperties": False,
                        },
                        {"type": "null"},
                    ]
                },
            },
            "required": ["a", "b"],
            "additionalProperties": False,
        },
        True,
    )


def test_what_was_optional_may_be_null_in_every_form() -> None:
    properties = {
        "text": {"type": "string", "description": "d"},
        "choice": {"enum": ["a", "b"]},
        "fixed": {"const": "x"},
        "union": {"anyOf": [TEXT, {"type": "integer"}]},
        "reference": {"$ref": "#/$defs/A"},
        "already": {"type": ["string", "null"]},
    }
    schema, strict = constrained({**obj(properties), "$defs": {"A": obj({"x": TEXT})}})
    assert schema["properties"] == {
        "text": {"type": ["string", "null"], "description": "d"},
        "choice": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "fixed": {"anyOf": [{"type": "string", "const": "x"}, {"type": "null"}]},
        "union": {"anyOf": [TEXT, {"type": "integer"}, {"type": "null"}]},
        "reference": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]},
        "already": {"type": ["string", "null"]},
    }
    assert strict


@pytest.mark.parametrize(
    "keyword",
    [
        {"uniqueItems": True},
        {"contains": TEXT},
        {"not": {"const": "x"}},
        {"if": TEXT, "then": TEXT},
        {"format": "phone"},
        {"pattern": "^(?!a)b"},
        {"pattern": r"(a)\1"},
        {"title": "T", "examples": ["x"], "default": "x", "x-order": 3},
    ],
)
def test_keywords_that_providers_refuse_go(keyword: dict[str, Any]) -> None:
    schema, strict = constrained(obj({"a": {"type": "string", **keyword}}, "a"))
    assert schema["properties"]["a"] == TEXT
    assert strict


def test_what_constrains_and_is_allowed_stays() -> None:
    kept = {
        "n": {"type": "integer", "minimum": 1, "maximum": 5},
        "s": {"type": "string", "pattern": "^ORD-[0-9]{5}$"},
        "d": {"type": "string", "format": "date"},
        "l": {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3},
    }
    schema, strict = constrained(obj(kept, *kept))
    assert schema["properties"] == kept
    assert strict


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object"},
        {"type": "string", "maxLength": 5},
        {"type": "array", "prefixItems": [TEXT, TEXT], "items": False},
        {"type": "array"},
        {},
        {"allOf": [obj({"a": TEXT}), obj({"b": TEXT})]},
    ],
)
def test_what_strict_mode_does_not_know_goes_out_unstrict(schema: dict[str, Any]) -> None:
    assert not constrained(obj({"a": schema}, "a"))[1]


def test_a_tuple_goes_out_with_a_bound_in_place_of_a_schema_that_nothing_fits() -> None:
    pair = {"type": "array", "prefixItems": [TEXT, TEXT], "items": False}
    schema, _ = constrained(obj({"a": pair}, "a"))
    assert schema["properties"]["a"] == {"type": "array", "prefixItems": [TEXT, TEXT], "maxItems": 2}


def test_limits_of_strict_mode_are_kept() -> None:
    assert not constrained(obj({f"p{n}": TEXT for n in range(5_001)}))[1]
    assert not constrained(obj({"a": {"enum": [f"e{n}" for n in range(1_001)]}}))[1]
    deep = TEXT
    for _ in range(11):
        deep = obj({"a": deep}, "a")
    assert not constrained(deep)[1]


def test_one_of_goes_out_as_any_of() -> None:
    schema, strict = constrained(obj({"a": {"oneOf": [TEXT, {"type": "integer"}]}}, "a"))
    assert schema["properties"]["a"] == {"anyOf": [TEXT, {"type": "integer"}]}
    assert strict


def test_a_recursive_schema_is_a_constraint_too() -> None:
    schema, strict = constrained({"$ref": "#/$defs/Node", "$defs": {"Node": NODE}})
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    assert schema["$defs"]["Node"]["additionalProperties"] is False
    assert strict


@pytest.mark.parametrize("reference", ["#node", "#/properties/a/items", "https://example.com/s", 7])
def test_references_that_providers_do_not_follow_leave_no_constraint(reference: Any) -> None:
    assert constraint_schema(rooted(obj({"a": {"$ref": reference}}), unions=False)) is None


def test_bounds_bring_lists_maps_and_texts_to_an_end() -> None:
    schema, _ = constrained(
        obj(
            {
                "l": {"type": "array", "items": TEXT, "minItems": 20},
                "m": {"type": "object", "additionalProperties": TEXT},
            }
        )
    )
    held = bounded(schema)
    assert "maxItems" not in json.dumps(schema)
    assert json.dumps(held).count("maxLength") == 2
    array, _null = held["properties"]["l"]["anyOf"]
    assert array["maxItems"] == 20
    assert held["properties"]["m"]["anyOf"][0]["maxProperties"] == 6


_SCHEMAS = st.recursive(
    st.sampled_from(
        [TEXT, {"type": "integer"}, {"enum": ["a", 1, None]}, {"const": True}, {"type": ["string", "null"]}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda item: {"type": "array", "items": item}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(
            lambda properties, count: obj(properties, *sorted(properties)[:count]),
            st.dictionaries(st.sampled_from("abcde"), inner, min_size=1, max_size=3),
            st.integers(0, 3),
        ),
    ),
    max_leaves=8,
)


@given(_SCHEMAS)
def test_every_ordinary_schema_becomes_a_strict_one(schema: dict[str, Any]) -> None:
    adapted, strict = constrained(schema)
    assert strict
    assert adapted["type"] == "object"
    for part in parts(adapted):
        assert {"type", "anyOf", "$ref"} & part.keys()
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
