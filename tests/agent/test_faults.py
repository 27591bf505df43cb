"""What goes wrong between an agent and its server, over HTTP: a whole answer in the end, or a clear error; never half.

Each line of the tables is a kind of fault. An agent as a user makes it is run plainly and streamed; the server checks
every request as strictly as the real API.
"""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from actloop import ReActAgent, load_llm, tool
from actloop.agent import AnswerDelta, AnswerRestarted, RunFinished
from actloop.llm import retry
from actloop.messages import broken_rule
from tests.support.fake_openai import Answer, FakeOpenAI, Fault, call, chunk, message, sse

ANSWER = "The lamp café 你好 😀 is on the second shelf, and that is all there is to say."
TEXT = message(ANSWER)
KEY = "sk-very-secret"
EVENTS = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}
ERROR = {"message": "The server had an error", "type": "server_error"}
OVERFLOW = {
    "message": "This model's maximum context length is 8192 tokens.",
    "type": "invalid_request_error",
    "code": "context_length_exceeded",
}
WHOLE = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWER}, "finish_reason": "stop"}],
}


@tool
def look(q: str) -> str:
    """Look something up."""
    return f"found {q[:40]!r}"


Ask = Callable[[ReActAgent], Awaitable[str]]


async def plain(agent: ReActAgent) -> str:
    result = await agent.run("Where is the lamp?")
    assert broken_rule(result.messages) is None
    if result.stop_reason == "error":
        raise RuntimeError(result.error)
    return result.answer


async def streamed(agent: ReActAgent) -> str:
    shown: list[str] = []
    async for event in agent.stream("Where is the lamp?"):
        if isinstance(event, AnswerDelta):
            shown.append(event.content)
        elif isinstance(event, AnswerRestarted):
            shown.clear()
    assert isinstance(event, RunFinished)
    assert event.answer == "".join(shown)
    if event.stop_reason == "error":
        raise RuntimeError(event.answer)
    return event.answer


both = pytest.mark.parametrize("ask", [plain, streamed])


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retry, "_FIRST_SECONDS", 0.001)


async def outcome(ask: Ask, server: FakeOpenAI, **options: Any) -> str:
    """What a user sees: the answer, or the error that was raised. Within seconds, and by legal requests, anyway."""
    llm = load_llm("openai:m", base_url=server.url, api_key=KEY, **{"timeout": 5.0, **options})
    try:
        async with asyncio.timeout(15):
            return await ask(ReActAgent(llm, [look]))
    finally:
        await llm.aclose()
        assert server.refused == []
        assert len(server.requests) <= 12


def body_of(answer: bytes | Any, status: int = 200, then: str = "end", **headers: str) -> Fault:
    """One answer, the same whether a stream was asked for or not."""
    return Fault(status, answer, {**JSON, **headers}, then=then)


def events(*chunks: Any, done: bool = True, then: str = "end") -> Fault:
    return Fault(body=sse(*chunks, done=done), headers=EVENTS, then=then)


class Once:
    """The fault at the first request of its kind (plain or streamed), then a good answer."""

    def __init__(self, *faults: Answer, of_stream: bool | None = None) -> None:
        self._faults = {False: list(faults), True: list(faults)}
        if of_stream is not None:
            self._faults[not of_stream] = []

    def __call__(self, body: dict[str, Any]) -> Any:
        left = self._faults[body.get("stream") is True]
        return left.pop(0) if left else TEXT


STARTED = (chunk({"role": "assistant", "content": ""}), chunk({"content": ANSWER[:12]}))
HALF = json.dumps(WHOLE).encode()[:-40]

PASSING: dict[str, list[Answer]] = {
    "429 with Retry-After": [body_of({"error": ERROR}, 429, **{"Retry-After": "0"})],
    "429 with a mad Retry-After": [body_of({"error": ERROR}, 429, **{"Retry-After": "soon, perhaps"})],
    "500": [body_of({"error": ERROR}, 500)],
    "503 three times": [body_of({"error": ERROR}, 503)] * 3,
    "529": [body_of({"error": ERROR}, 529)],
    "HTML with 502": [body_of(b"<html><title>502 Bad Gateway</title></html>", 502, **{"Content-Type": "text/html"})],
    "too long": [body_of({"error": OVERFLOW}, 400)],
    "cut before anything": [Fault(then="cut")],
    "half a body": [body_of(HALF, then="cut")],
    "half a body that ends tidily": [body_of(HALF)],
    "no JSON": [body_of(json.dumps(WHOLE).encode()[:-2] + b",,}")],
    "an empty body": [body_of(b"")],
    "JSON of another kind": [body_of({"status": "ok", "result": None})],
    "no choices": [body_of({"object": "chat.completion", "choices": []})],
    "an error with 200": [body_of({"error": {**ERROR, "code": 504}})],
    "nothing said": [message("")],
    "null said": [message(None)],
    "a finish with calls, but none": [message(None, finish_reason="tool_calls")],
}


@both
@pytest.mark.parametrize("fault", PASSING)
@pytest.mark.asyncio
async def test_a_fault_that_passes_costs_nothing_but_time(ask: Ask, fault: str) -> None:
    async with FakeOpenAI(Once(*PASSING[fault])) as server:
        assert await outcome(ask, server) == ANSWER


BROKEN_STREAMS: dict[str, Answer] = {
    "cut": events(*STARTED, done=False, then="cut"),
    "tidy, but early": events(*STARTED, done=False),
    "done without a finish reason": events(*STARTED),
    "stalled": events(*STARTED, done=False, then="hang"),
    "an error event": events(*STARTED, {"error": ERROR}),
    "an event that is no JSON": Fault(headers=EVENTS, body=sse(*STARTED, done=False) + b'data: {"choi\n\n' + sse(TEXT)),
    "cut inside an event": Fault(headers=EVENTS, body=sse(*STARTED, done=False)[:-9], then="cut"),
    "cut inside a character": Fault(
        headers=EVENTS, body=sse(*STARTED, chunk({"content": "你"}), done=False)[:-60], then="cut"
    ),
    "nothing but thoughts": events(chunk({"reasoning_content": "hm"}), chunk({}, "stop")),
    "a call though none was offered": events(
        chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "look", "arguments": "{}"}}]}, "tool_calls")
    ),
    "broken off by the server": events(*STARTED, chunk({}, "network_error")),
}


@pytest.mark.parametrize("fault", BROKEN_STREAMS)
@pytest.mark.asyncio
async def test_an_answer_that_breaks_off_begins_anew_and_is_never_shown_as_whole(fault: str) -> None:
    async with FakeOpenAI(Once(BROKEN_STREAMS[fault], of_stream=True)) as server:
        assert await outcome(streamed, server, timeout=0.3 if fault == "stalled" else 5.0) == ANSWER
        assert [body.get("stream") for body in server.requests] == [None, True, True]


@pytest.mark.parametrize("fault", BROKEN_STREAMS)
@pytest.mark.asyncio
async def test_when_every_stream_breaks_off_the_brief_answer_of_the_loop_is_shown(fault: str) -> None:
    def script(body: dict[str, Any]) -> Any:
        return BROKEN_STREAMS[fault] if body.get("stream") else TEXT

    async with FakeOpenAI(script) as server:
        assert await outcome(streamed, server, timeout=0.3 if fault == "stalled" else 5.0) == ANSWER


LASTING: dict[str, tuple[Answer, str]] = {
    "401": (body_of({"error": {**ERROR, "message": f"Incorrect API key provided: {KEY}"}}, 401), "ACTLOOP_API_KEY"),
    "404": (body_of({"error": {**ERROR, "code": "model_not_found"}}, 404), "Check the model's name"),
    "quota": (body_of({"error": {**ERROR, "code": "insufficient_quota"}}, 429), "credit"),
    "500 for ever": (body_of({"error": ERROR}, 500), "Asked 4 times"),
    "Retry-After of an hour": (body_of({"error": ERROR}, 429, **{"Retry-After": "3600"}), "asks to wait"),
    "a log-in page": (Fault(body=b"<!doctype html><title>Sign in</title>"), "HTML"),
    "a redirect": (Fault(307, headers={"Location": f"http://elsewhere.invalid/{KEY}"}), "Redirects are not followed"),
    "413": (body_of(b"Payload Too Large", 413), "413"),
    "stalled": (Fault(headers=JSON, body=HALF, then="hang"), "0.2 s"),
    "too long for ever": (body_of({"error": OVERFLOW}, 400), "maximum context length"),
    "a bomb": (
        Fault(body=gzip.compress(b" " * (64 << 20), 1), headers={"Content-Encoding": "gzip"}),
        "more than 16 MiB",
    ),
    "silence": (message(""), "empty reply"),
}


@both
@pytest.mark.parametrize("fault", LASTING)
@pytest.mark.asyncio
async def test_a_fault_that_lasts_ends_with_a_clear_error(ask: Ask, fault: str) -> None:
    answer, words = LASTING[fault]
    async with FakeOpenAI(answer) as server:
        with pytest.raises(RuntimeError) as caught:
            await outcome(ask, server, timeout=0.2 if fault == "stalled" else 5.0)
    assert words in str(caught.value)
    assert KEY not in str(caught.value)


def raw_call(arguments: Any = '{"q": "lamp"}', name: Any = "look", id: Any = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls(*raw: dict[str, Any], finish_reason: str | None = "tool_calls", content: Any = None) -> Answer:
    return message(content, tool_calls=list(raw), finish_reason=finish_reason)


ODD_CALLS: dict[str, Answer] = {
    "one": calls(raw_call()),
    "one with text": calls(raw_call(), content="Let me see."),
    "equal ids": calls(raw_call(), raw_call()),
    "empty ids": calls(raw_call(id=""), raw_call(id="")),
    "null ids": calls(raw_call(id=None), raw_call(id=None)),
    "a long id": calls(raw_call(id="call_" + "x" * 115)),
    "200 in one message": calls(*[raw_call(id=f"c{number}") for number in range(200)]),
    "an unknown tool": calls(raw_call(name="no_such_tool")),
    "a name in capitals": calls(raw_call(name="LOOK")),
    "a name with blanks": calls(raw_call(name="functions. my tool!")),
    "an empty name": calls(raw_call(name="")),
    "a null name": calls(raw_call(name=None)),
    "empty arguments": calls(raw_call("")),
    "null arguments": calls(raw_call(None)),
    "arguments as an object": calls(raw_call({"q": "lamp"})),
    "arguments twice encoded": calls(raw_call(json.dumps('{"q": "lamp"}'))),
    "a list as arguments": calls(raw_call("[1, 2]")),
    "arguments that are no JSON": calls(raw_call("{'q': 'lamp', }")),
    "arguments cut off": calls(raw_call('{"q": "la')),
    "cut off by length": calls(raw_call('{"q": "this goes on and'), finish_reason="length"),
    "NaN and Infinity": calls(raw_call('{"q": NaN, "n": Infinity}')),
    "a lone surrogate": calls(raw_call('{"q": "a\\ud800b"}')),
    "U+0000": calls(raw_call('{"q": "a\\u0000b"}')),
    "20,000 levels": calls(raw_call('{"q":' * 20_000 + "1" + "}" * 20_000)),
    "6,000 digits": calls(raw_call('{"q": ' + "9" * 6_000 + "}")),
    "a megabyte": calls(raw_call(json.dumps({"q": "x" * (1 << 20)}))),
    "prose after the arguments": calls(raw_call('{"q": "lamp"} and that is all')),
    "a finish of stop": calls(raw_call(), finish_reason="stop"),
    "no finish": calls(raw_call(), finish_reason=None),
    "written as text": message('<tool_call>{"name": "look", "arguments": {"q": "lamp"}}</tool_call>'),
    "the old form": message(
        None, function_call={"name": "look", "arguments": '{"q": "lamp"}'}, finish_reason="function_call"
    ),
}


@both
@pytest.mark.parametrize("fault", ODD_CALLS)
@pytest.mark.asyncio
async def test_odd_calls_are_answered_and_the_run_goes_on_to_its_answer(ask: Ask, fault: str) -> None:
    async with FakeOpenAI(Once(ODD_CALLS[fault], of_stream=False)) as server:
        assert await outcome(ask, server) == ANSWER
        assert [body["messages"][2]["role"] for body in server.requests[1:2]] == ["assistant"]


ODD_TEXTS: dict[str, Answer] = {
    "U+0000": message("before\x00after"),
    "a lone surrogate": message("before\ud800after"),
    "a list of parts": message([{"type": "text", "text": "the parts"}]),
    "a refusal": message(None, refusal="I cannot help with that."),
    "cut off by length": message("The first half", finish_reason="length"),
    "filtered": message("The first half", finish_reason="content_filter"),
    "an unknown finish": message("fine", finish_reason="because"),
    "100,000 braces": message("{" * 100_000),
    "10 MB": message("0123456789abcde\n" * (10 << 16)),
}


@both
@pytest.mark.parametrize("fault", ODD_TEXTS)
@pytest.mark.asyncio
async def test_odd_texts_are_shown(ask: Ask, fault: str) -> None:
    async with FakeOpenAI(ODD_TEXTS[fault]) as server:
        assert (await outcome(ask, server)).strip()


@both
@pytest.mark.asyncio
async def test_a_model_that_never_stops_calling_is_brought_to_an_answer(ask: Ask) -> None:
    async with FakeOpenAI(lambda body: call("look", q="lamp") if body.get("tools") else TEXT) as server:
        assert await outcome(ask, server) == ANSWER
