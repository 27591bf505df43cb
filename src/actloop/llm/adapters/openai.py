"""Any server that speaks OpenAI's chat completions: OpenAI, vLLM, llama.cpp, Ollama, Mistral, DeepSeek and others.

What is said on the wire is decided in the pure files beside this one; here it is sent and awaited.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

from actloop.errors import ConfigError, LLMError, UnsupportedParameter
from actloop.llm.adapters.http import HttpClient, HttpReply, HttpStream, parse_url
from actloop.llm.adapters.json_body import read_json
from actloop.llm.adapters.openai_errors import Asked, error_in, error_of
from actloop.llm.adapters.openai_quirks import Quirks, learnt, quirks_of
from actloop.llm.adapters.openai_reply import BrokenReply, ChunkReader, read_reply
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.llm.adapters.sse import LineTooLong, SseDecoder, SseEvent
from actloop.llm.base import CallDelta, Delta, EndDelta, ReasoningDelta, Reply, ResponseFormat, TextDelta, ToolChoice
from actloop.llm.reply import ReplyBuilder
from actloop.messages import Message, ToolSpec

__all__ = ["OPENAI_URL", "OpenAILLM"]

OPENAI_URL = "https://api.openai.com/v1"
_MAX_LESSONS = 4
_SECONDS_AFTER_FINISH = 5.0
_TIMES_PATIENT_WITHIN_EVENT = 4
_BOM = b"\xef\xbb\xbf"


class _Request(NamedTuple):
    """What one call asks for, before it is written under the quirks known by then."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] | None
    tool_choice: ToolChoice | None
    response_format: ResponseFormat | None
    max_tokens: int | None
    temperature: float | None
    stream: bool


class OpenAILLM:
    """A model behind an OpenAI-compatible server; an `LLM`.

    model: its name there.
    base_url: the address before ``/chat/completions``, usually ending in ``/v1``.
    api_key: sent as a bearer token; None sends none (local servers).
    timeout: seconds for a whole reply; for a stream, seconds without data.
    temperature, max_tokens: what a call that says nothing asks for; None leaves it to the server.
    quirks: how this server differs; None for what is known of it. More is learnt from its refusals.

    It neither retries nor waits: see `RetryLLM`. Raises `ConfigError` for an impossible address or key.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OPENAI_URL,
        api_key: str | None = None,
        timeout: float = 60.0,
        temperature: float | None = None,
        max_tokens: int | None = None,
        context_size: int,
        max_output_tokens: int,
        abilities: Mapping[str, bool],
        quirks: Quirks | None = None,
        provider: str = "openai",
    ) -> None:
        api_key = (api_key or "").strip() or None
        if api_key is not None and not (api_key.isascii() and api_key.isprintable()):
            raise ConfigError(f"the API key for model {model!r} holds characters that cannot be sent in a header")
        base = parse_url(base_url)
        where = f"Model {model!r} at {base.origin()}"
        headers = {"Content-Type": "application/json", "User-Agent": "actloop"}
        if api_key is not None:
            headers["Authorization"] = f"Bearer {api_key}"
            base = base.with_user(None)  # A user in the address would be sent in the same header.
        url = base.with_path(base.path.rstrip("/") + "/chat/completions").with_query(base.query)
        self._http = HttpClient(url, headers=headers, provider=provider, where=where, timeout=timeout)
        self._asked = Asked(provider, where, api_key)
        self._model = model
        self._timeout = timeout
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._context_size = context_size
        self._max_output_tokens = max_output_tokens
        self._abilities = dict(abilities)
        self._use(quirks or quirks_of(base_url, model))

    def __repr__(self) -> str:
        return f"OpenAILLM({self._model!r}, {self._asked.where.rpartition(' ')[2]})"

    @property
    def name(self) -> str:
        """As in ``openai:gpt-4o``; what a price is looked up by."""
        return f"{self._asked.provider}:{self._model}"

    @property
    def abilities(self) -> Mapping[str, bool]:
        return self._abilities

    @property
    def context_size(self) -> int:
        return self._context_size

    @property
    def max_output_tokens(self) -> int:
        return self._max_output_tokens

    async def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        tool_choice: ToolChoice | None = None,
        response_format: ResponseFormat | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> Reply:
        """Ask for one whole reply. Raises `LLMError`; cancellation closes the connection at once."""
        request = _Request(messages, tools, tool_choice, response_format, max_tokens, temperature, stream=False)
        tried = [self._quirks]
        while True:
            try:
                return self._read(await self._http.post(self._body(request)))
            except UnsupportedParameter as refusal:
                self._learn(refusal, tried)

    async def stream_chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        tool_choice: ToolChoice | None = None,
        response_format: ResponseFormat | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncGenerator[Delta, None]:
        """Ask for a reply piece by piece, `EndDelta` last; its finish reason is None when the stream was cut off.

        Raises `LLMError`, also in the middle. Closing the iterator closes the connection at once.
        """
        request = _Request(messages, tools, tool_choice, response_format, max_tokens, temperature, stream=True)
        tried = [self._quirks]
        begun = False
        while True:
            try:
                async with aclosing(self._stream(request)) as deltas:
                    async for delta in deltas:
                        begun = True
                        yield delta
                return
            except UnsupportedParameter as refusal:
                if begun:
                    raise
                self._learn(refusal, tried)

    async def aclose(self) -> None:
        """Close the connections of the running event loop."""
        await self._http.aclose()

    def _use(self, quirks: Quirks) -> None:
        self._quirks = quirks
        self._writer = RequestWriter(self._model, quirks, vision=self._abilities.get("vision", False))

    def _learn(self, refusal: UnsupportedParameter, tried: list[Quirks]) -> None:
        """Remember what the server refused, so that the request can be written anew; else raise the refusal."""
        quirks = learnt(self._quirks, refusal)
        if quirks is None or quirks in tried or len(tried) > _MAX_LESSONS:
            raise refusal
        tried.append(quirks)
        self._use(quirks)

    def _body(self, request: _Request) -> bytes:
        return self._writer.write(
            request.messages,
            tools=request.tools,
            tool_choice=request.tool_choice,
            response_format=request.response_format,
            max_tokens=self._max_tokens if request.max_tokens is None else request.max_tokens,
            temperature=self._temperature if request.temperature is None else request.temperature,
            stream=request.stream,
        )

    def _read(self, answer: HttpReply) -> Reply:
        if not 200 <= answer.status < 300:
            raise error_of(self._asked, answer.status, answer.body, answer.headers)
        try:
            body = read_json(answer.body)
        except (ValueError, RecursionError):
            if _looks_like_events(answer.body):
                return self._read_events(answer.body)
            raise self._not_json(answer.body) from None
        return self._read_json(body)

    def _read_json(self, body: Any) -> Reply:
        error = error_in(self._asked, body)
        if error is not None:
            raise error
        try:
            return read_reply(body)
        except BrokenReply as broken:
            raise self._unusable(str(broken)) from None

    def _read_events(self, body: bytes) -> Reply:
        """A stream although a whole reply was asked for."""
        decoder, reader, builder = SseDecoder(), ChunkReader(), ReplyBuilder()
        for event in [*self._events(decoder, body), *decoder.close()]:
            if event.data.strip() != "[DONE]":
                for delta in self._deltas(reader, event):
                    builder.add(delta)
        for delta in reader.end():
            builder.add(delta)
        return builder.reply()

    async def _stream(self, request: _Request) -> AsyncGenerator[Delta, None]:
        loop = asyncio.get_running_loop()
        async with self._http.stream(self._body(request)) as stream:
            deadline = loop.time() + self._timeout
            if not 200 <= stream.status < 300:
                body = await stream.read_all(deadline)
                raise error_of(self._asked, stream.status, body, stream.headers)
            head = await self._head(stream, deadline)
            if head.startswith((b"{", b"[", b"<")):
                for delta in self._whole(head + await stream.read_all(deadline)):
                    yield delta
                return
            async with aclosing(self._event_deltas(stream, head)) as deltas:
                async for delta in deltas:
                    yield delta

    async def _head(self, stream: HttpStream, deadline: float) -> bytes:
        """The first bytes that say what kind of body this is."""
        head = b""
        while not head.removeprefix(_BOM).lstrip():
            piece = await stream.read(deadline)
            if not piece:
                break
            head += piece
        return head if head.startswith(b"\n") else head.removeprefix(_BOM).lstrip()

    async def _event_deltas(self, stream: HttpStream, head: bytes) -> AsyncGenerator[Delta, None]:
        """The deltas of an event stream.

        Progress is an event, or the next bytes of one, though not for ever; comments that keep a connection alive are
        none.
        """
        loop = asyncio.get_running_loop()
        decoder, reader = SseDecoder(), ChunkReader()
        begun = done = False
        piece = head
        deadline, latest = loop.time() + self._timeout, loop.time() + self._timeout * _TIMES_PATIENT_WITHIN_EVENT
        while not done:
            events = self._events(decoder, piece) if piece else self._last_events(decoder)
            done = not piece
            for event in events:
                if event.data.strip() == "[DONE]":
                    done = True
                    break
                for delta in self._deltas(reader, event):
                    begun = True
                    yield delta
            if events:
                patience = self._timeout if reader.finish_reason is None else min(self._timeout, _SECONDS_AFTER_FINISH)
                deadline, latest = loop.time() + patience, loop.time() + patience * _TIMES_PATIENT_WITHIN_EVENT
            elif decoder.within_event:
                deadline = min(loop.time() + self._timeout, latest)
            if not done:
                try:
                    piece = await stream.read(deadline)
                except LLMError:
                    if reader.finish_reason is None:
                        raise
                    break  # All was said; only the end of the connection is missing.
        if not begun and reader.finish_reason is None:
            raise self._unusable("an empty stream")
        for delta in reader.end():
            yield delta
        await self._drain(stream)

    async def _drain(self, stream: HttpStream) -> None:
        """Read the end of a finished stream, mostly there already, so that its connection can be used again."""
        try:
            await stream.read_all(asyncio.get_running_loop().time() + 0.05)
        except LLMError:
            return

    def _events(self, decoder: SseDecoder, data: bytes) -> list[SseEvent]:
        try:
            return decoder.feed(data)
        except LineTooLong as error:
            raise self._unusable(str(error)) from None

    def _last_events(self, decoder: SseDecoder) -> list[SseEvent]:
        """The event that the end of the stream completes; one that is cut off is dropped, as the stream is then."""
        events = decoder.close()
        return [event for event in events if event.data.strip() == "[DONE]" or _is_json(event.data)]

    def _deltas(self, reader: ChunkReader, event: SseEvent) -> list[Delta]:
        try:
            chunk = read_json(event.data.encode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            if event.name == "error":
                raise error_of(self._asked, 500, event.data.encode("utf-8", "replace"), {}) from None
            raise self._unusable("an event in the stream that is not JSON") from None
        error = error_in(self._asked, {"error": chunk} if event.name == "error" else chunk)
        if error is not None:
            raise error
        try:
            return reader.read(chunk)
        except BrokenReply as broken:
            raise self._unusable(str(broken)) from None

    def _whole(self, body: bytes) -> list[Delta]:
        """A whole reply although a stream was asked for, as deltas."""
        reply = self._read(HttpReply(200, {}, body))
        message = reply.message
        deltas: list[Delta] = [ReasoningDelta(message.reasoning)] if message.reasoning else []
        if message.content:
            deltas.append(TextDelta(message.content))
        for number, call in enumerate(message.tool_calls):
            arguments = json.dumps(call.arguments, ensure_ascii=False) if call.unreadable is None else call.unreadable
            deltas.append(CallDelta(number, call.id, call.name, arguments))
        return [*deltas, EndDelta(reply.finish_reason, reply.usage, message.reasoning_state)]

    def _not_json(self, body: bytes) -> LLMError:
        text = body.lstrip()
        if not text:
            return self._unusable("an empty body")
        if text.startswith(b"<"):
            return self._unusable("an HTML page. Is base_url right? It usually ends in /v1")
        return self._unusable("a body that is not JSON, or only the beginning of it")

    def _unusable(self, what: str) -> LLMError:
        return LLMError(f"{self._asked.where} sent {what}.", provider=self._asked.provider, status=200, retryable=True)


def _looks_like_events(body: bytes) -> bool:
    return body.removeprefix(_BOM).lstrip().startswith((b"data:", b":", b"event:", b"id:", b"retry:", b"error:"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
