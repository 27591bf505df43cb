"""Replies on tape: record what a real model says to a file once, and replay it in tests without the model.

The file is JSON lines, one exchange a line: a digest of the request, and the reply. A request that was not recorded is
an error on replay, so that a changed prompt is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Unpack

from actloop.errors import ConfigError, LLMError
from actloop.llm import (
    LLM,
    CallDelta,
    ChatOptions,
    Delta,
    EndDelta,
    RawCall,
    ReasoningDelta,
    Reply,
    ReplyBuilder,
    TextDelta,
    WrappedLLM,
    build_reply,
)
from actloop.messages import Message, Usage, text_of

__all__ = ["RecordingLLM", "ReplayLLM"]


class RecordingLLM(WrappedLLM):
    """An `LLM` around an `LLM` that appends every whole exchange to ``path``."""

    def __init__(self, llm: LLM, path: str | Path) -> None:
        super().__init__(llm)
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """Ask the model and record its reply."""
        reply = await self._llm.chat(messages, **options)
        self._record(_digest(messages, options), reply)
        return reply

    async def stream_chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> AsyncIterator[Delta]:
        """Ask the model, pass its deltas on, and record the whole reply when the stream came to its end."""
        builder = ReplyBuilder()
        async for delta in self._llm.stream_chat(messages, **options):
            builder.add(delta)
            yield delta
        self._record(_digest(messages, options), builder.reply())

    def _record(self, digest: str, reply: Reply) -> None:
        line = {
            "request": digest,
            "content": reply.message.content,
            "reasoning": reply.message.reasoning,
            "calls": [[c.id, c.name, c.unreadable or json.dumps(c.arguments)] for c in reply.message.tool_calls],
            "finish_reason": reply.finish_reason,
            "usage": asdict(reply.usage),
            "abilities": dict(self.abilities),
            "context_size": self.context_size,
            "max_output_tokens": self.max_output_tokens,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


class ReplayLLM:
    """Replays a tape. The same request asked n times gives the n recorded replies in order, then the last again."""

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        try:
            lines = [json.loads(line) for line in self._path.read_text(encoding="utf-8").splitlines()]
        except (OSError, ValueError) as error:
            raise ConfigError(f"the tape {str(path)!r} cannot be read: {error}") from error
        if not lines:
            raise ConfigError(f"the tape {str(path)!r} is empty; record a run with RecordingLLM first")
        self._replies: dict[str, list[dict[str, Any]]] = {}
        for line in lines:
            self._replies.setdefault(line["request"], []).append(line)
        self.abilities: Mapping[str, bool] = lines[-1]["abilities"]
        self.context_size: int = lines[-1]["context_size"]
        self.max_output_tokens: int = lines[-1]["max_output_tokens"]

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """The recorded reply to this request. Raises `LLMError` when it is not on the tape."""
        return self._next(_digest(messages, options))

    async def stream_chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> AsyncIterator[Delta]:
        """The recorded reply to this request, in one piece."""
        reply = self._next(_digest(messages, options))
        if reply.message.reasoning:
            yield ReasoningDelta(reply.message.reasoning)
        if reply.message.content:
            yield TextDelta(reply.message.content)
        for index, call in enumerate(reply.message.tool_calls):
            yield CallDelta(index, call.id, call.name, call.unreadable or json.dumps(call.arguments))
        yield EndDelta(reply.finish_reason, reply.usage)

    async def aclose(self) -> None:
        """Nothing to close."""

    def _next(self, digest: str) -> Reply:
        found = self._replies.get(digest)
        if not found:
            raise LLMError(
                f"the tape {str(self._path)!r} holds no reply to this request (digest {digest}); "
                "prompts or tools changed since it was recorded: record it anew",
                provider="replay",
            )
        line = found.pop(0) if len(found) > 1 else found[0]
        return build_reply(
            content=line["content"],
            reasoning=line["reasoning"],
            calls=[RawCall(*call) for call in line["calls"]],
            finish_reason=line["finish_reason"],
            usage=Usage(**line["usage"]),
        )


def _digest(messages: Sequence[Message], options: ChatOptions) -> str:
    told = [
        [
            message.role,
            text_of(message.content),
            [[call.name, call.arguments] for call in message.tool_calls] if message.role == "assistant" else None,
        ]
        for message in messages
    ]
    offered = [asdict(spec) for spec in options.get("tools") or ()]
    text = json.dumps(
        [told, offered, options.get("tool_choice"), options.get("response_format")], sort_keys=True, default=dict
    )
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
