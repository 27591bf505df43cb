"""A model whose answer comes piece by piece, when the test says so."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Unpack

from actloop.llm import ChatOptions, Delta, EndDelta, Reply, TextDelta
from actloop.messages import AssistantMessage, Message, Usage

__all__ = ["PacedLLM"]


class PacedLLM:
    """Answers every question with ``answer`` in so many pieces; each piece but the first waits for `go_on`.

    open: how many streams of answers are open. requests: how often it was asked.
    """

    def __init__(self, answer: str, *, pieces: int = 12) -> None:
        self._answer = answer
        self._pieces = pieces
        self._turns = asyncio.Semaphore(1)
        self._finished = asyncio.Event()
        self.abilities: Mapping[str, bool] = {"tool_call": True}
        self.context_size = 128_000
        self.max_output_tokens = 4_096
        self.open = 0
        self.requests = 0

    def go_on(self) -> None:
        """Let the next piece go."""
        self._turns.release()

    def finish(self) -> None:
        """Let everything go."""
        self._finished.set()
        self._turns.release()

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """The brief answer, at once."""
        self.requests += 1
        return Reply(AssistantMessage("brief"), Usage.of_call(7, 3))

    async def stream_chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> AsyncIterator[Delta]:
        """The answer, piece by piece."""
        self.requests += 1
        self.open += 1
        try:
            size = -(-len(self._answer) // self._pieces)
            for start in range(0, len(self._answer), size):
                if not self._finished.is_set():
                    await self._turns.acquire()
                yield TextDelta(self._answer[start : start + size])
            yield EndDelta("stop", Usage.of_call(20, 10))
        finally:
            self.open -= 1

    async def aclose(self) -> None:
        """Nothing to close."""
