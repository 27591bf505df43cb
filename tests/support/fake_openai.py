"""A chat completions server on the loopback address that answers by a script.

    async with FakeOpenAI("Hello", Fault(status=500), call("look", q="x")) as server:
        llm = OpenAILLM("m", base_url=server.url, …)

A script entry answers one request; the last one also answers all that follow. An entry is a text, a completion message
(from `call` or `message`), a `Fault`, or a function from the request's body to one of these. What the real API would
refuse gets a 400 and is kept in ``server.refused``.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.support.strict import read_body, violations

__all__ = ["Answer", "FakeOpenAI", "Fault", "call", "chunk", "message", "sse"]


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer as raw as it gets.

    status, headers, body: as they go out; a str or dict is the body's JSON, bytes go out as they are.
    pieces: sent one by one instead of ``body``, each in a write of its own, ``gap`` seconds after the one before.
    then: what happens after the body: ``end`` it, ``cut`` the connection, or ``hang`` until the client goes.
    """

    status: int = 200
    body: bytes | str | Mapping[str, Any] | list[Any] = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    pieces: Sequence[bytes] = ()
    gap: float = 0.0
    then: str = "end"


Message = dict[str, Any]
Answer = str | Message | Fault | Callable[[dict[str, Any]], "str | Message | Fault"]


def message(content: Any = None, *, finish_reason: str | None = "stop", **fields: Any) -> Message:
    """A completion message with any fields, and the reason why it ends."""
    return {"role": "assistant", "content": content, **fields, "finish_reason": finish_reason}


def call(name: str, /, id: str = "call_1", **arguments: Any) -> Message:
    """A completion message with one tool call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return message(tool_calls=[{"id": id, "type": "function", "function": function}], finish_reason="tool_calls")


def chunk(delta: Any = None, finish_reason: str | None = None, **fields: Any) -> dict[str, Any]:
    """One chunk of a streamed completion."""
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}], **fields}


def sse(*chunks: Any, done: bool = True) -> bytes:
    """An event stream of these chunks."""
    events = [json.dumps(item, ensure_ascii=False) for item in chunks] + (["[DONE]"] if done else [])
    return "".join(f"data: {event}\n\n" for event in events).encode("utf-8", "surrogatepass")


class FakeOpenAI:
    """The server; an async context manager.

    requests: the bodies received, in order. headers: those of the requests. refused: rules broken by the requests.
    gone: how many clients went away before their answer was complete.
    """

    def __init__(self, *script: Answer, strict: bool = True) -> None:
        self._script = list(script) or ["ok"]
        self._strict = strict
        self._changed = asyncio.Event()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.refused: list[str] = []
        self.gone = 0
        self.connections: set[object] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=1 << 30)
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    async def until(self, condition: Callable[[Self], bool]) -> None:
        """Wait until ``condition`` holds of this server."""
        while not condition(self):
            self._changed.clear()
            await self._changed.wait()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body, wrong = read_body(await request.read())
        wrong = wrong or violations(body)
        self.headers.append(request.headers)
        self.requests.append(body)
        self.connections.add(request.transport)
        self.refused += wrong
        self._changed.set()
        if wrong and self._strict:
            return web.json_response({"error": {"message": wrong[0], "type": "invalid_request_error"}}, status=400)
        answer = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if callable(answer):
            answer = answer(body)
        if isinstance(answer, str):
            answer = message(answer)
        try:
            if isinstance(answer, Fault):
                return await self._fail(request, answer)
            return await self._complete(request, answer, stream=body.get("stream") is True)
        except (asyncio.CancelledError, ConnectionError):
            self.gone += 1
            self._changed.set()
            raise

    async def _complete(self, request: web.Request, answer: Message, *, stream: bool) -> web.StreamResponse:
        answer = dict(answer)
        finish_reason = answer.pop("finish_reason")
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        if not stream:
            choice = {"index": 0, "message": answer, "finish_reason": finish_reason}
            return web.json_response({"object": "chat.completion", "choices": [choice], "usage": usage})
        text = answer.pop("content") or ""
        size = max(4, len(text) // 1_000)
        pieces = [chunk({"content": text[start : start + size]}) for start in range(0, len(text), size)]
        calls = [{"index": index, **one} for index, one in enumerate(answer.pop("tool_calls", ()))]
        pieces += [chunk({"tool_calls": [one]}) for one in calls]
        chunks = [chunk(answer), *pieces, chunk({}, finish_reason), {"choices": [], "usage": usage}]
        return await self._fail(request, Fault(headers={"Content-Type": "text/event-stream"}, body=sse(*chunks)))

    async def _fail(self, request: web.Request, fault: Fault) -> web.StreamResponse:
        body = fault.body if isinstance(fault.body, bytes) else json.dumps(fault.body).encode()
        response = web.StreamResponse(status=fault.status, headers=fault.headers)
        if fault.then == "end" and not fault.pieces:
            response.content_length = len(body)
        await response.prepare(request)
        for piece in fault.pieces or [body]:
            await response.write(piece)
            await asyncio.sleep(fault.gap)
        if fault.then == "hang":
            await asyncio.Event().wait()
        if fault.then == "cut" and request.transport is not None:
            request.transport.abort()
        else:
            await response.write_eof()
        return response
