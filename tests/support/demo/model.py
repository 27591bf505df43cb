"""The model of the demonstration: plays a scene, at a person's pace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from actloop.agent import InterruptQueue, ReActAgent
from actloop.context import Memory
from actloop.errors import LLMError
from actloop.llm import Delta, TextDelta
from actloop.messages import AssistantMessage, Message, UserMessage
from actloop.testing import ScriptedLLM
from tests.support.demo.scenes import Scene, scene_of
from tests.support.demo.tools import demo_tools
from tests.support.service import ScriptedAgents

__all__ = ["DemoAgents"]


class DemoAgents(ScriptedAgents):
    """Builds an agent with a model of its own for each run. pace: how many seconds a second of the scene takes."""

    def __init__(self, pace: float = 1.0) -> None:
        super().__init__(ScriptedLLM(()), demo_tools(pace), agents=("helper", "librarian"))
        self._pace = pace

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
        super().build(agent=agent, model=model)  # for its complaints
        llm = _DemoLLM(self._pace)
        return ReActAgent(llm, self.tools, rules=(), memory=memory, interrupt_queue=interrupt_queue)


class _DemoLLM(ScriptedLLM):
    """Plays the scene that its first question names; asked for more, it repeats the last turn."""

    def __init__(self, pace: float) -> None:
        super().__init__(self._next_turn, context_size=8_000, max_output_tokens=1_000)
        self._pace = pace
        self._scene: Scene | None = None
        self._turn = 0

    async def stream_chat(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        """The answer, word by word."""
        scene = self._of(messages)
        if scene.at_once:
            yield TextDelta(scene.at_once)
        async for delta in ScriptedLLM([scene.answer]).stream_chat(messages, **options):
            yield delta
            if isinstance(delta, TextDelta) and scene.word_seconds:
                await asyncio.sleep(scene.word_seconds * self._pace)

    async def _next_turn(self, messages: Sequence[Message]) -> AssistantMessage | LLMError | str:
        if "running summary" in str(messages[0].content):
            return "Pages of the archive were read; all orders went out on time, and nobody complained."
        scene = self._of(messages)
        await asyncio.sleep(scene.think_seconds * self._pace)
        turn = scene.turns[min(self._turn, len(scene.turns) - 1)]
        self._turn += 1
        return turn

    def _of(self, messages: Sequence[Message]) -> Scene:
        if self._scene is None:
            question = next(message for message in reversed(messages) if isinstance(message, UserMessage))
            self._scene = scene_of(str(question.content))
        return self._scene
