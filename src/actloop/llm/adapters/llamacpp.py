"""A local model in this process, by llama.cpp (xllamacpp): no server, no key, no network.

Requests and replies have the form of OpenAI's chat completions: the pure code of that adapter writes and reads them.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from actloop.errors import ActloopError, ConfigError, LLMError, UnsupportedParameter
from actloop.llm.adapters.gguf import GgufInfo, read_gguf
from actloop.llm.adapters.grammar_schema import grammar_schema
from actloop.llm.adapters.llamacpp_server import ServerClosed, ServerKey, acquire, release
from actloop.llm.adapters.openai_errors import Asked, error_in
from actloop.llm.adapters.openai_quirks import Quirks
from actloop.llm.adapters.openai_reply import BrokenReply, ChunkReader
from actloop.llm.adapters.openai_wire import RequestWriter
from actloop.llm.base import NO_ABILITIES, Delta, Reply, ResponseFormat, ToolChoice
from actloop.llm.local_models import default_directory, resolve
from actloop.llm.reply import collect
from actloop.messages import Message, ToolSpec

__all__ = ["LlamaCppLLM", "default_threads", "load_local"]

_CONTEXT_SIZE = 8_192
"""Tokens of context unless told otherwise: the memory grows with it (Qwen2.5-0.5B: 12 kB a token)."""
_MAX_OUTPUT_TOKENS = 1_024
"""A small model that does not find its end would write until the window is full: minutes on a laptop."""


def default_threads() -> int:
    """All processors but one: on a busy machine with none left over, llama.cpp was measured 100 times slower."""
    return max(1, (os.cpu_count() or 2) - 1)


def load_local(
    model: str,
    *,
    temperature: float | None = None,
    max_tokens: int | None = None,
    context_size: int | None = None,
    max_output_tokens: int | None = None,
    abilities: Mapping[str, bool] | None = None,
    directory: Path | None = None,
    threads: int | None = None,
) -> LlamaCppLLM:
    """A local model, ready to be asked; it is loaded with the first question.

    model: a path to a GGUF file, a name in the catalogue of local models, or ``default``, the best one that is here.
    temperature: 0 unless given, here or in a call: small models wander.
    max_tokens: what a call asks for that says nothing itself; at most ``max_output_tokens``.
    context_size: tokens; None for 8,192, or less if the model knows less.
    abilities: merged over what the model's file says.
    directory: where fetched models are; None for the usual place.
    threads: how many threads compute; None for all processors but one.

    Raises `ConfigError` when xllamacpp is not installed, or the file is not here or is no GGUF model.
    """
    if find_spec("xllamacpp") is None:
        raise ConfigError("A local model needs the package xllamacpp: pip install 'actloop[local]'.")
    path = resolve(model, directory or default_directory()).resolve()
    info = read_gguf(path)
    size = context_size or min(_CONTEXT_SIZE, info.context_size or _CONTEXT_SIZE)
    output = max_output_tokens or min(_MAX_OUTPUT_TOKENS, max(1, size // 4))
    return LlamaCppLLM(
        ServerKey(path, size, threads or default_threads()),
        temperature=0.0 if temperature is None else temperature,
        max_tokens=min(max_tokens or output, output),
        max_output_tokens=output,
        abilities={**_abilities(info), **(abilities or {})},
    )


def _abilities(info: GgufInfo) -> dict[str, bool]:
    """Any output can be constrained by a grammar; the rest is a matter of what the chat template mentions."""
    return {
        **NO_ABILITIES,
        "json_mode": True,
        "json_schema": True,
        "tool_call": "tools" in info.chat_template,
        "thinking": "<think>" in info.chat_template,
    }


class LlamaCppLLM:
    """An `LLM` over a GGUF file. Those with the same file, window and threads share one loaded model."""

    def __init__(
        self,
        key: ServerKey,
        *,
        temperature: float,
        max_tokens: int,
        max_output_tokens: int,
        abilities: Mapping[str, bool],
    ) -> None:
        self._key = key
        self._temperature = temperature
        self._max_tokens = max_tokens
        self._max_output_tokens = max_output_tokens
        self._abilities = dict(abilities)
        self._asked = Asked("local", f"The local model {key.path.name!r}")
        self._writer = RequestWriter(key.path.name, Quirks(), vision=self._abilities.get("vision", False))
        self._server = acquire(key)
        self._closed = False

    def __repr__(self) -> str:
        return f"LlamaCppLLM({self._key.path.name!r})"

    @property
    def abilities(self) -> Mapping[str, bool]:
        return self._abilities

    @property
    def context_size(self) -> int:
        return self._key.context_size

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
        """Ask for one whole reply. Raises `LLMError`; cancellation propagates at once and stops the generation."""
        deltas = self.stream_chat(
            messages,
            tools=tools,
            tool_choice=tool_choice,
            response_format=response_format,
            max_tokens=max_tokens,
            temperature=temperature,
        )
        async with aclosing(deltas):
            return await collect(deltas)

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
        """Ask for a reply piece by piece, `EndDelta` last. Raises `LLMError`, also in the middle.

        Closing the iterator stops the generation. A schema that llama.cpp cannot turn into a grammar raises
        `UnsupportedParameter` (``response_format``); a request longer than the window `ContextOverflow`.
        """
        if self._closed:
            raise self._gone()
        body = self._writer.write(
            messages,
            tools=tools,
            tool_choice=tool_choice,
            response_format=self._loosened(response_format),
            max_tokens=min(max_tokens or self._max_tokens, self._max_output_tokens),
            temperature=self._temperature if temperature is None else temperature,
            stream=True,
        )
        # With progress reports the callback is asked while a long prompt is read, and can stop that too.
        request = {**json.loads(body), "return_progress": True}
        reader = ChunkReader()
        async with aclosing(self._chunks(request)) as chunks:
            async for chunk in chunks:
                for delta in self._read(reader, chunk):
                    yield delta
        for delta in reader.end():
            yield delta

    async def aclose(self) -> None:
        """Give the memory back, if nobody else uses the model; a running reply stops first. Closing twice is fine."""
        if not self._closed:
            self._closed = True
            await release(self._key)

    async def _chunks(self, request: dict[str, Any]) -> AsyncGenerator[Any, None]:
        """The server's chunks, its exceptions translated."""
        try:
            async with aclosing(self._server.stream(request)) as chunks:
                async for chunk in chunks:
                    yield chunk
        except ActloopError:
            raise
        except ServerClosed:
            raise self._gone() from None
        except (RuntimeError, ValueError, TypeError, RecursionError) as error:
            raise self._refused(str(error), request) from error

    def _read(self, reader: ChunkReader, chunk: Any) -> list[Delta]:
        error = error_in(self._asked, chunk)
        if error is not None:
            if "grammar" in str(error):
                raise self._grammar(str(chunk["error"]["message"]))
            error.retryable = False  # Nothing on this machine changes by waiting.
            raise error
        try:
            return reader.read(chunk)
        except BrokenReply as broken:
            raise LLMError(f"{self._asked.where} sent {broken}.", provider="local") from None

    def _loosened(self, response_format: ResponseFormat | None) -> ResponseFormat | None:
        if response_format is None or response_format.get("type") != "json_schema":
            return response_format
        inner = response_format["json_schema"]
        try:
            return {**response_format, "json_schema": {**inner, "schema": grammar_schema(inner["schema"])}}
        except RecursionError:
            raise self._grammar("it is nested too deeply") from None

    def _gone(self) -> LLMError:
        return LLMError(f"{self._asked.where} was closed.", provider="local")

    def _refused(self, reason: str, request: Mapping[str, Any]) -> LLMError:
        if "response_format" in request and ("schema" in reason or "grammar" in reason or "parse error" in reason):
            return self._grammar(reason)
        return LLMError(f"{self._asked.where} refused the request: {reason}", provider="local", status=400)

    def _grammar(self, reason: str) -> UnsupportedParameter:
        return UnsupportedParameter(
            f"{self._asked.where} cannot be held to this JSON schema: {reason}",
            parameter="response_format",
            provider="local",
            status=400,
        )
