"""What a run did, as its events tell it: for a run that could not say so itself, above all after a crash."""

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

__all__ = ["end_what_a_crash_left", "trace_of"]

_logger = logging.getLogger(__name__)
_PAGE = 500


async def end_what_a_crash_left(
    node: str | None, runs: RunStore, events: EventStore, conversations: ConversationStore
) -> None:
    """End every run that ``node`` (None: any) began and did not end: it cannot be at work any more.

    Raises `StoreError`.
    """
    for run in await runs.unended(node):
        await _end(run, events, conversations)
        _logger.warning("a run was interrupted by a crash", extra={"run_id": run.id})


async def trace_of(run: Run, events: EventStore) -> Trace:
    """What ``run`` did, as far as it is stored. Raises `StoreError`."""
    trace = Trace(run.query)
    while page := await events.read(run.id, trace.last_number, _PAGE):
        trace.see(page)
    return trace


async def _end(run: Run, events: EventStore, conversations: ConversationStore) -> None:
    trace = await trace_of(run, events)
    # can be done twice, should the next start crash as well
    await conversations.continue_history(run.conversation_id, [*trace.messages(), *trace.undelivered()])
    _, error = wire_event(ErrorOccurred("The service was restarted while this run was at work.", recoverable=True))
    done = early_done(trace.text, trace.iterations, max(0.0, time.time() - run.created_at), "interrupted")
    last = trace.last_number
    last_events = [
        StoredEvent(last + 1, "error", encode_data({**error})),
        StoredEvent(last + 2, "done", encode_data({**done})),
    ]
    await events.append([Written(run.id, last_events, status="interrupted")])
