"""Runs in this process: each is a task of the service, which outlives the request that began it."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from actloop.agent import InterruptQueue
from actloop.agent.events import InterruptChanged
from actloop.errors import ActloopError
from actloop.messages import UserMessage
from actloop.service.runs.active_run import ActiveRun
from actloop.service.runs.event_log import EventLog
from actloop.service.runs.recovery import trace_of
from actloop.service.runs.runner import AgentFactory, Delivery, RunElsewhere, TooManyRuns, TooManyWaiting
from actloop.service.store.conversations import Conversation, ConversationStore
from actloop.service.store.database import StoreError, patiently
from actloop.service.store.events import EventStore
from actloop.service.store.memory import StoredMemory
from actloop.service.store.runs import ConversationGone, Run, RunStore

__all__ = ["LocalRunner"]

_logger = logging.getLogger(__name__)

_STARTS_AT_ONCE = 2
"""The others wait their turn: when hundreds come at once, what already streams is not held up until all have begun,
and most of them begin earlier than they would side by side."""

_CLOSE_SECONDS = 10.0

_MOST_WAITING = 50
_MOST_WAITING_CHARACTERS = 500_000
"""What may wait for one agent to read it; the model would not take more."""


class LocalRunner:
    """The `Runner` of one process. ``tasks`` owns the runs; `close` comes before it is left."""

    def __init__(
        self,
        *,
        node: str,
        agents: AgentFactory,
        log: EventLog,
        events: EventStore,
        runs: RunStore,
        conversations: ConversationStore,
        tasks: asyncio.TaskGroup,
        most: int,
        cancel_when_nobody_reads: bool,
    ) -> None:
        self._node = node
        self._agents = agents
        self._log = log
        self._events = events
        self._runs = runs
        self._conversations = conversations
        self._tasks = tasks
        self._most = most
        self._cancel_when_nobody_reads = cancel_when_nobody_reads
        self._active: dict[str, ActiveRun] = {}
        self._of_conversation: dict[str, ActiveRun] = {}
        self._queues: dict[str, InterruptQueue] = {}
        self._ends: set[asyncio.Task[None]] = set()
        self._closing = False
        self._guests = 0
        self._starting = 0
        self._turnstile = asyncio.Semaphore(_STARTS_AT_ONCE)
        self._forgetting: set[str] = set()
        self._ended: Counter[str] = Counter()

    @property
    def active(self) -> int:
        """How many runs are at work."""
        return len(self._active)

    @property
    def ended(self) -> Counter[str]:
        """How many runs ended here, by status."""
        return self._ended

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
        self._check_room()
        if conversation.id in self._forgetting:
            raise ConversationGone(f"the conversation {conversation.id!r} is being deleted")
        self._starting += 1
        try:
            async with self._turnstile:
                queue = self._queues.get(conversation.id) or InterruptQueue()
                memory = StoredMemory(self._conversations, conversation.id)
                built = self._agents.build(agent=agent, model=model, memory=memory, interrupt_queue=queue)
                run = await self._runs.create(
                    conversation.id,
                    conversation.owner,
                    query,
                    node=self._node,
                    agent=agent,
                    model=model,
                    replaces=replaces,
                )
        finally:
            self._starting -= 1
        if self._closing:  # too late to be worked on or ended here: the next start does that
            raise _no_room()
        self._queues[conversation.id] = queue
        active = ActiveRun(run, conversation, built, queue, self._log.open(run.id, run.owner), memory)
        self._active[run.id] = self._of_conversation[conversation.id] = active
        end = self._tasks.create_task(self._see_through(active))
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)
        _logger.info("run started", extra={"run_id": run.id})
        return run

    @contextmanager
    def guest(self) -> Iterator[None]:
        """Room for a run that is not stored and belongs to its request. Raises `TooManyRuns`."""
        self._check_room()
        self._guests += 1
        try:
            yield
        finally:
            self._guests -= 1

    async def interrupt(self, run: Run, conversation: Conversation, content: str) -> Delivery:
        """Say something to the agent that works. When it has ended, this is the next turn, which begins now.

        Raises `RunElsewhere`, `TooManyWaiting`, and what `start` raises when the next turn cannot begin.
        """
        active = self._of_conversation.get(conversation.id)
        if active is not None:
            _check_waiting(active.queue, content)
            id = active.queue.put(content)
            return Delivery(id, "run", active.run.id) if active.queue.open else Delivery(id, "next_turn", None)
        self._check_here(run)
        following = await self.start(conversation, content, agent=run.agent, model=run.model)
        return Delivery(following.id, "next_turn", following.id)

    async def edit_interrupt(self, run: Run, id: str, content: str) -> bool:
        """Replace a message that still waits; False when it does not."""
        queue = self._queues.get(run.conversation_id)
        return queue is not None and queue.edit(id, content)

    async def take_back_interrupt(self, run: Run, id: str) -> bool:
        """Remove a message that still waits, with the receipt "returned"; False when it does not."""
        queue = self._queues.get(run.conversation_id)
        if queue is None:
            return False
        waiting = {interrupt.id: interrupt.content for interrupt in queue.waiting()}
        active = self._of_conversation.get(run.conversation_id)
        if not queue.take_back(id):
            return False
        if active is not None:
            active.log.emit(InterruptChanged(id, waiting[id], "returned"))
        return True

    async def stop(self, run: Run) -> bool:
        """Let running tools finish, then answer. False when the run has ended. Raises `RunElsewhere`."""
        active = self._at_work(run)
        if active is None:
            return False
        active.agent.stop()
        return True

    async def cancel(self, run: Run) -> bool:
        """End the run at once. False when it has ended. Raises `RunElsewhere`."""
        active = self._at_work(run)
        if active is None:
            return False
        active.end("cancelled")
        return True

    async def cancel_call(self, run: Run, call_id: str) -> bool:
        """End one tool call; the run goes on. False when no such call runs. Raises `RunElsewhere`."""
        active = self._at_work(run)
        return active is not None and active.agent.cancel_call(call_id)

    @asynccontextmanager
    async def forgetting(self, conversation_id: str) -> AsyncIterator[None]:
        """End what runs in a conversation, and let nothing begin in it while the block deletes it."""
        self._forgetting.add(conversation_id)
        try:
            if (active := self._of_conversation.get(conversation_id)) is not None:
                active.end("cancelled")
                await active.log.finished.wait()
            yield
            self._queues.pop(conversation_id, None)
        finally:
            self._forgetting.discard(conversation_id)

    def attached(self, run_id: str) -> None:
        """Somebody began to read the events of a run."""
        if (active := self._active.get(run_id)) is not None:
            active.readers += 1

    def detached(self, run_id: str) -> None:
        """Somebody who read stopped before the end."""
        if (active := self._active.get(run_id)) is not None:
            active.readers -= 1
            if active.readers == 0 and self._cancel_when_nobody_reads:
                active.end("cancelled")

    async def close(self) -> None:
        """Interrupt what runs, and see it stored; what nobody has read of a person's words joins the conversation.

        After a first time that was broken off there is no patience.
        """
        patience = 0.0 if self._closing else _CLOSE_SECONDS
        self._closing = True
        for active in list(self._active.values()):
            active.end("interrupted")
        if self._ends:
            _, late = await asyncio.wait(self._ends, timeout=patience)
            for end in late:
                end.cancel()
            if late:
                _logger.error("%d runs could not be stored as interrupted; the next start does that", len(late))
        try:
            for conversation_id, queue in self._queues.items():
                if left := queue.drain():
                    said = [UserMessage(interrupt.content) for interrupt in left]
                    await self._conversations.add_to_history(conversation_id, said)
        except StoreError as error:
            _logger.error("what was said to runs could not be stored: %s", error)

    async def _see_through(self, active: ActiveRun) -> None:
        """Wait for the end of a run, have it stored, and begin the next turn if somebody said something too late."""
        try:
            await active.left.wait()
        finally:
            active.task.cancel()
        if active.log.status is None:  # it did not come to its own end
            if not active.saved_itself:
                await self._save(active)
            active.close_log()
        await active.log.finished.wait()
        conversation, queue = active.conversation, active.queue
        status = active.log.status or "failed"
        self._ended[status] += 1
        self._active.pop(active.run.id, None)
        if self._of_conversation.get(conversation.id) is active:  # not the next one, begun as soon as this was stored
            del self._of_conversation[conversation.id]
        _logger.info("run ended", extra={"run_id": active.run.id, "status": status})
        if self._closing:
            return
        if active.task.done() and not active.task.cancelled() and (left := queue.drain()):
            text = "\n\n".join(interrupt.content for interrupt in left)
            try:
                await self.start(conversation, text, agent=active.run.agent, model=active.run.model)
            except ConversationGone:
                pass
            except ActloopError as error:  # nothing is lost: the conversation's next run reads it first
                _logger.warning("the next turn cannot begin now: %s", error, extra={"run_id": active.run.id})
                queue.put(text)
        if not queue.waiting() and conversation.id not in self._of_conversation:
            self._queues.pop(conversation.id, None)

    async def _save(self, active: ActiveRun) -> None:
        """Store what a run did that was ended before it could do so itself."""
        if not active.task.done():
            text = "a run was ended and goes on; its tools may not let themselves be cancelled"
            _logger.error(text, extra={"run_id": active.run.id})
            active.queue = self._queues[active.conversation.id] = _moved(active.queue)
        active.memory.release()
        trace = await patiently(lambda: trace_of(active.run, self._events))
        told = trace.messages()
        await patiently(lambda: self._conversations.continue_history(active.conversation.id, told))

    def _check_room(self) -> None:
        if self._closing or len(self._active) + self._starting + self._guests >= self._most:
            raise _no_room()

    def _at_work(self, run: Run) -> ActiveRun | None:
        active = self._active.get(run.id)
        if active is None:
            self._check_here(run)
        return active

    def _check_here(self, run: Run) -> None:
        """``run`` is not at work here: one of this machine has ended since it was looked up."""
        if run.status == "running" and run.node != self._node:
            raise RunElsewhere(f"The run {run.id!r} is at work on the machine {run.node!r}; say it there.")


def _no_room() -> TooManyRuns:
    return TooManyRuns("The service works on as many runs as it may; ask again a little later.")


def _check_waiting(queue: InterruptQueue, content: str) -> None:
    waiting = queue.waiting()
    characters = len(content) + sum(len(interrupt.content) for interrupt in waiting)
    if waiting and (len(waiting) >= _MOST_WAITING or characters > _MOST_WAITING_CHARACTERS):
        raise TooManyWaiting(f"{len(waiting)} messages wait for the agent to read them; say this one a little later.")


def _moved(queue: InterruptQueue) -> InterruptQueue:
    """A queue of its own for what waits in ``queue``, which an agent still reads."""
    moved = InterruptQueue()
    for interrupt in queue.drain():
        moved.put(interrupt.content)
    return moved
