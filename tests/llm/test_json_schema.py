from __future__ import annotations

import gc
from typing import Any

import pytest

from actloop.errors import ConfigError
from actloop.llm import json_schema
from actloop.llm.json_schema import Problem, check, fits

VARIANTS = {
    "anyOf": [
        {"properties": {"kind": {"const": "apple"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
        {"properties": {"kind": {"const": "pear"}, "w": {"type": "number"}}, "required": ["kind", "w"]},
    ]
}


@pytest.mark.parametrize(
    ("value", "schema", "problem"),
    [
        ("x", {"type": "integer"}, 'expected an integer, got "x"'),
        (1, {"type": ["string", "null"]}, "expected null or a string, got 1"),
        ("x", {"enum": ["a", "b"]}, 'expected one of "a", "b", got "x"'),
        ({}, {"required": ["a"]}, "a: is required, but missing"),
        ({"z": 1}, {"properties": {"a": {}}, "additionalProperties": False}, "z: is not a known key"),
        ({"z": 1}, {"additionalProperties": False}, "nothing is allowed"),
        (
            {"a": [{"b": "x"}]},
            {"properties": {"a": {"items": {"properties": {"b": {"const": 1}}}}}},
            "a[0].b: expected 1",
        ),
        ("ab", {"minLength": 3}, "shorter than 3"),
        ({"kind": "cherry"}, VARIANTS, 'expected "apple"'),
        ({"kind": "cherry"}, VARIANTS, 'expected "pear"'),
        (5, {"oneOf": [{"type": "integer"}, {"type": "number"}]}, "more than one"),
        ("\ud800", {"type": "string"}, "not valid Unicode"),
    ],
)
def test_a_problem_says_where_and_what(value: Any, schema: dict[str, Any], problem: str) -> None:
    assert not fits(value, schema)
    assert problem in "\n".join(str(one) for one in check(value, schema))


def test_what_fits_has_no_problems() -> None:
    assert check({"kind": "pear", "w": 2}, VARIANTS) == ()
    assert check(1, True) == ()


def test_problems_are_short_whatever_the_value() -> None:
    problems = check(["x" * 10_000] * 1_000, {"items": {"type": "integer"}})
    assert 0 < len(problems) <= 20
    assert all(len(str(problem)) < 600 for problem in problems)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "text"},
        {"pattern": "("},
        {"$ref": "#/$defs/missing"},
        {"$ref": "http://schemas.invalid/a.json"},
        {"$ref": "file:///etc/hostname"},
    ],
)
def test_a_schema_that_cannot_be_used_is_a_mistake_of_its_author(schema: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="JSON Schema"):
        check(1, schema)


def test_recursive_and_older_schemas_work() -> None:
    tree = {"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"kid": {"$ref": "#/$defs/n"}}}}}
    assert check({"kid": {"kid": {}}}, tree) == ()
    assert check({"kid": {"kid": 1}}, tree) == (Problem("kid.kid", "expected an object, got 1"),)
    old = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {"a": {"type": "integer"}},
        "properties": {"x": {"$ref": "#/definitions/a"}},
    }
    assert check({"x": "1"}, old) != ()
    assert fits(1, old, "/properties/x")
    assert not fits("1", old, "/properties/x")


def test_validators_of_schemas_no_longer_in_use_do_not_pile_up() -> None:
    for number in range(2_000):
        assert fits(number, {"const": number})
    gc.collect()
    assert len(json_schema._validators._kept) <= 512
