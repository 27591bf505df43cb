"""What the routes need of whoever works on runs. `local` does it in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from actloop.agent import InterruptQueue, ReActAgent
from actloop.context import Memory
from actloop.errors import ActloopError
from actloop.service.store.conversations import Conversation
from actloop.service.store.runs import Run
from actloop.tools import Tool

__all__ = ["AgentFactory", "Delivery", "RunElsewhere", "Runner", "TooManyRuns", "TooManyWaiting"]


class AgentFactory(Protocol):
    """Builds the agent of one run."""

    @property
    def agents(self) -> tuple[str, ...]:
        """The names of the agents a run may ask for."""
        ...

    @property
    def roles(self) -> tuple[str, ...]:
        """The names of the models a run may ask for."""
        ...

    @property
    def model_names(self) -> Mapping[str, str]:
        """What the model of each role is called."""
        ...

    @property
    def default_role(self) -> str:
        """The role whose model answers when none is named."""
        ...

    @property
    def tools(self) -> tuple[Tool, ...]:
        """Every tool that agents may have."""
        ...

    def build(
        self,
        *,
        agent: str | None = None,
        model: str | None = None,
        memory: Memory | None = None,
        interrupt_queue: InterruptQueue | None = None,
        instructions: str | None = None,
    ) -> ReActAgent:
        """Return a new agent; ``instructions`` are added to its own. Raises `ConfigError` for an unknown name."""
        ...

    async def aclose(self) -> None:
        """Give the models back."""
        ...


class TooManyRuns(ActloopError):
    """The service works on as many runs as it may."""


class TooManyWaiting(ActloopError):
    """The agent has as many messages to read as may wait for it."""


class RunElsewhere(ActloopError):
    """Another machine works on the run, or none does: it cannot be told anything here."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of a message to a run.

    run_id: the run that gets it; None when it waits for the present one to end and will be the next.
    """

    id: str
    delivery: Literal["run", "next_turn"]
    run_id: str | None


class Runner(Protocol):
    """Works on runs. Whoever calls has checked whose they are."""

    @property
    def active(self) -> int:
        """How many runs are at work here."""
        ...

    @property
    def ended(self) -> Counter[str]:
        """How many runs ended here, by status."""
        ...

    def guest(self) -> AbstractContextManager[None]:
        """Room for a run that is not stored and belongs to its request. Raises `TooManyRuns`."""
        ...

    async def close(self) -> None:
        """The service ends: no run begins any more, and what runs is left so that the next start can go on from it."""
        ...

    async def start(
        self,
        conversation: Conversation,
        query: str,
        *,
        agent: str | None = None,
        model: str | None = None,
        replaces: str | None = None,
    ) -> Run:
        """Begin a run and return at once. replaces: the id of the last run, in whose place it comes.

        Raises `RunActive`, `NotTheLastRun`, `ConversationGone`, `TooManyRuns`, and `ConfigError` for an unknown agent
        or model.
        """
        ...

    async def interrupt(self, run: Run, conversation: Conversation, content: str) -> Delivery:
        """Say something to the agent that works. When it has ended, this is the next turn, which begins now.

        Raises `RunElsewhere`, `TooManyWaiting`, and what `start` raises when the next turn cannot begin.
        """
        ...

    async def edit_interrupt(self, run: Run, id: str, content: str) -> bool:
        """Replace a message that still waits; False when it does not."""
        ...

    async def take_back_interrupt(self, run: Run, id: str) -> bool:
        """Remove a message that still waits; False when it does not."""
        ...

    async def stop(self, run: Run) -> bool:
        """Let running tools finish, then answer. False when the run has ended. Raises `RunElsewhere`."""
        ...

    async def cancel(self, run: Run) -> bool:
        """End the run at once. False when it has ended. Raises `RunElsewhere`."""
        ...

    async def cancel_call(self, run: Run, call_id: str) -> bool:
        """End one tool call; the run goes on. False when no such call runs. Raises `RunElsewhere`."""
        ...

    def forgetting(self, conversation_id: str) -> AbstractAsyncContextManager[None]:
        """End what runs in a conversation, and let nothing begin in it while the block deletes it."""
        ...

    def attached(self, run_id: str) -> None:
        """Somebody began to read the events of a run."""
        ...

    def detached(self, run_id: str) -> None:
        """Somebody who read stopped before the end."""
        ...
