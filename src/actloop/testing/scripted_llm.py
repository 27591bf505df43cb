"""`ScriptedLLM`: a model that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from actloop.errors import LLMError
from actloop.llm.base import (
    NO_ABILITIES,
    CallDelta,
    Delta,
    EndDelta,
    ReasoningDelta,
    Reply,
    ResponseFormat,
    TextDelta,
    ToolChoice,
)
from actloop.llm.reply import RawCall, build_reply
from actloop.messages import AssistantMessage, Message, ToolSpec, Usage

__all__ = ["ScriptedLLM", "ScriptedReply", "ScriptedRequest"]

ScriptedReply = str | AssistantMessage | Reply | BaseException


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """One request as the model got it."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] | None
    tool_choice: ToolChoice | None
    response_format: ResponseFormat | None
    max_tokens: int | None
    temperature: float | None
    streamed: bool


class ScriptedLLM:
    """A model whose replies are written down beforehand.

    replies: strings, `AssistantMessage`s, `Reply`s or exceptions (raised), one for each request in order, plain or
        streamed; or a function of the request's messages (sync or async), asked each time. A function of two parameters
        gets the whole `ScriptedRequest` as the second.
    abilities: what it claims to do; the default is native tool calls. Missing keys mean no.

    `requests` holds everything it was asked. Asked more often than there are replies, it raises `LLMError`, so that a
    test with one call too many fails.
    """

    def __init__(
        self,
        replies: Iterable[ScriptedReply] | Callable[..., Any],
        *,
        abilities: Mapping[str, bool] | None = None,
        context_size: int = 128_000,
        max_output_tokens: int = 4_096,
    ) -> None:
        self._script: Callable[..., Any] | None = replies if callable(replies) else None
        self._replies = iter(()) if callable(replies) else iter(list(replies))
        given = {"tool_call": True} if abilities is None else dict(abilities)
        self.abilities: Mapping[str, bool] = {**NO_ABILITIES, **given}
        self.context_size = context_size
        self.max_output_tokens = max_output_tokens
        self.requests: list[ScriptedRequest] = []
        self.closed = False

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
        """The next reply of the script."""
        return await self._next(
            ScriptedRequest(
                tuple(messages),
                None if tools is None else tuple(tools),
                tool_choice,
                response_format,
                max_tokens,
                temperature,
                streamed=False,
            )
        )

    async def stream_chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[ToolSpec] | None = None,
        tool_choice: ToolChoice | None = None,
        response_format: ResponseFormat | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
    ) -> AsyncIterator[Delta]:
        """The next reply of the script, word by word."""
        reply = await self._next(
            ScriptedRequest(
                tuple(messages),
                None if tools is None else tuple(tools),
                tool_choice,
                response_format,
                max_tokens,
                temperature,
                streamed=True,
            )
        )
        for delta in _deltas(reply):
            yield delta
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.closed = True

    async def _next(self, request: ScriptedRequest) -> Reply:
        self.requests.append(request)
        await asyncio.sleep(0)
        if self._script is None:
            try:
                reply: Any = next(self._replies)
            except StopIteration:
                raise LLMError(
                    f"ScriptedLLM has no reply left for request number {len(self.requests)}", provider="scripted"
                ) from None
        else:
            two = len(inspect.signature(self._script).parameters) > 1
            reply = self._script(request.messages, request) if two else self._script(request.messages)
            if inspect.isawaitable(reply):
                reply = await reply
        return _as_reply(reply, request)


def _as_reply(reply: ScriptedReply, request: ScriptedRequest) -> Reply:
    match reply:
        case BaseException():
            raise reply
        case Reply():
            return reply
        case str():
            message = AssistantMessage(reply)
        case AssistantMessage():
            message = reply
        case _:
            raise TypeError(f"a scripted reply must be a str, AssistantMessage, Reply or exception, not {reply!r}")
    usage = Usage.of_call(
        prompt_tokens=sum(len(str(m.content)) // 4 + 4 for m in request.messages),
        completion_tokens=max(1, len(message.content) // 4),
    )
    calls = [RawCall(call.id, call.name, call.unreadable or call.arguments) for call in message.tool_calls]
    return build_reply(
        content=message.content,
        reasoning=message.reasoning,
        calls=calls,
        finish_reason="tool_calls" if calls else "stop",
        usage=usage,
        reasoning_state=message.reasoning_state,
    )


def _deltas(reply: Reply) -> Iterable[Delta]:
    message = reply.message
    if message.reasoning:
        yield ReasoningDelta(message.reasoning)
    start = 0
    while start < len(message.content):
        space = message.content.find(" ", start)
        end = len(message.content) if space < 0 else space + 1
        yield TextDelta(message.content[start:end])
        start = end
    for index, call in enumerate(message.tool_calls):
        yield CallDelta(index, call.id, call.name, call.unreadable or json.dumps(call.arguments))
    if reply.finish_reason is not None:
        yield EndDelta(reply.finish_reason, reply.usage, message.reasoning_state)
