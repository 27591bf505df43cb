"""A conversation in a terminal: one agent after the other on the same memory, and what is said while one works."""

from __future__ import annotations

from collections.abc import Sequence

from actloop.agent import InterruptChanged, InterruptQueue, RunFinished
from actloop.cli.screen import Screen, show_run
from actloop.config import Settings
from actloop.config.wiring import build_agent, build_llm
from actloop.context import ConversationMemory
from actloop.tools import Tool

__all__ = ["Conversation"]


class Conversation:
    """Questions and answers that follow each other. Not for use from several tasks at once."""

    def __init__(self, settings: Settings, tools: Sequence[Tool]) -> None:
        self._tools = tools
        self._interrupts = InterruptQueue()
        self._memory = ConversationMemory()
        self._settings = settings
        self._llm = build_llm(settings)

    async def ask(self, question: str, screen: Screen) -> RunFinished:
        """Ask, show the run, and remember it. When it is cancelled, what had happened so far is remembered."""
        agent = build_agent(
            self._settings, self._llm, self._tools, memory=self._memory, interrupt_queue=self._interrupts
        )
        return await show_run(agent.stream(question), screen)

    def interrupt(self, text: str) -> InterruptChanged:
        """Say something to the agent that works; return the receipt."""
        return InterruptChanged(self._interrupts.put(text), text, "queued")

    def left_over(self) -> str:
        """What was said too late for the run, to be the next question; empty if there is nothing."""
        return "\n".join(item.content for item in self._interrupts.drain())

    def forget(self) -> None:
        """Begin anew."""
        self._memory = ConversationMemory()

    async def use_model(self, settings: Settings) -> None:
        """Go on with the model of ``settings``. Raises `ConfigError` for settings that make none; the old one stays."""
        llm = build_llm(settings)
        await self._llm.aclose()
        self._llm, self._settings = llm, settings

    async def aclose(self) -> None:
        """Give the model back."""
        await self._llm.aclose()
