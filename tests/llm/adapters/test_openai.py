import asyncio
import gzip
import json
import subprocess
import sys
import threading
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from actloop.errors import ConfigError, ContextOverflow, LLMError, LLMTimeout, UnsupportedParameter
from actloop.llm.adapters.openai import OpenAILLM
from actloop.llm.base import LLM, Delta, EndDelta, Reply, TextDelta, named_tool_choice
from actloop.llm.reply import collect
from actloop.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    ToolSpec,
    Usage,
    UserMessage,
)
from tests.support.fake_openai import Answer, FakeOpenAI, Fault, call, chunk, message, sse

ASK: list[Message] = [SystemMessage("Be brief."), UserMessage("How far?")]
LOOK = ToolSpec("look", "Look something up.", {"type": "object", "properties": {"q": {"type": "string"}}})
EVENTS = {"Content-Type": "text/event-stream"}
KEY = "sk-secret-1234"


def model(server: FakeOpenAI, **options: Any) -> OpenAILLM:
    settings: dict[str, Any] = {"api_key": KEY, "timeout": 10.0, "abilities": {"tool_call": True}, **options}
    return OpenAILLM("m", base_url=server.url, context_size=8_000, max_output_tokens=1_000, **settings)


async def plain(llm: LLM) -> Reply:
    return await llm.chat(ASK, tools=[LOOK])


async def streamed(llm: LLM) -> Reply:
    return await collect(llm.stream_chat(ASK, tools=[LOOK]))


both = pytest.mark.parametrize("ask", [plain, streamed])
Ask = Callable[[LLM], Any]


async def asked(ask: Ask, *script: Answer, **options: Any) -> Reply:
    async with FakeOpenAI(*script) as server:
        llm = model(server, **options)
        try:
            reply: Reply = await ask(llm)
        finally:
            await llm.aclose()
        assert server.refused == []
        return reply


async def failed(ask: Ask, *script: Answer, **options: Any) -> LLMError:
    with pytest.raises(LLMError) as caught:
        await asked(ask, *script, **options)
    assert KEY not in str(caught.value)
    assert "'m'" in str(caught.value)
    return caught.value


@both
@pytest.mark.asyncio
async def test_a_text_is_read(ask: Ask) -> None:
    reply = await asked(ask, "caf\u00e9 \U0001f600")
    assert reply == Reply(AssistantMessage("caf\u00e9 \U0001f600"), Usage(10, 5, calls=1), "stop")


@both
@pytest.mark.asyncio
async def test_a_tool_call_is_read(ask: Ask) -> None:
    reply = await asked(ask, call("look", q="x"))
    assert reply.message.tool_calls == (ToolCall("call_1", "look", {"q": "x"}),)
    assert reply.finish_reason == "tool_calls"


@pytest.mark.asyncio
async def test_a_stream_arrives_piece_by_piece_and_ends_with_its_end() -> None:
    async with FakeOpenAI("Hello there") as server:
        llm = model(server)
        deltas = [delta async for delta in llm.stream_chat(ASK)]
        await llm.aclose()
    assert deltas == [TextDelta("Hell"), TextDelta("o th"), TextDelta("ere"), EndDelta("stop", Usage(10, 5, calls=1))]


@pytest.mark.asyncio
async def test_the_key_goes_as_a_bearer_token_and_only_if_there_is_one() -> None:
    async with FakeOpenAI() as server:
        for key in (KEY, None):
            llm = model(server, api_key=key)
            await plain(llm)
            await llm.aclose()
    assert [headers.get("Authorization") for headers in server.headers] == [f"Bearer {KEY}", None]


@pytest.mark.asyncio
async def test_what_a_call_asks_for_comes_before_what_the_model_was_made_with() -> None:
    async with FakeOpenAI() as server:
        llm = model(server, temperature=0.1, max_tokens=50)
        await llm.chat(ASK)
        await llm.chat(ASK, temperature=0.9, max_tokens=7)
        await llm.aclose()
    assert [(body["temperature"], body["max_tokens"]) for body in server.requests] == [(0.1, 50), (0.9, 7)]


@both
@pytest.mark.asyncio
async def test_a_connection_is_used_again(ask: Ask) -> None:
    async with FakeOpenAI() as server:
        llm = model(server)
        for _ in range(3):
            await ask(llm)
        await llm.aclose()
    assert len(server.connections) == 1


@contextmanager
def served(*script: Answer) -> Iterator[FakeOpenAI]:
    """The fake server in a thread and event loop of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    server = FakeOpenAI(*script)
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
        yield server
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_one_model_serves_several_event_loops_in_turn() -> None:
    async def ask_and_close(llm: OpenAILLM) -> str:
        content = (await plain(llm)).message.content
        await llm.aclose()
        return content

    with served() as server:
        llm = model(server)
        assert [asyncio.run(ask_and_close(llm)) for _ in range(2)] == ["ok", "ok"]


def test_a_script_need_not_close_the_model_between_its_event_loops_nor_at_its_end() -> None:
    # In a process of its own, because what a closed loop leaves behind is reported whenever it is collected.
    program = (
        "import asyncio, sys; from actloop.llm.load import load_llm; from actloop.messages import UserMessage\n"
        "llm = load_llm('openai:m', base_url=sys.argv[1], max_retries=0)\n"
        "print(asyncio.run(llm.chat([UserMessage('q')])).message.content)\n"
        "print(asyncio.run(llm.chat([UserMessage('q')])).message.content)\n"
    )
    with served() as server:
        done = subprocess.run([sys.executable, "-c", program, server.url], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["ok", "ok"]
    assert done.stderr == ""


@both
@pytest.mark.asyncio
async def test_a_server_that_never_even_begins_to_answer_is_given_up(ask: Ask) -> None:
    gone = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(1 << 16):
            pass
        writer.close()
        gone.set()

    async with await asyncio.start_server(silent, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        llm = OpenAILLM("m", base_url=url, timeout=0.2, context_size=1, max_output_tokens=1, abilities={})
        with pytest.raises(LLMTimeout):
            await ask(llm)
        await gone.wait()
        await llm.aclose()


@both
@pytest.mark.asyncio
async def test_what_is_no_http_is_a_clear_error_without_the_key(ask: Ask) -> None:
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {KEY} oh no\r\n{KEY}\r\n\r\n".encode())
        writer.close()

    async with await asyncio.start_server(babble, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        llm = OpenAILLM("m", base_url=url, api_key=KEY, context_size=1, max_output_tokens=1, abilities={})
        with pytest.raises(LLMError, match="not sound HTTP") as caught:
            await ask(llm)
        await llm.aclose()
    assert KEY not in str(caught.value)


@pytest.mark.asyncio
async def test_a_request_of_many_megabytes_goes_out() -> None:
    async with FakeOpenAI() as server:
        llm = model(server)
        await llm.chat([UserMessage("x" * (3 << 20))])
        await llm.aclose()
    assert len(server.requests[0]["messages"][0]["content"]) == 3 << 20


@both
@pytest.mark.asyncio
async def test_an_error_of_the_server_becomes_ours(ask: Ask) -> None:
    error = await failed(ask, Fault(429, {"error": {"message": "slow down"}}, {"Retry-After": "3"}))
    assert (error.provider, error.status, error.retry_after, error.retryable) == ("openai", 429, 3.0, True)


@both
@pytest.mark.asyncio
async def test_a_key_that_the_server_echoes_is_hidden(ask: Ask) -> None:
    error = await failed(ask, Fault(401, {"error": {"message": f"Incorrect API key: {KEY}"}}))
    assert not error.retryable
    assert "ACTLOOP_API_KEY" in str(error)


@both
@pytest.mark.asyncio
async def test_a_redirect_is_not_followed(ask: Ask) -> None:
    async with FakeOpenAI() as elsewhere:
        error = await failed(ask, Fault(307, headers={"Location": f"{elsewhere.url}/chat/completions"}))
    assert elsewhere.requests == []
    assert elsewhere.url in str(error)


@both
@pytest.mark.asyncio
async def test_a_request_that_is_too_long_is_told_apart(ask: Ask) -> None:
    fault = Fault(400, {"error": {"message": "too long", "code": "context_length_exceeded"}})
    assert isinstance(await failed(ask, fault), ContextOverflow)


@both
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(body=b""), "empty"),
        (Fault(body=b"<!doctype html><title>Sign in</title>"), "HTML"),
        (Fault(body=b'{"choices": [{"message": {"content": "bro'), "JSON"),
        (Fault(body={"status": "ok"}), "no choice"),
        (Fault(body={"choices": []}), "no choice"),
        (Fault(body=[1]), "not an object"),
        (Fault(body={"choices": [{"index": 0, "message": None}]}), "no choice"),
        (Fault(body=b"[" * 100_000), "JSON"),
        (Fault(body={"error": {"message": "upstream timed out", "code": 504}}), "upstream timed out"),
        (Fault(pieces=[b'{"choices": [{"mess'], then="cut"), "middle of its answer"),
        (Fault(headers={"Content-Encoding": "br"}, body=b"xx"), "'br'"),
        (Fault(headers={"Content-Encoding": "gzip"}, body=b"no gzip at all"), "unpack"),
        (Fault(body=b'data: {"choices": [{"del\n\n'), "JSON"),
        (Fault(body=b"data: []\n\ndata: [DONE]\n\n"), "not an object"),
        (Fault(body=sse({"error": {"message": "overloaded"}}, done=False)), "overloaded"),
        (Fault(body=b'error: {"code": 500, "message": "slot lost"}\n\n'), "slot lost"),
    ],
)
@pytest.mark.asyncio
async def test_an_answer_that_is_none_is_a_clear_error_that_may_pass(ask: Ask, fault: Fault, words: str) -> None:
    error = await failed(ask, fault)
    assert words in str(error)
    assert error.retryable


@both
@pytest.mark.asyncio
async def test_the_kind_of_answer_may_be_the_other_one(ask: Ask) -> None:
    whole = {"choices": [{"index": 0, "message": call("look", q="x"), "finish_reason": "tool_calls"}]}
    piece = {"index": 0, "id": "call_1", "function": {"name": "look", "arguments": '{"q": "x"}'}}
    stream = sse(chunk({"tool_calls": [piece]}), chunk({}, "tool_calls"))
    for body in (json.dumps(whole).encode(), stream, b"\xef\xbb\xbf" + stream, b"\n\n: hello\n\n" + stream):
        reply = await asked(ask, Fault(headers={"Content-Type": "text/plain"}, body=body))
        assert reply.message.tool_calls == (ToolCall("call_1", "look", {"q": "x"}),)


@both
@pytest.mark.asyncio
async def test_a_compressed_answer_is_unpacked_though_none_was_asked_for(ask: Ask) -> None:
    body = json.dumps({"choices": [{"message": message("Hi"), "finish_reason": "stop"}]}).encode()
    assert (
        await asked(ask, Fault(headers={"Content-Encoding": "gzip"}, body=gzip.compress(body)))
    ).message.content == "Hi"
    assert (
        await asked(ask, Fault(headers={"Content-Encoding": "deflate"}, body=zlib.compress(body)))
    ).message.content == "Hi"


@both
@pytest.mark.asyncio
async def test_a_small_body_that_unpacks_to_gigabytes_costs_little_memory(ask: Ask) -> None:
    squeeze = zlib.compressobj(wbits=31)
    bomb = b"".join(
        [squeeze.compress(b'{"choices": "'), *(squeeze.compress(b"a" * (1 << 20)) for _ in range(100)), squeeze.flush()]
    )
    tracemalloc.start()
    error = await failed(ask, Fault(headers={"Content-Encoding": "gzip"}, body=bomb))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "more than 16 MiB" in str(error)
    assert peak < 100 << 20


@pytest.mark.asyncio
async def test_a_stream_that_ends_early_has_no_finish_reason() -> None:
    for body in (
        sse(chunk({"content": "Hi"}), done=False),
        sse(chunk({"content": "Hi"})),
        sse(chunk({"content": "Hi"}), chunk({"content": "!"}))[:-40],
    ):
        reply = await asked(streamed, Fault(headers=EVENTS, body=body))
        assert (reply.message.content, reply.finish_reason) == ("Hi", None)


@pytest.mark.asyncio
async def test_a_stream_that_is_cut_fails_unless_all_was_said() -> None:
    begun = sse(chunk({"content": "Hi"}), done=False)
    assert (await failed(streamed, Fault(headers=EVENTS, pieces=[begun], then="cut"))).retryable
    said = sse(chunk({"content": "Hi"}, "stop"), done=False)
    reply = await asked(streamed, Fault(headers=EVENTS, pieces=[said], then="cut"))
    assert (reply.message.content, reply.finish_reason) == ("Hi", "stop")


@pytest.mark.asyncio
async def test_a_stream_is_over_at_its_done_though_the_connection_stays_open() -> None:
    body = sse(chunk({"content": "Hi"}, "stop"))
    assert (await asked(streamed, Fault(headers=EVENTS, pieces=[body], then="hang"))).message.content == "Hi"


@both
@pytest.mark.asyncio
async def test_a_server_that_does_not_answer_in_time_is_given_up(ask: Ask) -> None:
    for fault in (
        Fault(then="hang"),
        Fault(headers=EVENTS, pieces=[sse(chunk({"content": "Hi"}), done=False)], then="hang"),
    ):
        error = await failed(ask, fault, timeout=0.2)
        assert isinstance(error, LLMTimeout)
        assert error.retryable


@pytest.mark.asyncio
async def test_comments_that_keep_a_connection_alive_are_no_progress() -> None:
    event = sse(chunk({"content": "Hi"}), done=False)
    gone = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + event)
        while not writer.is_closing():
            writer.write(b": keep-alive\n\n")
            await asyncio.sleep(0.02)
        gone.set()

    async with await asyncio.start_server(endless, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        llm = OpenAILLM("m", base_url=url, timeout=0.3, context_size=1, max_output_tokens=1, abilities={})
        with pytest.raises(LLMTimeout):
            await streamed(llm)
        await gone.wait()
        await llm.aclose()


@pytest.mark.asyncio
async def test_the_pieces_of_a_slow_event_are_progress() -> None:
    data = sse(chunk({"content": "slow"}, "stop"))
    fault = Fault(headers=EVENTS, pieces=[data[start : start + 12] for start in range(0, len(data), 12)], gap=0.15)
    assert (await asked(streamed, fault, timeout=1.0)).message.content == "slow"


@both
@pytest.mark.asyncio
@pytest.mark.parametrize("field", ["content", "reasoning_content", "tool_calls"])
async def test_an_answer_without_end_is_given_up(ask: Ask, field: str) -> None:
    long = "word " * 1_000_000
    said = [{"index": 0, "function": {"name": "look", "arguments": long}}] if field == "tool_calls" else long
    endless = Fault(headers=EVENTS, pieces=[sse(chunk({field: said}), done=False)] * 20)
    assert "more than" in str(await failed(ask, endless))


@pytest.mark.asyncio
async def test_nobody_at_the_address_is_a_clear_error() -> None:
    async with FakeOpenAI() as server:
        llm = model(server)
    for ask in (plain, streamed):
        with pytest.raises(LLMError, match=r"Is the server running at http://127\.0\.0\.1:\d+\?") as caught:
            await ask(llm)
        assert caught.value.retryable
    await llm.aclose()


@both
@pytest.mark.asyncio
async def test_cancelling_closes_the_connection_and_leaves_no_task(ask: Ask) -> None:
    async with FakeOpenAI(
        Fault(headers=EVENTS, pieces=[sse(chunk({"content": "Hi"}), done=False)], then="hang")
    ) as server:
        llm = model(server)
        others = asyncio.all_tasks()
        task = asyncio.ensure_future(ask(llm))
        await server.until(lambda server: len(server.requests) == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await server.until(lambda server: server.gone == 1)
        assert {task for task in asyncio.all_tasks() if "OpenAILLM" in repr(task)} <= others
        await llm.aclose()


@pytest.mark.asyncio
async def test_a_reader_that_leaves_closes_the_connection() -> None:
    async with FakeOpenAI(
        Fault(headers=EVENTS, pieces=[sse(chunk({"content": "Hi"}), done=False)], then="hang")
    ) as server:
        llm = model(server)
        stream = llm.stream_chat(ASK)
        first: Delta = await anext(stream)
        assert first == TextDelta("Hi")
        await stream.aclose()
        await server.until(lambda server: server.gone == 1)
        await llm.aclose()


def refuses(name: str) -> Callable[[dict[str, Any]], str | Fault]:
    def answer(body: dict[str, Any]) -> str | Fault:
        if name in body:
            return Fault(400, {"error": {"message": f"Unsupported parameter: '{name}'", "param": name}})
        return "ok"

    return answer


@both
@pytest.mark.parametrize("name", ["temperature", "max_tokens"])
@pytest.mark.asyncio
async def test_a_refused_parameter_is_asked_for_otherwise_and_remembered(ask: Ask, name: str) -> None:
    async with FakeOpenAI(refuses(name)) as server:
        llm = model(server, temperature=0.5, max_tokens=9)
        for _ in range(2):
            assert (await ask(llm)).message.content == "ok"
        await llm.aclose()
    assert [name in body for body in server.requests] == [True, False, False]


@pytest.mark.asyncio
async def test_a_stream_without_usage_is_asked_for_where_the_option_is_refused() -> None:
    reply = await asked(streamed, refuses("stream_options"))
    assert reply.message.content == "ok"


@pytest.mark.asyncio
async def test_a_named_tool_is_forced_without_its_name_where_only_words_are_known() -> None:
    def answer(body: dict[str, Any]) -> Any:
        if isinstance(body["tool_choice"], dict):
            return Fault(
                400, {"error": "Invalid tool_choice type: 'object'. Supported string values: none, auto, required"}
            )
        return call("look", q="x")

    async with FakeOpenAI(answer) as server:
        llm = model(server)
        other = ToolSpec("other", "", {})
        reply = await llm.chat(ASK, tools=[LOOK, other], tool_choice=named_tool_choice("look"))
        await llm.aclose()
    assert reply.message.tool_calls[0].name == "look"
    assert [tool["function"]["name"] for tool in server.requests[-1]["tools"]] == ["look"]


@pytest.mark.asyncio
async def test_reasoning_is_sent_back_once_the_server_asked_for_it() -> None:
    history: list[Message] = [
        UserMessage("q"),
        AssistantMessage("", (ToolCall("c", "look"),), reasoning="hm", reasoning_state={"reasoning_content": "hm"}),
        ToolMessage("r", "c"),
    ]

    def answer(body: dict[str, Any]) -> str | Fault:
        if "reasoning_content" not in body["messages"][1]:
            return Fault(400, {"error": {"message": "The `reasoning_content` must be passed back to the API."}})
        return "ok"

    async with FakeOpenAI(answer) as server:
        llm = model(server)
        assert (await llm.chat(history)).message.content == "ok"
        await llm.aclose()


@both
@pytest.mark.asyncio
async def test_refused_tools_are_told_to_the_caller(ask: Ask) -> None:
    error = await failed(ask, Fault(400, {"error": {"message": "m does not support tools"}}))
    assert isinstance(error, UnsupportedParameter)
    assert error.parameter == "tools"


@pytest.mark.asyncio
async def test_a_server_that_refuses_everything_is_not_asked_for_ever() -> None:
    async with FakeOpenAI(Fault(400, {"error": {"message": "Unsupported parameter: 'max_tokens'"}})) as server:
        llm = model(server)
        with pytest.raises(UnsupportedParameter):
            await plain(llm)
        await llm.aclose()
    assert len(server.requests) == 2


@pytest.mark.parametrize("url", ["", "127.0.0.1:8080", "ftp://x/v1", "http://", "http://[::1"])
def test_an_impossible_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        OpenAILLM("m", base_url=url, context_size=1, max_output_tokens=1, abilities={})


def test_a_key_that_fits_no_header_is_refused_without_showing_it() -> None:
    with pytest.raises(ConfigError) as caught:
        OpenAILLM("m", api_key="sk-\nbad", context_size=1, max_output_tokens=1, abilities={})
    assert "sk-" not in str(caught.value)


def test_neither_repr_nor_errors_show_key_or_password() -> None:
    llm = OpenAILLM("m", base_url="http://user:pw@h/v1", api_key=KEY, context_size=1, max_output_tokens=1, abilities={})
    assert repr(llm) == "OpenAILLM('m', http://h)"
