"""Events get their numbers when they are handed over, and pieces of text that come close together are one event."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actloop.agent import (
    AgentEvent,
    AnswerDelta,
    AnswerRestarted,
    AnswerStarted,
    RunFinished,
    ThinkingStarted,
    ToolCallFinished,
)
from actloop.messages import Usage
from actloop.service.runs.event_log import EventLog
from actloop.service.runs.run_log import RunLog
from actloop.service.store.conversations import ConversationStore
from actloop.service.store.database import Database
from actloop.service.store.events import EventStore, StoredEvent
from actloop.service.store.runs import RunStore
from actloop.service.store.schema import migrate
from actloop.tools import Artifact

DONE = RunFinished("x", 1, Usage(), 0.1, "answer")


async def written(events: list[AgentEvent], takes: list[bool]) -> list[StoredEvent]:
    """What is stored when the writer takes after each event for which ``takes`` says so, and at the end."""
    log = RunLog("run", "anna", lambda log: None)
    stored: list[StoredEvent] = []
    for event, take in zip([*events, DONE], [*takes, True], strict=True):
        log.emit(event)
        if take and (part := log.take()) is not None:
            log.publish(part)
            stored += part.events
    assert log.status == "finished"
    assert log.finished.is_set()
    log.emit(ThinkingStarted(9))
    assert log.take() is None, "nothing comes after the end"
    return stored


_EVENTS = st.lists(
    st.one_of(
        st.text(max_size=5).map(AnswerDelta),
        st.just(AnswerStarted()),
        st.just(ThinkingStarted(1)),
        st.just(AnswerRestarted(2)),
    ),
    max_size=30,
)


@given(_EVENTS, st.data())
def test_however_it_is_taken_numbers_have_no_gap_and_the_text_is_the_same(
    events: list[AgentEvent], data: st.DataObject
) -> None:
    takes = data.draw(st.lists(st.booleans(), min_size=len(events), max_size=len(events)))
    stored = asyncio.run(written(events, takes))
    assert [event.seq for event in stored] == list(range(1, len(stored) + 1))
    assert stored[-1].name == "done"
    told = [json.loads(event.data) for event in stored if event.name == "answer"]
    assert _texts(told) == _texts_of(events)


def _texts(told: list[dict[str, str]]) -> list[str]:
    """The text between restarts."""
    texts = [""]
    for data in told:
        if data["status"] == "restart":
            texts.append("")
        texts[-1] += data.get("content", "")
    return texts


def _texts_of(events: list[AgentEvent]) -> list[str]:
    texts = [""]
    for event in events:
        if isinstance(event, AnswerRestarted):
            texts.append("")
        if isinstance(event, AnswerDelta):
            texts[-1] += event.content
    return texts


@pytest.mark.asyncio
async def test_the_first_piece_does_not_wait_and_the_next_ones_do() -> None:
    due: list[RunLog] = []
    log = RunLog("run", "anna", due.append)
    log.emit(AnswerDelta("a"))
    assert len(due) == 1
    log.emit(AnswerDelta("b"))
    log.emit(AnswerDelta("c"))
    assert len(due) == 1, "they wait for each other"
    log.emit(ThinkingStarted(1))
    assert len(due) == 2, "any other event takes them along at once"
    part = log.take()
    assert part is not None
    assert [event.name for event in part.events] == ["answer", "step"]


@pytest.mark.asyncio
async def test_recent_events_are_in_memory_and_older_ones_are_not() -> None:
    log = RunLog("run", "anna", lambda log: None)
    for number in range(2_000):
        log.emit(ThinkingStarted(number))
        part = log.take()
        assert part is not None
        log.publish(part)
    assert log.recent(0, 10) is None
    recent = log.recent(1_990, 5)
    assert recent is not None
    assert [event.seq for event in recent] == [1991, 1992, 1993, 1994, 1995]
    assert log.recent(2_000, 5) == ()
    assert log.recent(5_000, 5) == ()


@pytest.mark.asyncio
async def test_an_artifact_is_stored_with_the_event_that_names_it() -> None:
    log = RunLog("run", "anna", lambda log: None)
    log.emit(ToolCallFinished(1, "c", "draw", "drawn", None, 0.1, (Artifact("a.txt", "text/plain", "text"),)))
    part = log.take()
    assert part is not None
    (artifact,) = part.artifacts
    assert json.loads(part.events[0].data)["artifacts"][0]["id"] == artifact.id
    assert (artifact.owner, artifact.run_id) == ("anna", "run")


@pytest.mark.asyncio
async def test_a_large_event_takes_the_place_of_older_ones_but_not_of_those_that_came_with_it() -> None:
    log = RunLog("run", "anna", lambda log: None)
    large = RunFinished("x" * 1_000_000, 1, Usage(), 0.1, "answer")
    parts: list[list[AgentEvent]] = [[ThinkingStarted(1), ThinkingStarted(2)], [AnswerStarted(), large]]
    for events in parts:
        for event in events:
            log.emit(event)
        part = log.take()
        assert part is not None
        log.publish(part)
    assert log.first_recent == 3
    assert log.recent(1, 10) is None
    recent = log.recent(2, 10)
    assert recent is not None
    assert [event.name for event in recent] == ["answer", "done"]


@pytest.mark.asyncio
async def test_readers_share_what_is_in_memory_and_read_only_what_is_older_from_the_database(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'log.db'}")
    await migrate(database)
    conversation = await ConversationStore(database).create("anna")
    run = await RunStore(database).create(conversation.id, "anna", "go", node="here", agent=None, model=None)
    log = EventLog(EventStore(database))
    writing = asyncio.create_task(log.write())
    one = log.open(run.id, "anna")
    for event in (ThinkingStarted(1), RunFinished("x" * 1_000_000, 1, Usage(), 0.1, "answer")):
        one.emit(event)
        while one.stored < 1:
            await one.changed.wait()
    await one.finished.wait()
    (first,) = await log.read(run.id, 0, 256)
    (last,) = await log.read(run.id, first.seq, 256)
    assert (await log.read(run.id, first.seq, 256))[0] is last
    writing.cancel()
    await database.aclose()
