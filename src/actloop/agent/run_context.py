"""What a run's model gets to see: the history kept within the window, and what is learned about the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from actloop.agent.events import ContextCompacted, Emit
from actloop.agent.run import RunState
from actloop.context import ContextGuard, summary_usage
from actloop.messages import Message, ToolSpec

__all__ = ["ContextCheck", "RunContext"]


class ContextCheck(Protocol):
    """What a run needs of a context guard. Only a `ContextGuard` is told of reported sizes and overflows as well."""

    async def check_and_compact(
        self, messages: list[Message], *, hint: str = "general", tools: Sequence[ToolSpec] = ()
    ) -> list[Message]:
        """Return the same list when it fits, else a shorter one."""
        ...


class RunContext:
    """Fits one run's history into the window of its model.

    tools: the schemas that go along with the next request.
    """

    def __init__(self, guard: ContextCheck, run: RunState, tools: Callable[[], Sequence[ToolSpec]], emit: Emit) -> None:
        self._guard = guard
        self._state = run
        self._tools = tools
        self._emit = emit

    async def fit(self, hint: str = "react_iteration") -> None:
        """Make the history fit. Raises `ContextTooSmall` when it cannot be."""
        before = self._state.messages
        after = await self._guard.check_and_compact(before, hint=hint, tools=self._tools())
        if after is before:
            return
        self._state.messages = after
        known = set(map(id, before))
        self._state.spend(summary_usage(message for message in after if id(message) not in known))
        if len(after) != len(before):
            self._emit(ContextCompacted(len(before), len(after)))

    def learn(self, prompt_tokens: int | None) -> None:
        """The model reported how long the history with its tools is."""
        if isinstance(self._guard, ContextGuard):
            self._guard.observe(self._state.messages, self._tools(), prompt_tokens)

    async def shrink(self) -> bool:
        """The provider found the history too long: make it a good deal shorter. False when it cannot be."""
        if not isinstance(self._guard, ContextGuard):
            return False
        before = self._state.messages
        self._guard.overflowed(before, self._tools())
        await self.fit()
        return self._state.messages is not before
