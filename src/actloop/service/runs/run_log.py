"""What one run adds to the log: its events get their numbers here, and adjacent pieces of text become one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import cast

from actloop.agent import AgentEvent, AnswerDelta, RunFinished, ToolCallFinished, ToolCallStarted
from actloop.service.store.artifacts import NewArtifact
from actloop.service.store.events import StoredEvent, Written
from actloop.service.store.ids import new_id
from actloop.service.store.runs import Status
from actloop.service.wire import DoneData, EventName, ToolStartData, WireData, wire_event
from actloop.service.wire_json import encode_data

__all__ = ["RunLog"]

_MERGE_SECONDS = 0.02
"""How long a piece of text may wait for the next one; the first after a pause does not wait."""

_RECENT_EVENTS = 512
_RECENT_CHARACTERS = 256 * 1024


class RunLog:
    """Takes a run's events without waiting, and hands them to the writer when they are due.

    stored: the number of the last event that is stored. changed: wakes who waits for more. finished: set when the last
    event is stored. status: how the run ended, once that is known.
    when_gone: called when the run is not in the database any more, so that nobody needs what it does.
    """

    def __init__(self, run_id: str, owner: str, due: Callable[[RunLog], None], *, last_number: int = 0) -> None:
        self.run_id = run_id
        self.stored = last_number
        self.changed = asyncio.Event()
        self.finished = asyncio.Event()
        self.when_gone: Callable[[], None] = lambda: None
        self._owner = owner
        self._due = due
        self._loop = asyncio.get_running_loop()
        self._taken = last_number
        self._pending: list[tuple[EventName, str]] = []
        self._pieces: list[str] = []
        self._artifacts: list[NewArtifact] = []
        self.status: Status | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_piece = -_MERGE_SECONDS
        self._recent: list[StoredEvent] = []
        self._recent_characters = 0

    def emit(self, event: AgentEvent) -> None:
        """Add an event of the agent. After the last one (`RunFinished`, `end`) nothing is added any more."""
        match event:
            case AnswerDelta(content=content):
                self._add_piece(content)
            case ToolCallStarted():
                name, data = wire_event(event)
                self._add(name, cast(ToolStartData, {**data, "started_at": round(time.time(), 3)}))
            case ToolCallFinished() if event.artifacts:
                new = [NewArtifact(new_id("art"), self.run_id, self._owner, item) for item in event.artifacts]
                self._artifacts += new
                self._add(*wire_event(event, [item.id for item in new]))
            case RunFinished():
                self._add(*wire_event(event), status="failed" if event.stop_reason == "error" else "finished")
            case _:
                self._add(*wire_event(event))

    def end(self, status: Status, data: DoneData) -> None:
        """Add the last event of a run that did not come to its own end."""
        self._add("done", data, status=status)

    def take(self) -> Written | None:
        """Number what is pending and hand it over; None when nothing is."""
        self._close_piece()
        if not self._pending:
            return None
        events = [
            StoredEvent(number, name, data) for number, (name, data) in enumerate(self._pending, start=self._taken + 1)
        ]
        self._taken += len(events)
        written = Written(self.run_id, events, tuple(self._artifacts), self.status)
        self._pending, self._artifacts = [], []
        return written

    def publish(self, written: Written) -> None:
        """It is stored now: let the readers see it."""
        self.stored = written.events[-1].seq
        self._recent += written.events
        self._recent_characters += sum(len(event.data) for event in written.events)
        while (older := len(self._recent) - len(written.events)) > 0 and (
            len(self._recent) > _RECENT_EVENTS or self._recent_characters > _RECENT_CHARACTERS
        ):
            gone = min(older, len(self._recent) // 2)
            self._recent_characters -= sum(len(event.data) for event in self._recent[:gone])
            del self._recent[:gone]
        self.changed.set()  # wakes who waits
        self.changed.clear()
        if written.status is not None:
            self.finished.set()

    @property
    def first_recent(self) -> int:
        """The number of the first event that is in memory; when none is, that of the next one."""
        return self._recent[0].seq if self._recent else self.stored + 1

    def recent(self, after: int, limit: int) -> Sequence[StoredEvent] | None:
        """Up to ``limit`` events after number ``after``, if they are in memory still, else None."""
        if after >= self.stored:
            return ()
        if (start := after + 1 - self.first_recent) < 0:
            return None
        return self._recent[start : start + limit]

    def _add(self, name: EventName, data: WireData, *, status: Status | None = None) -> None:
        if self.status is not None:
            return
        self._close_piece()
        self._pending.append((name, encode_data(cast("dict[str, object]", data))))
        self.status = status
        self._hand_over()

    def _add_piece(self, text: str) -> None:
        if self.status is not None:
            return
        self._pieces.append(text)
        if self._timer is None:
            wait = self._last_piece + _MERGE_SECONDS - self._loop.time()
            if wait <= 0:
                self._hand_over()
            else:
                self._timer = self._loop.call_later(wait, self._hand_over)

    def _close_piece(self) -> None:
        """What comes next is no piece of text, or belongs to the next event."""
        if self._pieces:
            name, data = wire_event(AnswerDelta("".join(self._pieces)))
            self._pending.append((name, encode_data(cast("dict[str, object]", data))))
            self._pieces = []

    def _hand_over(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pieces:
            self._last_piece = self._loop.time()
        self._due(self)
