"""What a model wrote, and the data that is read out of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.llm.base import FinishReason, Reply
from actloop.llm.json_schema import fits
from actloop.llm.structured_reading import Accepted, Rejected, read_reply
from actloop.llm.structured_target import Target
from actloop.messages import AssistantMessage, ToolCall

OK = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
OPTIONAL = {"type": "object", "properties": {"ok": {"type": "boolean"}}}
NAMED = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name"],
}
CITIES = {"type": "array", "items": {"type": "string"}}
LABEL = {"enum": ["red", "green"]}


def read(
    text: str, schema: dict[str, Any], *, wrapped: bool = False, finish: FinishReason = "stop"
) -> Accepted | Rejected:
    return read_reply(Reply(AssistantMessage(text), finish_reason=finish), Target(schema, None), wrapped=wrapped)


@pytest.mark.parametrize(
    ("text", "schema", "data"),
    [
        ('Sure! {"ok": true} Anything else?', OK, {"ok": True}),
        ('{"ok": "true"}', OK, {"ok": True}),
        ('{"name": "f", "arguments": {"ok": true}}', OK, {"ok": True}),
        ('{"name": "f", "parameters": {"ok": true}}', OK, {"ok": True}),
        ('{"name": "f", "arguments": "{\\"ok\\": true}"}', OK, {"ok": True}),
        ('{"type": "function", "function": {"name": "f", "arguments": {"ok": true}}}', OK, {"ok": True}),
        ('{"name": "f", "arguments": {"name": "Ann"}}', NAMED, {"name": "Ann"}),
        ('{"name": "Ann", "age": 3}', NAMED, {"name": "Ann", "age": 3}),
        ('{"result": {"ok": true}}', OK, {"ok": True}),
        ('{"result": {"ok": true}}', OPTIONAL, {"ok": True}),
        ('{"answer": {"result": {"ok": true}}}', OK, {"ok": True}),
        ('{"type": "object", "properties": {"ok": true}, "required": ["ok"]}', OK, {"ok": True}),
        ('[{"ok": true}]', OK, {"ok": True}),
        ('{"ok": "maybe"}\n{"ok": true}', OK, {"ok": True}),
        ('["Oslo"]', CITIES, ["Oslo"]),
        ('"Oslo"', CITIES, ["Oslo"]),
        ('{"cities": ["Oslo", "Rome"]}', CITIES, ["Oslo", "Rome"]),
        ("Red", LABEL, "red"),
        (" green\n", LABEL, "green"),
        ("There are 12.", {"type": "integer"}, 12),
    ],
)
def test_data_is_found_and_its_wrapper_taken_off(text: str, schema: dict[str, Any], data: Any) -> None:
    outcome = read(text, schema)
    assert isinstance(outcome, Accepted), outcome
    assert outcome.data == data


@pytest.mark.parametrize(
    ("text", "schema", "data"),
    [
        ('{"value": ["Oslo"]}', CITIES, ["Oslo"]),
        ('["Oslo"]', CITIES, ["Oslo"]),
        ('The 2 items: {"value": 5}', {"type": "integer"}, 5),
        ('{"count": 5}', {"type": "integer"}, 5),
        ('{"name": "f", "arguments": {"value": ["Oslo"]}}', CITIES, ["Oslo"]),
        ('{"value": {"value": 1}}', {"type": "object", "properties": {"value": {"type": "integer"}}}, {"value": 1}),
    ],
)
def test_data_that_was_asked_for_under_a_key_is_found_with_and_without_it(
    text: str, schema: dict[str, Any], data: Any
) -> None:
    outcome = read(text, schema, wrapped=True)
    assert isinstance(outcome, Accepted), outcome
    assert outcome.data == data


@pytest.mark.parametrize(
    ("text", "schema", "fault", "said"),
    [
        ("", OK, "no data", "empty"),
        ("I would rather not.", OK, "no data", "no JSON"),
        ('{"ok": tru', OK, "cut off", "cut off"),
        ('{"a": {"ok": true}, "b": {', OK, "cut off", "cut off"),
        ('{"ok": 3}', OK, "unfit", "ok: expected true or false, got 3"),
        (json.dumps(OPTIONAL), OPTIONAL, "unfit", "the JSON Schema itself"),
        (json.dumps(OK), OK, "unfit", "the JSON Schema itself"),
        ('{"a": {"ok": true}, "b": {"ok": false}}', OK, "unfit", "ok: is required"),
    ],
)
def test_what_is_no_data_is_refused_in_words_for_the_model(
    text: str, schema: dict[str, Any], fault: str, said: str
) -> None:
    outcome = read(text, schema)
    assert isinstance(outcome, Rejected)
    assert outcome.fault == fault
    assert said in outcome.problem


def test_a_reply_that_reached_its_limit_counts_as_cut_off_unless_the_data_is_whole() -> None:
    cut_off = read("The answer is, well,", OK, finish="length")
    assert isinstance(cut_off, Rejected)
    assert cut_off.fault == "cut off"
    assert isinstance(read('{"ok": true}\n\n\n\n', OK, finish="length"), Accepted)


def test_of_several_calls_the_first_that_fits_counts() -> None:
    calls = [ToolCall("c1", "f", {"ok": 7}), ToolCall("c2", "f", {"ok": True})]
    outcome = read_reply(Reply(AssistantMessage("", calls)), Target(OK, None), wrapped=False)
    assert outcome == Accepted({"ok": True}, {"ok": True}, called=True)


def test_extra_keys_are_trimmed_only_where_they_are_forbidden() -> None:
    closed = {**OK, "additionalProperties": False}
    text = '{"ok": true, "note": "x"}'
    for schema, data in ((OK, {"ok": True, "note": "x"}), (closed, {"ok": True})):
        outcome = read(text, schema)
        assert isinstance(outcome, Accepted)
        assert outcome.data == data


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "ok", "value", "arguments", "Oslo"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["ok", "value", "name", "arguments", "properties", "type", "x"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(value=_JSON, schema=st.sampled_from([OK, OPTIONAL, NAMED, CITIES, LABEL]), wrapped=st.booleans())
def test_whatever_a_model_writes_is_refused_or_fits(value: Any, schema: dict[str, Any], wrapped: bool) -> None:
    for text in (json.dumps(value), f"Well: {json.dumps(value)}."):
        outcome = read(text, schema, wrapped=wrapped)
        assert isinstance(outcome, Rejected) or fits(outcome.data, schema)


@given(st.text(max_size=60))
def test_no_text_makes_the_reading_fail(text: str) -> None:
    outcome = read(text, OK)
    assert isinstance(outcome, Rejected) or fits(outcome.data, OK)
