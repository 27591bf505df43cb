"""The real SmolLM2-135M, out of a wheel in the test environment. Its wording is never looked at: much is nonsense."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import pytest_asyncio
from hypothesis import given, settings

from actloop.errors import ContextOverflow, LLMError, UnsupportedParameter
from actloop.llm.adapters.llamacpp import LlamaCppLLM, default_threads, load_local
from actloop.llm.base import LLM, EndDelta, TextDelta
from actloop.llm.reply import ReplyBuilder
from actloop.messages import AssistantMessage, Message, SystemMessage, ToolCall, ToolMessage, UserMessage
from tests.llm.adapters.odd_schemas import odd_schemas

SMALL = "smollm2-135m-instruct"
HELLO: list[Message] = [SystemMessage("You are helpful."), UserMessage("Say hello.")]
ENDLESS: list[Message] = [UserMessage("Count: one, two, three, four, five, six, seven")]


def load(**options: Any) -> LlamaCppLLM:
    return load_local(SMALL, threads=1, context_size=1_024, **options)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def keeper() -> AsyncGenerator[None]:
    """Keeps the model loaded for all tests of this file: each test's own `LlamaCppLLM` shares it."""
    llm = load()
    yield
    await llm.aclose()


@pytest_asyncio.fixture
async def llm(keeper: None) -> AsyncGenerator[LlamaCppLLM]:
    async with aclosing(load()) as llm:
        yield llm


def workers() -> int:
    return sum(thread.name.startswith("actloop-llama") for thread in threading.enumerate())


def json_format(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}}


def an_object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@pytest.mark.asyncio
async def test_a_chat_gives_text_usage_and_a_finish_reason(llm: LlamaCppLLM) -> None:
    reply = await llm.chat(ENDLESS, max_tokens=6)
    assert reply.message.content
    assert reply.finish_reason == "length"
    assert reply.usage.completion_tokens == 6
    assert reply.usage.prompt_tokens is not None
    assert reply.usage.prompt_tokens > 10


@pytest.mark.asyncio
async def test_a_stream_comes_in_pieces_and_folds_to_what_chat_gives(llm: LlamaCppLLM) -> None:
    builder = ReplyBuilder()
    deltas = [delta async for delta in llm.stream_chat(ENDLESS, max_tokens=6)]
    for delta in deltas:
        builder.add(delta)
    assert sum(isinstance(delta, TextDelta) for delta in deltas) > 2
    assert isinstance(deltas[-1], EndDelta)
    whole = await llm.chat(ENDLESS, max_tokens=6)
    assert builder.reply().message.content == whole.message.content
    assert builder.reply().finish_reason == whole.finish_reason


@pytest.mark.asyncio
async def test_a_conversation_with_tool_calls_can_be_shown_to_it(llm: LlamaCppLLM) -> None:
    history = [
        *HELLO,
        AssistantMessage("", (ToolCall("1", "clock", {}),)),
        ToolMessage("12:00", "1", "clock"),
        UserMessage("What time is it?"),
    ]
    reply = await llm.chat(history, max_tokens=3)
    assert reply.usage.completion_tokens is not None


@pytest.mark.asyncio
async def test_output_is_held_to_a_schema_with_one_branch_for_each_tool(llm: LlamaCppLLM) -> None:
    schema = {
        "anyOf": [
            an_object(type={"const": "tool_call"}, tool_name={"const": "add"}, tool_args={"$ref": "#/$defs/add"}),
            an_object(type={"const": "final_answer"}, answer={"enum": ["yes", "no"]}),
        ],
        "$defs": {"add": an_object(b={"type": "integer", "minimum": 1, "maximum": 9}, a={"enum": ["x", "y"]})},
    }
    reply = await llm.chat(HELLO, response_format=json_format(schema), max_tokens=120)
    # llama.cpp allows a fence around it.
    value = json.loads(reply.message.content.strip().removeprefix("```json").removesuffix("```"))
    jsonschema_rs.validator_for(schema).validate(value)
    assert list(value) == list(schema["anyOf"][value["type"] == "final_answer"]["properties"])  # type: ignore[index]


@pytest.mark.asyncio
async def test_json_mode_gives_json(llm: LlamaCppLLM) -> None:
    reply = await llm.chat(HELLO, response_format={"type": "json_object"}, max_tokens=8)
    assert reply.message.content.lstrip()[0] == "{"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        True,
        {"$ref": "#"},
        an_object(a={"$ref": "#/$defs/missing"}),
        an_object(a={"$ref": "http://127.0.0.1:9/schema.json"}),
        {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
        an_object(a={"type": "string", "pattern": "^([a-z$"}),
        an_object(a={"type": "string", "pattern": "^a\\$"}),
        an_object(a={"type": "array", "items": {"type": "string"}, "minItems": 100_000}),
        an_object(a={"type": "integer", "minimum": float("nan")}),
        an_object(a={"type": "integer", "minimum": 10**40}),
        an_object(a={"type": "integer", "minimum": 5, "maximum": 3}),
        an_object(a={"enum": []}, b=False),
    ],
)
async def test_what_llama_cpp_would_refuse_in_a_schema_is_left_out(llm: LlamaCppLLM, schema: dict[str, Any]) -> None:
    reply = await llm.chat(HELLO, response_format=json_format(schema), max_tokens=2)
    assert reply.usage.completion_tokens is not None


@settings(max_examples=10)
@given(schema=odd_schemas())
def test_no_schema_that_refers_to_nothing_is_refused(keeper: None, schema: Any) -> None:
    async def ask() -> None:
        async with aclosing(load()) as llm:
            await llm.chat(HELLO, response_format=json_format(schema), max_tokens=1)

    asyncio.run(ask())


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = an_object(a=schema)
    return schema


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "schema",
    [{"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}}, "$ref": "#/$defs/a"}, nested(5_000)],
)
async def test_a_schema_that_makes_no_grammar_is_refused_by_name(llm: LlamaCppLLM, schema: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedParameter, match="cannot be held to this JSON schema") as caught:
        await llm.chat(HELLO, response_format=json_format(schema), max_tokens=2)
    assert caught.value.parameter == "response_format"
    assert not caught.value.retryable


@pytest.mark.asyncio
async def test_a_request_longer_than_the_window_overflows(llm: LlamaCppLLM) -> None:
    with pytest.raises(ContextOverflow, match="1024 tokens"):
        await llm.chat([UserMessage("word " * 2_000)])


@pytest.mark.asyncio
async def test_cancelling_returns_at_once_and_the_next_question_is_answered(llm: LlamaCppLLM) -> None:
    started = asyncio.Event()

    async def listen() -> None:
        async with aclosing(llm.stream_chat(ENDLESS, max_tokens=256)) as deltas:
            async for _ in deltas:
                started.set()

    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        task = tasks.create_task(listen())
        await started.wait()
        task.cancel()
    reply = await llm.chat(HELLO, max_tokens=2)
    assert reply.usage.completion_tokens == 2


@pytest.mark.asyncio
async def test_a_question_that_was_cancelled_while_it_waited_is_never_asked(llm: LlamaCppLLM) -> None:
    async with asyncio.timeout(30), aclosing(llm.stream_chat(ENDLESS, max_tokens=256)) as running:
        await anext(running)
        waiting = asyncio.ensure_future(llm.chat(ENDLESS, max_tokens=256))
        await anext(running)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await running.aclose()
        assert (await llm.chat(HELLO, max_tokens=2)).usage.completion_tokens == 2


@pytest.mark.asyncio
async def test_two_questions_at_once_are_answered_one_after_the_other(llm: LlamaCppLLM) -> None:
    replies = await asyncio.gather(llm.chat(ENDLESS, max_tokens=3), llm.chat(HELLO, max_tokens=4))
    assert [reply.usage.completion_tokens for reply in replies] == [3, 4]


def test_it_serves_one_event_loop_after_another(keeper: None) -> None:
    llm = load()

    async def ask() -> int | None:
        return (await llm.chat(HELLO, max_tokens=2)).usage.completion_tokens

    assert [asyncio.run(ask()), asyncio.run(ask())] == [2, 2]
    asyncio.run(llm.aclose())


def test_it_serves_two_event_loops_at_the_same_time(keeper: None) -> None:
    llm = load()
    counts: list[int | None] = []

    def ask() -> None:
        counts.append(asyncio.run(llm.chat(HELLO, max_tokens=2)).usage.completion_tokens)

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert counts == [2, 2]
    asyncio.run(llm.aclose())


@pytest.mark.asyncio
async def test_closing_breaks_off_a_running_reply_and_ends_the_thread() -> None:
    llm = load_local(SMALL, threads=1, context_size=512)  # Another window, so this model is shared with nobody.
    before = workers()
    async with asyncio.timeout(30), aclosing(llm.stream_chat(ENDLESS, max_tokens=128)) as deltas:
        await anext(deltas)
        assert workers() == before + 1
        await llm.aclose()
        with pytest.raises(LLMError, match="was closed"):
            async for _ in deltas:
                pass
    await llm.aclose()
    assert workers() == before
    with pytest.raises(LLMError, match="was closed"):
        await llm.chat(HELLO)


@pytest.mark.asyncio
async def test_those_who_share_a_model_do_not_close_it_for_each_other(llm: LlamaCppLLM) -> None:
    other = load()
    await other.aclose()
    await other.aclose()
    assert (await llm.chat(HELLO, max_tokens=2)).usage.completion_tokens == 2


@pytest.mark.asyncio
async def test_a_stream_that_nobody_closes_ends_with_its_last_reference(llm: LlamaCppLLM) -> None:
    deltas = llm.stream_chat(ENDLESS, max_tokens=256)
    await anext(deltas)
    del deltas
    gc.collect()
    async with asyncio.timeout(30):
        assert (await llm.chat(HELLO, max_tokens=2)).usage.completion_tokens == 2


def listening() -> list[Path]:
    """The sockets that the models of this process listen on, as Linux lists them."""
    lines = Path("/proc/self/net/unix").read_text().splitlines()
    return [Path(line.split()[-1]) for line in lines if "/actloop-" in line]


@pytest.mark.asyncio
@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's list of sockets")
async def test_nobody_can_connect_to_it(llm: LlamaCppLLM) -> None:
    await llm.chat(HELLO, max_tokens=1)
    paths = listening()
    assert paths
    assert not [path for path in paths if path.exists()]


@pytest.mark.asyncio
async def test_it_is_an_llm_and_knows_its_limits(llm: LlamaCppLLM) -> None:
    assert isinstance(llm, LLM)
    assert (llm.context_size, llm.max_output_tokens) == (1_024, 256)
    assert llm.abilities == {
        "tool_call": False,  # Its chat template does not mention tools.
        "json_mode": True,
        "json_schema": True,
        "vision": False,
        "thinking": False,
    }
    assert SMALL.split("-", maxsplit=1)[0] in repr(llm).lower()


@pytest.mark.asyncio
async def test_nothing_makes_it_write_more_than_its_limit(keeper: None) -> None:
    async with aclosing(load(max_output_tokens=4, max_tokens=1_000)) as llm:
        assert (await llm.chat(ENDLESS)).usage.completion_tokens == 4
        assert (await llm.chat(ENDLESS, max_tokens=50)).usage.completion_tokens == 4


@pytest.mark.asyncio
async def test_a_damaged_model_fails_with_the_first_question(tmp_path: Path) -> None:
    whole = load_local(SMALL, threads=1, context_size=256)
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(whole._key.path.read_bytes()[:3_000_000])
    await whole.aclose()
    async with aclosing(load_local(str(broken), threads=1)) as llm:
        with pytest.raises(LLMError, match=r"broken\.gguf' cannot be loaded"):
            await llm.chat(HELLO)


def test_one_processor_is_left_to_others() -> None:
    assert default_threads() == max(1, (os.cpu_count() or 2) - 1)
