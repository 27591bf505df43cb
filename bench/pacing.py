"""The scripted model of `bench.service`: it streams at a steady pace, and each piece says when it was made."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from types import MappingProxyType
from typing import Unpack

from actloop.agent import InterruptQueue, ReActAgent
from actloop.context import Memory
from actloop.llm import ChatOptions, Delta, EndDelta, Reply, TextDelta
from actloop.messages import AssistantMessage, Message, Usage
from actloop.tools import Tool

__all__ = ["PIECES_A_SECOND", "SECONDS", "STUCK_SECONDS", "Agents"]

PIECES_A_SECOND, SECONDS, STUCK_SECONDS = 20, 10, 60


class PacingLLM:
    """Answers with pieces that hold the time at which they were made; ``wait`` and ``flood`` ask for something else."""

    abilities: Mapping[str, bool] = {"tool_call": True}
    context_size = 128_000
    max_output_tokens = 100_000

    async def chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> Reply:
        """A brief answer at once, or never."""
        if messages[-1].content == "wait":
            await asyncio.Event().wait()
        return Reply(AssistantMessage(str(messages[-1].content)), Usage.of_call(1, 1))

    async def stream_chat(self, messages: Sequence[Message], **options: Unpack[ChatOptions]) -> AsyncIterator[Delta]:
        """Pieces at a steady pace; large ones for ``flood``."""
        flood = "flood" in str(messages[-1].content)
        count = PIECES_A_SECOND * (STUCK_SECONDS if flood else SECONDS)
        began = asyncio.get_running_loop().time()
        for number in range(count):
            await asyncio.sleep(max(0.0, began + number / PIECES_A_SECOND - asyncio.get_running_loop().time()))
            yield TextDelta(f"{time.monotonic():.6f} " + ("x" * 500 if flood else "some words "))
        yield EndDelta("stop", Usage.of_call(1, count))

    async def aclose(self) -> None:
        """Nothing to close."""


class Agents:
    """Agents on the scripted model."""

    agents: tuple[str, ...] = ()
    roles: tuple[str, ...] = ("general",)
    default_role = "general"
    model_names: Mapping[str, str] = MappingProxyType({"general": "paced"})
    tools: tuple[Tool, ...] = ()

    def build(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        memory: Memory | None = None,
        interrupt_queue: InterruptQueue | None = None,
        instructions: str | None = None,
    ) -> ReActAgent:
        """Return a new agent."""
        return ReActAgent(PacingLLM(), rules=(), memory=memory, interrupt_queue=interrupt_queue)

    async def aclose(self) -> None:
        """Nothing to close."""
