"""A model and tools that take their next step when the test says so."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Sequence
from typing import Any

from actloop import tool
from actloop.errors import LLMError
from actloop.llm import Delta, EndDelta, TextDelta
from actloop.messages import AssistantMessage, Message, ToolCall, Usage
from actloop.testing import ScriptedLLM, ScriptedReply
from actloop.tools import Tool

__all__ = ["DirectedLLM", "Held", "HeldTool", "Pieces", "calls"]


def calls(*made: tuple[str, dict[str, Any]], reasoning: str = "") -> AssistantMessage:
    """A turn with these tool calls, each a name and its arguments."""
    return AssistantMessage("", [ToolCall(f"call_{n}", *call) for n, call in enumerate(made, 1)], reasoning=reasoning)


class Held:
    """A turn of the model that comes when `release` was called."""

    def __init__(self, reply: ScriptedReply) -> None:
        self.reply = reply
        self.asked = asyncio.Event()
        self._released = asyncio.Event()

    def release(self) -> None:
        """Let the model say it."""
        self._released.set()

    async def wait(self) -> None:
        """Wait for `release`."""
        self.asked.set()
        await self._released.wait()


class Pieces:
    """A streamed answer, whose pieces after the first wait for `go_on` or `finish`."""

    def __init__(self, *pieces: str) -> None:
        self.pieces = pieces
        self._turns = asyncio.Semaphore(1)
        self._finished = False

    def go_on(self) -> None:
        """Let the next piece go."""
        self._turns.release()

    def finish(self) -> None:
        """Let everything go."""
        self._finished = True
        self._turns.release()

    async def stream(self) -> AsyncIterator[str]:
        """The pieces, and after the last one more wait, so that the answer is seen unfinished."""
        for piece in (*self.pieces, ""):
            if not self._finished:
                await self._turns.acquire()
            if piece:
                yield piece


class DirectedLLM(ScriptedLLM):
    """Says its replies in order; those that are `Held` or in `Pieces` when the test says so."""

    def __init__(self, *replies: ScriptedReply | Held | Pieces, **options: Any) -> None:
        super().__init__(self._next_reply, **options)
        self._left = deque(replies)

    async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        """The next reply, piece by piece."""
        if self._left and isinstance(pieces := self._left[0], Pieces):
            self._left.popleft()
            async for piece in pieces.stream():
                yield TextDelta(piece)
            yield EndDelta("stop", Usage.of_call(1_234, 56))
            return
        async for delta in super().stream_chat(messages, **options):
            yield delta

    async def _next_reply(self, messages: Sequence[Message]) -> ScriptedReply:
        if not self._left:
            return LLMError("the test has no reply left")
        reply = self._left.popleft()
        if isinstance(reply, Held):
            await reply.wait()
            reply = reply.reply
        assert not isinstance(reply, Pieces), "pieces are streamed, and this request was not"
        return reply


class HeldTool:
    """A tool that is at work on a topic until the test ends it."""

    def __init__(self, name: str = "search_web") -> None:
        self.began: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._ends: defaultdict[str, asyncio.Future[str]] = defaultdict(asyncio.Future)

        async def work(topic: str) -> str:
            """Find out about a topic."""
            self.began[topic].set()
            return await self._ends[topic]

        self.tool: Tool = tool(work, name=name)

    def end(self, topic: str, result: str = "Three pages.") -> None:
        """Let it come back with a result."""
        self._ends[topic].set_result(result)

    def fail(self, topic: str, problem: str) -> None:
        """Let it fail."""
        self._ends[topic].set_exception(ValueError(problem))
