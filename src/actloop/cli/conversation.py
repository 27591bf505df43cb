"""A conversation in a terminal: one agent after the other on the same memory, and what is said while one works."""

from __future__ import annotations

from collections.abc import Sequence

from actloop.agent import InterruptQueue, ReActAgent, RunFinished
from actloop.cli.screen import Screen, show_run
from actloop.config import Settings
from actloop.config.wiring import build_agent, build_models
from actloop.context import ConversationMemory
from actloop.tools import Tool

__all__ = ["Conversation"]


class Conversation:
    """Questions and answers that follow each other. Not for use from several tasks at once."""

    def __init__(self, settings: Settings, tools: Sequence[Tool]) -> None:
        self._settings = settings
        self._tools = tools
        self._interrupts = InterruptQueue()
        self._memory = ConversationMemory()
        self._models = build_models(settings)
        self._agent = self._build()

    def _build(self) -> ReActAgent:
        return build_agent(
            self._settings, self._models, self._tools, memory=self._memory, interrupt_queue=self._interrupts
        )

    async def ask(self, question: str, screen: Screen) -> RunFinished:
        """Ask, show the run, and remember it. When it is cancelled, what had happened so far is remembered."""
        return await show_run(self._agent.stream(question), screen)

    def interrupt(self, text: str) -> None:
        """Say something to the agent that works; its events tell what becomes of it."""
        self._interrupts.put(text)

    def left_over(self) -> str:
        """What was said too late for the run, to be the next question; empty if there is nothing."""
        return "\n".join(item.content for item in self._interrupts.drain())

    def forget(self) -> None:
        """Begin anew."""
        self._memory = ConversationMemory()
        self._agent = self._build()

    async def use_models(self, settings: Settings) -> None:
        """Go on with the models of ``settings``. Raises `ConfigError` if they make none; then nothing changes."""
        models = build_models(settings)
        await self._models.aclose()
        self._models, self._settings = models, settings
        self._agent = self._build()

    async def aclose(self) -> None:
        """Give the models back."""
        await self._models.aclose()
