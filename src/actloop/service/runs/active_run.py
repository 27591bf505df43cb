"""One run at work in this process: the task that does it, and how far it is."""

from __future__ import annotations

import asyncio
import logging

from actloop.agent import AgentEvent, AnswerDelta, ErrorOccurred, InterruptQueue, ReActAgent
from actloop.agent.events import AnswerRestarted, InterruptChanged, ThinkingStarted
from actloop.service.runs.ending import early_done
from actloop.service.runs.run_log import RunLog
from actloop.service.store.conversations import Conversation
from actloop.service.store.memory import StoredMemory
from actloop.service.store.runs import EarlyEnd, Run

__all__ = ["ActiveRun"]

_logger = logging.getLogger(__name__)

_END_SECONDS = 7.0
"""How long an ended run's tools may take to clean up, and its agent to save; then it goes without them."""

_CRASHED = "Something went wrong inside the service; its log says what. The run cannot go on."
_SHUT_DOWN = "The service was shut down while this run was at work."


class ActiveRun:
    """A run at work.

    task: owned by whoever waits for ``left``, which is set when the task is done, or was ended and does not end.
    """

    def __init__(
        self,
        run: Run,
        conversation: Conversation,
        agent: ReActAgent,
        queue: InterruptQueue,
        log: RunLog,
        memory: StoredMemory,
    ) -> None:
        self.run = run
        self.conversation = conversation
        self.agent = agent
        self.queue = queue
        self.log = log
        self.memory = memory
        self.readers = 0
        self.ended_by: EarlyEnd = "interrupted"
        self.left = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._text: list[str] = []
        self._iterations = 0
        self._overdue: asyncio.TimerHandle | None = None
        self.task = self._loop.create_task(self._work(), name=run.id)
        self.task.add_done_callback(self._leave)
        log.when_gone = lambda: self.end("cancelled")

    @property
    def saved_itself(self) -> bool:
        """Whether the agent has stored what it did."""
        return self.task.done() and self.memory.saved

    def end(self, by: EarlyEnd) -> None:
        """End it at once, or soon: a tool may clean up, but not for ever."""
        if not self.task.done() and not self.task.cancelling():
            self.ended_by = by
            self.task.cancel()
            self._overdue = self._loop.call_later(_END_SECONDS, self.left.set)

    def close_log(self) -> None:
        """Write the end of a run that did not write its own; after that, nothing is written."""
        for interrupt in self.queue.waiting():
            self.log.emit(InterruptChanged(interrupt.id, interrupt.content, "returned"))
        text, elapsed = "".join(self._text), self._loop.time() - self._began
        if self.task.done() and not self.task.cancelled():
            _logger.error("a run crashed", exc_info=self.task.exception(), extra={"run_id": self.run.id})
            self.log.emit(ErrorOccurred(_CRASHED, recoverable=False))
            self.log.end("failed", early_done(text, self._iterations, elapsed, "error"))
            return
        if self.ended_by == "interrupted":
            self.log.emit(ErrorOccurred(_SHUT_DOWN, recoverable=True))
        self.log.end(self.ended_by, early_done(text, self._iterations, elapsed, self.ended_by))

    async def _work(self) -> None:
        await self.agent.stream_to(self.run.query, self._see)

    def _see(self, event: AgentEvent) -> None:
        self._look_at(event)
        self.log.emit(event)

    def _leave(self, task: asyncio.Task[None]) -> None:
        if self._overdue is not None:
            self._overdue.cancel()
        self.left.set()

    def _look_at(self, event: AgentEvent) -> None:
        match event:
            case AnswerDelta(content=content):
                self._text.append(content)
            case AnswerRestarted():
                self._text.clear()
            case ThinkingStarted(iteration=iteration):
                self._iterations = iteration
            case _:
                pass
