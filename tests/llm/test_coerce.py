from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.coerce import coerce, without_unknown_keys
from actloop.llm.json_schema import fits

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
STRING = {"type": "string"}
NULL = {"type": "null"}


def array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


def record(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def either(*branches: Any) -> dict[str, Any]:
    return {"anyOf": list(branches)}


APPLE = record(kind={"const": "apple"}, n=INTEGER) | {"required": ["kind", "n"], "additionalProperties": False}
PEAR = record(kind={"const": "pear"}, w=NUMBER) | {"required": ["kind", "w"], "additionalProperties": False}
TREE = {
    "$ref": "#/$defs/node",
    "$defs": {"node": record(size=INTEGER, kids=array({"$ref": "#/$defs/node"})) | {"additionalProperties": False}},
}


@pytest.mark.parametrize(
    ("value", "schema", "outcome"),
    [
        ("3", INTEGER, 3),
        (" -3 ", INTEGER, -3),
        ("3.0", INTEGER, 3),
        (3.0, INTEGER, 3),
        ("3.5", NUMBER, 3.5),
        ("1e5", NUMBER, 1e5),
        ("TRUE", BOOLEAN, True),
        ("false", BOOLEAN, False),
        ("null", either(INTEGER, NULL), None),
        ("", either(INTEGER, NULL), None),
        ("None", {"type": ["integer", "null"]}, None),
        ("5", {"type": ["integer", "null"]}, 5),
        (12, STRING, "12"),
        ('["a"]', array(STRING), ["a"]),
        ("['1', 2]", array(INTEGER), [1, 2]),
        ('{"a": "1"}', record(a=INTEGER), {"a": 1}),
        ("a", array(STRING), ["a"]),
        ("1", array(INTEGER), [1]),
        ({"a": 1}, array(record(a=INTEGER)), [{"a": 1}]),
        (" Apple", {"enum": ["apple", "pear"]}, "apple"),
        ("APPLE", {"const": "apple"}, "apple"),
        ("1", {"enum": [1, 2]}, 1),
        ("5", either(INTEGER, NUMBER), 5),
        ("true", either(INTEGER, BOOLEAN), True),
        ({"kind": "Pear", "w": "2"}, either(APPLE, PEAR), {"kind": "pear", "w": 2}),
        ({"kind": "pear", "w": 2}, {"oneOf": [APPLE, PEAR]}, {"kind": "pear", "w": 2}),
        ({"a": None, "b": None}, record(a=INTEGER, b=either(INTEGER, NULL)), {"b": None}),
        ({"x": "1"}, {"type": "object", "additionalProperties": INTEGER}, {"x": 1}),
        ({"a": "1", "b": 2}, {"allOf": [record(a=INTEGER), record(b=STRING)]}, {"a": 1, "b": "2"}),
        ({"kids": '[{"size": "2"}]'}, TREE, {"kids": [{"size": 2}]}),
        (["1", "1"], {"type": "array", "prefixItems": [STRING], "items": INTEGER}, ["1", 1]),
    ],
)
def test_values_are_bent_where_the_meaning_is_plain(value: Any, schema: dict[str, Any], outcome: Any) -> None:
    before = json.dumps(value)
    coerced = coerce(value, schema)
    assert (coerced, json.dumps(coerced)) == (outcome, json.dumps(outcome))
    assert json.dumps(value) == before
    assert fits(coerced, schema)


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("3.5", INTEGER),
        (3.5, INTEGER),
        ("012", INTEGER),
        ("1,000", INTEGER),
        ("9" * 400, INTEGER),
        ("three", INTEGER),
        ("NaN", NUMBER),
        (True, INTEGER),
        (1, BOOLEAN),
        ("yes", BOOLEAN),
        (1.5, STRING),
        (True, STRING),
        (None, STRING),
        (["a"], STRING),
        ("", array(STRING)),
        (None, array(STRING)),
        ("[1, 2", array(STRING)),
        ("[draft]", array(STRING)),
        ("a", array(INTEGER)),
        ("[1]", record(a=INTEGER)),
        ('{"a": 1, "a": 2}', record(a=INTEGER)),
        ("apples", {"enum": ["apple", "pear"]}),
        ("a", {"enum": ["A", " a "]}),
        ({"a": None}, record(a=INTEGER) | {"required": ["a"]}),
        ({"kind": "pear", "n": 1}, either(APPLE, PEAR)),
        ("12", either(INTEGER, BOOLEAN, array(STRING))),
    ],
)
def test_nothing_is_guessed(value: Any, schema: dict[str, Any]) -> None:
    assert coerce(value, schema) == value


SCHEMAS = st.recursive(
    st.sampled_from(
        [INTEGER, NUMBER, BOOLEAN, STRING, NULL, {}, {"enum": ["a", 1, None]}, {"type": ["string", "null"]}]
    ),
    lambda inner: st.one_of(
        st.builds(array, inner),
        st.builds(lambda a, b: record(a=a, b=b), inner, inner),
        st.builds(either, inner, inner),
        st.builds(lambda a, b: {"allOf": [a, b]}, inner, inner),
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    st.sampled_from([None, True, 0, 1, 2.0, 2.5, "", "a", " A", "1", "true", "null", "[1]", '{"a": 1}']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=6,
)


@given(VALUES, SCHEMAS)
def test_a_value_that_fits_is_never_changed(value: Any, schema: dict[str, Any]) -> None:
    coerced = coerce(value, schema)
    if fits(value, schema):
        assert coerced == value
    assert coerce(coerced, schema) == coerced


@pytest.mark.parametrize(
    ("value", "schema", "outcome"),
    [
        ({"a": 1, "x": 2}, record(a=INTEGER), {"a": 1}),
        ({"a": 1, "x": 2}, record(a=INTEGER) | {"additionalProperties": False}, {"a": 1}),
        ({"a": 1, "x": 2}, record(a=INTEGER) | {"additionalProperties": True}, {"a": 1, "x": 2}),
        ({"o": {"a": 1, "x": 2}}, record(o=either(record(a=INTEGER), NULL)), {"o": {"a": 1}}),
        ([{"a": 1, "x": 2}], array(record(a=INTEGER)), [{"a": 1}]),
        ({"size": 1, "x": 2, "kids": [{"y": 1}]}, TREE, {"size": 1, "kids": [{}]}),
        ({"kind": "pear", "n": 1, "w": 2}, either(APPLE, PEAR), {"kind": "pear", "n": 1, "w": 2}),
        ({"a": 1, "b": 2}, record(a=INTEGER) | {"allOf": [record(b=INTEGER)]}, {"a": 1, "b": 2}),
        ({"anything": 1}, {"type": "object"}, {"anything": 1}),
    ],
)
def test_only_keys_that_decide_nothing_are_trimmed(value: Any, schema: dict[str, Any], outcome: Any) -> None:
    assert without_unknown_keys(value, schema) == outcome


def test_alternatives_within_alternatives_end_soon() -> None:
    nested: dict[str, Any] = {"$ref": "#/$defs/n", "$defs": {"n": either(*[array({"$ref": "#/$defs/n"})] * 3, INTEGER)}}
    value: Any = "x"
    for _ in range(60):
        value = [value]
    assert coerce(value, nested) == value


def test_deep_values_stay_within_the_stack() -> None:
    value: Any = {"size": "1", "x": 1}
    for _ in range(190):
        value = {"kids": [value]}
    assert coerce(value, TREE) == value
    assert without_unknown_keys(value, TREE) == value
