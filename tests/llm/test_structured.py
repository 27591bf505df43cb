"""`structured_llm_call` from outside: which calls it makes, and what it makes of the replies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import pytest
from pydantic import BaseModel, Field

from actloop.errors import ConfigError, LLMError, StructuredOutputError, UnsupportedParameter
from actloop.llm.base import forced_tool
from actloop.llm.observed import observed
from actloop.llm.structured import StructuredCallResult, structured_llm_call
from actloop.messages import AssistantMessage, ToolCall, Usage, UserMessage
from actloop.testing import ScriptedLLM

ALL = {"tool_call": True, "json_mode": True, "json_schema": True}
JSON_ONLY = {"json_mode": True}
TEXT_ONLY: dict[str, bool] = {}

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}
ANN = {"name": "Ann", "age": 3}
ANN_TEXT = '{"name": "Ann", "age": 3}'
QUESTION = [UserMessage("Who is it?")]


def call(**arguments: Any) -> AssistantMessage:
    return AssistantMessage("", [ToolCall("c1", "person", arguments)])


def refusal(parameter: str) -> UnsupportedParameter:
    return UnsupportedParameter(f"{parameter} is not supported", parameter=parameter, provider="x", status=400)


async def ask(llm: ScriptedLLM, schema: Any = PERSON, **options: Any) -> StructuredCallResult[Any]:
    return await structured_llm_call(llm, QUESTION, schema, "person", **options)


def kinds(llm: ScriptedLLM) -> list[str]:
    """How each request asked: by a forced tool, a response format, or in plain words."""
    return [
        "tool" if request.tools else request.response_format["type"] if request.response_format else "text"
        for request in llm.requests
    ]


def last_text(llm: ScriptedLLM, number: int = -1) -> str:
    return str(llm.requests[number].messages[-1].content)


@pytest.mark.asyncio
async def test_a_capable_model_is_asked_once_by_a_forced_call() -> None:
    llm = ScriptedLLM([call(**ANN)], abilities=ALL)
    result = await ask(llm)
    assert (result.value, result.raw_data, result.level_used, result.llm_calls) == (ANN, ANN, "native", 1)
    (request,) = llm.requests
    assert request.tools is not None
    assert [tool.name for tool in request.tools] == ["person"]
    assert forced_tool(request.tool_choice) == "person"
    assert request.messages == tuple(QUESTION)


@pytest.mark.asyncio
async def test_a_model_with_json_mode_reads_the_schema_in_its_prompt() -> None:
    llm = ScriptedLLM([ANN_TEXT], abilities=JSON_ONLY)
    result = await ask(llm)
    assert (result.value, result.level_used) == (ANN, "json_mode")
    assert kinds(llm) == ["json_object"]
    assert '"age"' in last_text(llm)
    assert "JSON" in last_text(llm), "OpenAI refuses json_object when no message says JSON"


@pytest.mark.asyncio
async def test_a_model_that_takes_schemas_is_constrained_by_one() -> None:
    llm = ScriptedLLM([ANN_TEXT], abilities={"json_schema": True})
    await ask(llm)
    assert llm.requests[0].response_format == {
        "type": "json_schema",
        "json_schema": {"name": "person", "schema": PERSON, "strict": True},
    }


@pytest.mark.parametrize(
    ("abilities", "wanted"),
    [
        (ALL, ["tool", "json_schema", "json_schema", "text", "text"]),
        ({"tool_call": True, "json_mode": True}, ["tool", "json_object", "json_object", "text", "text"]),
        (JSON_ONLY, ["json_object", "json_object", "text", "text"]),
        ({"tool_call": True}, ["tool", "text", "text"]),
        (TEXT_ONLY, ["text", "text"]),
    ],
)
@pytest.mark.asyncio
async def test_a_model_that_never_gives_data_is_asked_at_most_so_often(
    abilities: dict[str, bool], wanted: list[str]
) -> None:
    llm = ScriptedLLM(lambda messages: "I would rather not.", abilities=abilities)
    with pytest.raises(StructuredOutputError) as raised:
        await ask(llm)
    assert kinds(llm) == wanted
    assert len(raised.value.attempts) == len(wanted)
    assert raised.value.usage is not None
    assert raised.value.usage.calls == len(wanted)


@pytest.mark.parametrize(
    ("abilities", "wanted"), [(ALL, ["tool", "json_schema", "text"]), (JSON_ONLY, ["json_object", "text"])]
)
@pytest.mark.asyncio
async def test_a_call_that_raised_goes_straight_to_the_next_level(
    abilities: dict[str, bool], wanted: list[str]
) -> None:
    def fail(messages: Any) -> str:
        raise LLMError("the server is down", provider="x", status=503)

    llm = ScriptedLLM(fail, abilities=abilities)
    with pytest.raises(StructuredOutputError, match="the server is down"):
        await ask(llm)
    assert kinds(llm) == wanted


@pytest.mark.asyncio
async def test_any_exception_of_a_model_is_a_failed_call() -> None:
    llm = ScriptedLLM([RuntimeError("bug in an adapter"), ANN_TEXT], abilities=JSON_ONLY)
    result = await ask(llm)
    assert (result.value, result.level_used, result.llm_calls) == (ANN, "plain_text", 2)


@pytest.mark.asyncio
async def test_the_error_tells_every_attempt_and_has_its_cause() -> None:
    cut_off = AssistantMessage("", [ToolCall("c", "person", {}, unreadable='{"name": "An')])
    failure = LLMError("quota exceeded", provider="x", status=402)
    llm = ScriptedLLM([cut_off, failure, '{"name": 7}', "no"], abilities=ALL)
    with pytest.raises(StructuredOutputError) as raised:
        await ask(llm)
    error = raised.value
    assert [attempt.level for attempt in error.attempts] == ["native", "json_mode", "plain_text", "plain_text"]
    assert "cut off" in error.attempts[0].reason
    assert "quota exceeded" in error.attempts[1].reason
    assert "age" in error.attempts[2].reason
    assert error.attempts[2].reply == '{"name": 7}'
    assert all(attempt.reason in str(error) for attempt in error.attempts)
    assert error.__cause__ is failure


@pytest.mark.asyncio
async def test_a_retry_quotes_the_reply_and_names_path_and_expectation() -> None:
    llm = ScriptedLLM(['{"name": "Ann", "age": "three"}', ANN_TEXT], abilities=JSON_ONLY)
    result = await ask(llm)
    assert (result.value, result.llm_calls) == (ANN, 2)
    *_, quoted, correction = llm.requests[1].messages
    assert quoted == AssistantMessage('{"name": "Ann", "age": "three"}')
    assert "age: expected an integer" in str(correction.content)


@pytest.mark.asyncio
async def test_a_model_that_went_in_circles_is_asked_in_other_words_and_held_to_bounds() -> None:
    circles = '{"value": ["type", ' + '"array", ' * 100
    schema = {"type": "array", "items": {"type": "string"}}
    llm = ScriptedLLM([circles, '{"value": ["a"]}'], abilities={"json_schema": True})
    result = await ask(llm, schema)
    assert result.value == ["a"]
    first, second = llm.requests
    assert "maxItems" not in str(first.response_format)
    assert "'maxItems': 6" in str(second.response_format)
    assert '{"value": [text, …]}' in last_text(llm)
    assert circles not in [message.content for message in second.messages]


@pytest.mark.asyncio
async def test_a_long_reply_that_was_cut_off_is_held_to_nothing() -> None:
    cut_off = '{"value": ["' + '", "'.join(f"word {n**3}" for n in range(200))
    schema = {"type": "array", "items": {"type": "string"}}
    llm = ScriptedLLM([cut_off, '{"value": ["a"]}'], abilities={"json_schema": True})
    await ask(llm, schema)
    assert llm.requests[0].response_format == llm.requests[1].response_format
    assert "cut off" in last_text(llm)


@pytest.mark.asyncio
async def test_no_request_is_repeated_word_for_word() -> None:
    llm = ScriptedLLM(lambda messages: "", abilities=ALL)
    with pytest.raises(StructuredOutputError):
        await ask(llm)
    asked = {(kind, request.messages) for kind, request in zip(kinds(llm), llm.requests, strict=True)}
    assert len(asked) == len(llm.requests)


@pytest.mark.asyncio
async def test_usage_is_the_sum_of_all_calls() -> None:
    llm = ScriptedLLM(["no", ANN_TEXT], abilities=TEXT_ONLY)
    result = await ask(llm)
    first, second = 0, 0
    assert result.total_usage.calls == 2
    for request, reply in zip(llm.requests, ("no", ANN_TEXT), strict=True):
        first += sum(len(str(message.content)) // 4 + 4 for message in request.messages)
        second += max(1, len(reply) // 4)
    assert result.total_usage == Usage(first, second, calls=2)


@pytest.mark.asyncio
async def test_a_default_stands_in_also_when_it_is_none() -> None:
    result = await ask(ScriptedLLM(["no", "no"], abilities=TEXT_ONLY), default_value=None)
    assert (result.value, result.raw_data, result.level_used, result.llm_calls) == (None, {}, None, 2)
    assert result.total_usage.calls == 2


@pytest.mark.asyncio
async def test_a_cancelled_call_stays_cancelled_and_no_level_follows() -> None:
    llm = ScriptedLLM([asyncio.CancelledError()], abilities=ALL)
    with pytest.raises(asyncio.CancelledError):
        await ask(llm, default_value=None)
    assert len(llm.requests) == 1


@pytest.mark.asyncio
async def test_parse_fn_makes_the_value_and_its_refusal_is_told_to_the_model() -> None:
    def adult(data: dict[str, Any]) -> str:
        if data["age"] < 18:
            raise ValueError("the person must be an adult")
        return str(data["name"])

    llm = ScriptedLLM([ANN_TEXT, '{"name": "Ann", "age": 30}'], abilities=TEXT_ONLY)
    result = await ask(llm, parse_fn=adult)
    assert (result.value, result.raw_data) == ("Ann", {"name": "Ann", "age": 30})
    assert "the person must be an adult" in last_text(llm)


@pytest.mark.asyncio
async def test_a_parse_fn_that_returns_none_refuses() -> None:
    llm = ScriptedLLM(lambda messages: ANN_TEXT, abilities=ALL)
    with pytest.raises(StructuredOutputError):
        await ask(llm, parse_fn=lambda data: None)
    assert len(llm.requests) == 5


@pytest.mark.asyncio
async def test_the_fallback_reads_texts_without_json_on_the_last_level_alone() -> None:
    seen: list[str] = []

    def fallback(text: str) -> dict[str, Any] | None:
        seen.append(text)
        return {"name": "Ann", "age": "3"} if "Ann" in text else None

    llm = ScriptedLLM(["Ann, in JSON mode", "Ann, again", "Who knows", "It is Ann, three."], abilities=JSON_ONLY)
    result = await ask(llm, regex_fallback=fallback)
    assert (result.value, result.level_used, result.llm_calls) == (ANN, "plain_text", 4)
    assert seen == ["Who knows", "It is Ann, three."]


@pytest.mark.asyncio
async def test_a_fallback_that_raises_or_finds_what_does_not_fit_is_a_failure_like_any_other() -> None:
    def broken(text: str) -> dict[str, Any]:
        if text == "first":
            return {"name": "Ann"}
        raise KeyError("nothing")

    for fallback in (broken, lambda text: {"name": object(), "age": 3}):
        llm = ScriptedLLM(["first", "second"], abilities=TEXT_ONLY)
        with pytest.raises(StructuredOutputError):
            await ask(llm, regex_fallback=fallback)


@pytest.mark.asyncio
async def test_a_refused_tool_choice_is_remembered_and_says_nothing_about_tools() -> None:
    llm = ScriptedLLM([refusal("tool_choice"), ANN_TEXT, ANN_TEXT], abilities=ALL)
    await ask(llm)
    await ask(llm)
    assert kinds(llm) == ["tool", "json_schema", "json_schema"]
    assert observed(llm).refused == {"tool_choice"}


@pytest.mark.asyncio
async def test_a_refused_schema_leads_to_plain_json_mode_the_next_time() -> None:
    abilities = {"json_mode": True, "json_schema": True}
    llm = ScriptedLLM([refusal("response_format"), ANN_TEXT, ANN_TEXT], abilities=abilities)
    await ask(llm)
    await ask(llm)
    assert kinds(llm) == ["json_schema", "text", "json_object"]


@pytest.mark.asyncio
async def test_a_schema_that_alone_is_refused_says_nothing_about_others() -> None:
    invalid = UnsupportedParameter(
        "Invalid schema for response_format 'person': 'x' is not permitted", parameter="response_format", provider="x"
    )
    llm = ScriptedLLM([invalid, ANN_TEXT, ANN_TEXT], abilities={"json_schema": True})
    await ask(llm)
    await ask(llm)
    assert kinds(llm) == ["json_schema", "text", "json_schema"]


@pytest.mark.asyncio
async def test_refused_tools_and_formats_leave_plain_text() -> None:
    llm = ScriptedLLM(
        [refusal("tools"), refusal("response_format"), ANN_TEXT, ANN_TEXT],
        abilities={"tool_call": True, "json_mode": True},
    )
    await ask(llm)
    await ask(llm)
    assert kinds(llm) == ["tool", "json_object", "text", "text"]


@pytest.mark.asyncio
async def test_a_forced_call_that_is_ignored_twice_is_not_asked_for_again_until_reset() -> None:
    llm = ScriptedLLM(lambda messages: ANN_TEXT, abilities=ALL)
    results = [await ask(llm) for _ in range(3)]
    assert [result.level_used for result in results] == ["native", "native", "json_mode"]
    assert [result.llm_calls for result in results] == [1, 1, 1], "the data is taken from the text all the same"
    assert observed(llm).findings() == ["structured output by 'native' brought nothing 2 times"]
    observed(llm).reset()
    assert (await ask(llm)).level_used == "native"


@pytest.mark.asyncio
async def test_data_that_does_not_fit_says_nothing_about_the_level() -> None:
    llm = ScriptedLLM(lambda messages: '{"name": "Ann"}', abilities=JSON_ONLY)
    for _ in range(3):
        await ask(llm, default_value=None)
    assert kinds(llm) == ["json_object", "json_object", "text", "text"] * 3


@pytest.mark.asyncio
async def test_prose_in_json_mode_twice_leaves_plain_text() -> None:
    llm = ScriptedLLM(lambda messages: "It is Ann.", abilities=JSON_ONLY)
    for _ in range(3):
        await ask(llm, default_value=None)
    assert kinds(llm) == ["json_object", "json_object", "text", "text"] * 2 + ["text", "text"]


@pytest.mark.asyncio
async def test_a_level_that_works_again_is_trusted_again() -> None:
    replies: Iterable[Any] = [ANN_TEXT, call(**ANN), ANN_TEXT, call(**ANN)]
    llm = ScriptedLLM(replies, abilities=ALL)
    for _ in range(4):
        await ask(llm)
    assert kinds(llm) == ["tool"] * 4


class Person(BaseModel):
    name: str
    age: int = Field(ge=0, le=150)
    nickname: str = "none"


@dataclass
class Point:
    x: float
    y: float


class Movie(TypedDict):
    title: str
    year: int | None


@pytest.mark.parametrize(
    ("kind", "reply", "value"),
    [
        (Person, ANN_TEXT, Person(name="Ann", age=3)),
        (Person, '{"name": "Ann", "age": 3, "nickname": null}', Person(name="Ann", age=3)),
        (Point, '{"x": "1.5", "y": 2}', Point(1.5, 2.0)),
        (Movie, '{"title": "M", "year": null}', {"title": "M", "year": None}),
        (list[int], '{"value": [1, 2]}', [1, 2]),
        (int, "There are 12.", 12),
        (Literal["yes", "no"], "Yes", "yes"),
        (list[Person], f"[{ANN_TEXT}]", [Person(name="Ann", age=3)]),
        (Person | Point, '{"x": 1, "y": 2}', Point(1, 2)),
    ],
)
@pytest.mark.asyncio
async def test_a_type_in_place_of_a_schema_gives_an_instance(kind: Any, reply: str, value: Any) -> None:
    result = await ask(ScriptedLLM([reply], abilities=TEXT_ONLY), kind)
    assert result.value == value
    assert isinstance(result.raw_data, dict)


@pytest.mark.asyncio
async def test_what_a_model_class_refuses_is_told_to_the_model() -> None:
    class Even(BaseModel):
        number: int

        def model_post_init(self, context: Any) -> None:
            if self.number % 2:
                raise ValueError("the number must be even")

    llm = ScriptedLLM(['{"number": 3}', '{"number": 4}'], abilities=TEXT_ONLY)
    result = await ask(llm, Even)
    assert result.value.number == 4
    assert "must be even" in last_text(llm)


@pytest.mark.parametrize(
    "schema",
    [{"type": "banana"}, {"$ref": "https://example.com/schema.json"}, {"pattern": "("}, object(), asyncio.Queue],
)
@pytest.mark.asyncio
async def test_a_schema_that_cannot_be_used_is_a_mistake_of_the_caller(schema: Any) -> None:
    llm = ScriptedLLM([], abilities=ALL)
    with pytest.raises(ConfigError):
        await ask(llm, schema, default_value=None)
    assert llm.requests == []


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "größe"])
@pytest.mark.asyncio
async def test_a_name_that_providers_refuse_is_a_mistake_of_the_caller(name: str) -> None:
    with pytest.raises(ConfigError, match="function_name"):
        await structured_llm_call(ScriptedLLM([]), QUESTION, PERSON, name)


@pytest.mark.asyncio
async def test_a_list_is_asked_for_under_a_key_and_comes_back_as_a_list() -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    llm = ScriptedLLM([call(value=["a", "b"])], abilities=ALL)
    result = await ask(llm, schema)
    assert (result.value, result.raw_data) == (["a", "b"], {"value": ["a", "b"]})
    assert llm.requests[0].tools is not None
    assert llm.requests[0].tools[0].parameters["properties"] == {"value": schema}


@pytest.mark.asyncio
async def test_a_huge_schema_does_not_fill_the_window() -> None:
    schema = {"type": "object", "properties": {f"field_{n}": {"type": "string"} for n in range(5_000)}}
    llm = ScriptedLLM(['{"field_1": "x"}'], abilities=TEXT_ONLY, context_size=4_000)
    result = await ask(llm, schema)
    assert result.value == {"field_1": "x"}
    assert len(last_text(llm)) < 5_000


@pytest.mark.asyncio
async def test_a_deep_schema_is_asked_for_without_a_constraint() -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}}}
    for _ in range(80):
        schema = {"type": "object", "properties": {"next": schema}}
    llm = ScriptedLLM(['{"next": {}}'], abilities={"json_mode": True, "json_schema": True})
    assert (await ask(llm, schema)).value == {"next": {}}
    assert kinds(llm) == ["json_object"]
