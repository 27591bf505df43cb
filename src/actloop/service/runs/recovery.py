"""At the start: what a crash left running is brought to an end, and its conversation keeps what it did."""

from __future__ import annotations

import logging
import time

from actloop.agent import ErrorOccurred
from actloop.service.runs.ending import Trace, early_done
from actloop.service.store.conversations import ConversationStore
from actloop.service.store.events import EventStore, StoredEvent, Written
from actloop.service.store.runs import Run, RunStore
from actloop.service.wire import wire_event
from actloop.service.wire_json import encode_data

__all__ = ["end_what_a_crash_left"]

_logger = logging.getLogger(__name__)
_PAGE = 500


async def end_what_a_crash_left(
    node: str, runs: RunStore, events: EventStore, conversations: ConversationStore
) -> None:
    """End every run that ``node`` began and did not end: it cannot be at work any more. Raises `StoreError`."""
    for run in await runs.unended(node):
        await _end(run, events, conversations)
        _logger.warning("a run was interrupted by a crash", extra={"run_id": run.id})


async def _end(run: Run, events: EventStore, conversations: ConversationStore) -> None:
    trace, last = Trace(run.query), 0
    while page := await events.read(run.id, last, _PAGE):
        trace.see(page)
        last = page[-1].seq
    _, error = wire_event(ErrorOccurred("The service was restarted while this run was at work.", recoverable=True))
    done = early_done(trace.text, trace.iterations, max(0.0, time.time() - run.created_at), "interrupted")
    await conversations.add_to_history(run.conversation_id, [*trace.messages(), *trace.undelivered()])
    last_events = [
        StoredEvent(last + 1, "error", encode_data({**error})),
        StoredEvent(last + 2, "done", encode_data({**done})),
    ]
    await events.append([Written(run.id, last_events, status="interrupted")])
