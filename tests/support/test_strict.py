"""The validator itself must be able to fail: each rule refuses what it is for."""

import copy
from typing import Any

import pytest

from tests.support.strict import read_body, violations

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TOOL = {
    "type": "function",
    "function": {"name": "look", "description": "", "parameters": {"type": "object", "properties": {}}},
}
GOOD: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": [{"type": "text", "text": "q"}]},
        {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}]},
        {"role": "tool", "tool_call_id": "c1", "content": "r"},
        {"role": "tool", "tool_call_id": "c2", "content": "r"},
        {"role": "user", "content": "JSON please"},
    ],
    "tools": [TOOL],
    "tool_choice": {"type": "function", "function": {"name": "look"}},
    "response_format": {"type": "json_object"},
    "temperature": 0.5,
    "max_tokens": 5,
    "stream": True,
    "stream_options": {"include_usage": True},
}


def test_a_good_request_breaks_no_rule() -> None:
    assert violations(GOOD) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("model", ""),
        ("odd", 1),
        ("messages", []),
        ("messages.0.role", "narrator"),
        ("messages.0.content", None),
        ("messages.0.name", "x"),
        ("messages.1.content", [{"type": "video"}]),
        ("messages.1.content", "\ud800"),
        ("messages.2.content", 7),
        ("messages.2.tool_calls", []),
        ("messages.2.tool_calls", [CALL] * 129),
        ("messages.2.tool_calls.1.id", "c1"),
        ("messages.2.tool_calls.0.id", ""),
        ("messages.2.tool_calls.0.id", "x" * 41),
        ("messages.2.tool_calls.0.type", None),
        ("messages.2.tool_calls.0.function.name", "a b"),
        ("messages.2.tool_calls.0.function.arguments", "[1]"),
        ("messages.2.tool_calls.0.function.arguments", '{"a": NaN}'),
        ("messages.3.tool_call_id", "c2"),
        ("messages.3.tool_call_id", "c9"),
        ("messages.4.role", "user"),
        ("messages.5", {"role": "assistant", "content": ""}),
        ("messages.5", {"role": "system", "content": "late"}),
        ("messages.5", {"role": "tool", "tool_call_id": "c1", "content": "again"}),
        ("messages.5.content", "no such word"),
        ("tools", []),
        ("tools", [TOOL, TOOL]),
        ("tools.0.function.name", "a.b"),
        ("tools.0.function.parameters", {"type": "string"}),
        ("tools.0.function.parameters.properties", {"a": {"type": "array"}}),
        ("tools.0.function.parameters.properties", {"a": {"type": "text"}}),
        ("tools.0.function.parameters.properties", {"a": {"$ref": "#/$defs/none"}}),
        ("tool_choice", "any"),
        ("tool_choice.function.name", "other"),
        ("temperature", 3),
        ("max_tokens", 0),
        ("max_completion_tokens", 5),
        ("stream", False),
        ("response_format", {"type": "json_schema", "json_schema": {"name": "a b", "schema": {}}}),
        (
            "response_format",
            {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}, "strict": True}},
        ),
    ],
)
def test_each_rule_refuses_what_it_is_for(path: str, value: Any) -> None:
    body = copy.deepcopy(GOOD)
    *steps, last = path.split(".")
    node: Any = body
    for step in steps:
        node = node[int(step)] if isinstance(node, list) else node[step]
    node[int(last) if isinstance(node, list) else last] = value
    assert violations(body)


def test_calls_without_results_are_found_at_the_end() -> None:
    assert violations({**GOOD, "messages": GOOD["messages"][:4]})


@pytest.mark.parametrize("raw", [b"", b"{", b'{"a": NaN}', b'{"a": "\xff"}', b"[" * 100_000])
def test_bytes_that_are_no_json_are_refused(raw: bytes) -> None:
    assert read_body(raw)[1]
