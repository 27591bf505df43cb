"""One schema for all tools: each branch means what its tool's own schema means, references included."""

from __future__ import annotations

from typing import Any

import pytest

from actloop.agent.action_schema import action_schema
from actloop.llm.json_schema import fits
from actloop.messages import ToolSpec

_NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name"],
    "additionalProperties": False,
}
_BY_DEFS: dict[str, Any] = {
    "type": "object",
    "properties": {"q": {"$ref": "#/$defs/Query"}},
    "required": ["q"],
    "$defs": {"Query": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
}
_BY_PROPERTY: dict[str, Any] = {
    "type": "object",
    "properties": {"low": {"type": "integer"}, "high": {"$ref": "#/properties/low"}},
    "required": ["high"],
}
_OLD: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {"q": {"$ref": "#/definitions/Q"}},
    "required": ["q"],
    "definitions": {"Q": {"type": "string"}},
}
_SPECS = [ToolSpec(f"tool{n}", "", schema) for n, schema in enumerate([_NODE, _BY_DEFS, _BY_PROPERTY, _OLD])]


def _call(name: str, arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "reasoning": "r", "tool_name": name, "tool_args": arguments}


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("tool0", {"name": "a", "children": [{"name": "b"}]}, {"name": "a", "children": [{"nom": "b"}]}),
        ("tool1", {"q": {"text": "x"}}, {"q": {}}),
        ("tool2", {"high": 3}, {"high": "x"}),
        ("tool3", {"q": "x"}, {"q": 3}),
    ],
)
def test_references_lead_where_they_led(name: str, good: Any, bad: Any) -> None:
    schema = action_schema(_SPECS, "any")
    assert fits(_call(name, good), schema)
    assert not fits(_call(name, bad), schema)


def test_what_may_come_next_decides_the_branches() -> None:
    final = {"type": "final_answer", "reasoning": "r", "answer": "a"}
    call = _call("tool2", {"high": 1})
    allowed = {kind: action_schema(_SPECS, kind) for kind in ("any", "calls", "answer")}
    assert [fits(final, schema) for schema in allowed.values()] == [True, False, True]
    assert [fits(call, schema) for schema in allowed.values()] == [True, True, False]
    assert fits(final, action_schema([], "calls")), "without tools an answer is all there is"
