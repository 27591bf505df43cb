"""Schemas as a model reads them."""

from __future__ import annotations

from typing import Any

import pytest

from actloop.llm.schema_text import schema_form, schema_text


def test_a_model_reads_no_titles_but_a_property_may_be_called_title() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Book",
        "type": "object",
        "properties": {"title": {"type": "string", "title": "Title", "description": "as printed", "examples": ["x"]}},
        "required": ["title"],
    }
    assert schema_text(schema) == (
        '{"type": "object", "properties": {"title": {"type": "string", "description": "as printed"}}, '
        '"required": ["title"]}'
    )


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": "string"}, "text"),
        ({"type": ["integer", "null"]}, "whole number | null"),
        ({"enum": ["a", None]}, '"a" | null'),
        ({"const": "é"}, '"é"'),
        ({"type": "array", "items": {"type": "boolean"}}, "[true | false, …]"),
        ({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]}, "[number, text]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "{name: whole number, …}"),
        (
            {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "b": {}}},
            '{"a": text | null, "b": …}',
        ),
    ],
)
def test_the_form_of_data_in_few_words(schema: dict[str, Any], form: str) -> None:
    assert schema_form(schema) == form


def test_the_form_of_data_that_contains_itself_comes_to_an_end() -> None:
    node = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}}}
    form = schema_form({**node, "$defs": {"Node": node}})
    assert form.startswith('{"children": [{"children": [')
    assert len(form) < 200
