"""What the store promises, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import get_args

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection

from actloop.errors import ConfigError
from actloop.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from actloop.service.runs.recovery import end_what_a_crash_left
from actloop.service.store.artifacts import ArtifactStore, NewArtifact
from actloop.service.store.conversations import ConversationStore, Place
from actloop.service.store.database import Conflict, Database
from actloop.service.store.events import EventStore, StoredEvent, Written
from actloop.service.store.ids import new_id
from actloop.service.store.keys import KeyStore
from actloop.service.store.memory import StoredMemory
from actloop.service.store.runs import ConversationGone, Run, RunActive, RunStore
from actloop.service.store.schema import migrate
from actloop.service.store.tables import metadata
from actloop.tools import Artifact
from tests.support.databases import Kind, contents, database_url
from tests.support.service import serving, settings_in
from tests.support.sse_client import open_stream

on_both = pytest.mark.parametrize("kind", get_args(Kind))


@dataclass(frozen=True, slots=True)
class Store:
    """All parts of the store."""

    database: Database
    conversations: ConversationStore
    runs: RunStore
    events: EventStore
    artifacts: ArtifactStore
    keys: KeyStore

    async def run(self, owner: str = "anna") -> Run:
        """A run in a conversation of its own."""
        conversation = await self.conversations.create(owner)
        return await self.runs.create(conversation.id, owner, "go", node="here", agent=None, model=None)


@asynccontextmanager
async def opened(kind: Kind, directory: Path) -> AsyncIterator[Store]:
    database = Database(database_url(kind, directory))
    try:
        await migrate(database)
        yield Store(
            database,
            ConversationStore(database),
            RunStore(database),
            EventStore(database),
            ArtifactStore(database),
            KeyStore(database),
        )
    finally:
        await database.aclose()


@on_both
@pytest.mark.asyncio
async def test_migrations_make_the_tables_that_the_code_knows_and_twice_is_once(kind: Kind, tmp_path: Path) -> None:
    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata))

    async with opened(kind, tmp_path) as store:
        await migrate(store.database)
        assert await store.database.read(differences) == []


@on_both
@pytest.mark.asyncio
async def test_events_come_back_in_order_from_any_offset_and_twice_is_once(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        run, other = await store.run(), await store.run()
        assert await store.events.last_number(run.id) == 0
        events = [StoredEvent(number, "step", json.dumps({"n": number})) for number in range(1, 11)]
        await store.events.append([Written(run.id, events[:6]), Written(other.id, events[:2])])
        await store.events.append([Written(run.id, events[4:])])
        assert await store.events.read(run.id, 0, 100) == events
        assert await store.events.read(run.id, 7, 2) == events[7:9]
        assert await store.events.read(run.id, 10, 5) == []
        assert await store.events.last_number(run.id) == 10
        assert await store.events.read(other.id, 0, 100) == events[:2]


@on_both
@pytest.mark.asyncio
async def test_one_run_at_a_time_in_a_conversation_and_its_end_is_written_with_its_last_event(
    kind: Kind, tmp_path: Path
) -> None:
    async with opened(kind, tmp_path) as store:
        run = await store.run()

        async def another() -> Run:
            return await store.runs.create(run.conversation_id, "anna", "more", node="here", agent="a", model=None)

        with pytest.raises(RunActive):
            await another()
        assert [item.id for item in await store.runs.unended("here")] == [run.id]
        assert await store.runs.unended("there") == []
        done = StoredEvent(1, "done", "{}")
        await store.events.append([Written(run.id, [done], status="finished")])
        await store.events.append([Written(run.id, [done], status="cancelled")])
        ended = await store.runs.get(run.id, "anna")
        assert ended is not None
        assert ended.status == "finished", "a run ends once"
        assert ended.ended_at is not None
        second = await another()
        assert [item.id for item in await store.runs.of_conversation(run.conversation_id)] == [run.id, second.id]


@on_both
@pytest.mark.asyncio
async def test_of_many_starts_at_once_one_wins(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        conversation = await store.conversations.create("anna")
        starts = [
            store.runs.create(conversation.id, "anna", "go", node="here", agent=None, model=None) for _ in range(6)
        ]
        outcomes = await asyncio.gather(*starts, return_exceptions=True)
        assert [isinstance(item, Run) for item in outcomes].count(True) == 1
        assert [isinstance(item, RunActive) for item in outcomes].count(True) == 5


@on_both
@pytest.mark.asyncio
async def test_a_history_comes_back_as_it_was_with_text_that_databases_dislike(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        conversation = await store.conversations.create("anna", "a\0title\ud800")
        assert conversation.title == "a\ufffdtitle\ufffd"
        memory = StoredMemory(store.conversations, conversation.id)
        assert await memory.load() == []
        call = ToolCall("call_1", "look", {"path": "ä\0", "deep": [1.5, None, {"x": "📁"}]})
        history: list[Message] = [
            UserMessage("hi \0 \u2028 📁", pinned=True),
            AssistantMessage("", (call,), reasoning="hm", reasoning_state={"signed": "abc"}),
            ToolMessage("seen", "call_1", "look", is_error=True),
            AssistantMessage("Done."),
        ]
        await memory.save(history)
        loaded = list(await memory.load())
        assert loaded == [
            UserMessage("hi \0 \u2028 📁"),
            AssistantMessage("", (call,), "hm", {"signed": "abc"}),
            *history[2:],
        ]
        await memory.save(history[:2])
        assert len(await memory.load()) == 3, "what is stored is a valid history"


@on_both
@pytest.mark.asyncio
async def test_everything_is_there_for_its_owner_alone(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        run = await store.run("anna")
        artifact = NewArtifact(new_id("art"), run.id, "anna", Artifact("a.bin", "application/x", b"\x00\xff"))
        await store.events.append([Written(run.id, [StoredEvent(1, "step", "{}")], [artifact])])
        assert await store.artifacts.get(artifact.id, "anna") == artifact.artifact
        for owner in ("bert", "", "anna'--"):
            assert await store.conversations.get(run.conversation_id, owner) is None
            assert await store.runs.get(run.id, owner) is None
            assert await store.artifacts.get(artifact.id, owner) is None
            assert await store.conversations.of_owner(owner, limit=10) == []
        for strange in ("", "x", "run_\0", "run_" + "g" * 32, "run_" + "0" * 32, "../etc", "%", "١" * 36):
            assert await store.runs.get(strange, "anna") is None


@on_both
@pytest.mark.asyncio
async def test_conversations_are_listed_page_by_page_the_last_changed_first(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        made = [await store.conversations.create("anna", f"number {number}") for number in range(5)]
        await store.runs.create(made[1].id, "anna", "go", node="here", agent=None, model=None)
        first = await store.conversations.of_owner("anna", limit=3)
        last = Place(first[-1].updated_at, first[-1].id)
        second = await store.conversations.of_owner("anna", limit=3, after=last)
        assert [item.id for item in [*first, *second]] == [made[number].id for number in (1, 4, 3, 2, 0)]


@on_both
@pytest.mark.asyncio
async def test_conversations_of_the_same_moment_are_each_listed_once(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_700_000_000.123456)
    async with opened(kind, tmp_path) as store:
        made = {(await store.conversations.create("anna")).id for _ in range(5)}
        listed: list[str] = []
        place = None
        while page := await store.conversations.of_owner("anna", limit=2, after=place):
            listed += [item.id for item in page]
            place = Place.of(str(Place(page[-1].updated_at, page[-1].id)))
        assert sorted(listed) == sorted(made)


@on_both
@pytest.mark.asyncio
async def test_runs_keep_their_order_when_the_clock_is_set_back(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(kind, tmp_path) as store:
        runs = [await store.run("anna")]
        here = runs[0].conversation_id
        for now in (2_000_000_000.0, 1_000_000_000.0, 1_000_000_000.0):
            await store.events.append([Written(runs[-1].id, [StoredEvent(1, "done", "{}")], status="finished")])
            monkeypatch.setattr(time, "time", partial(float, now))
            runs.append(await store.runs.create(here, "anna", "go", node="here", agent=None, model=None))
        assert [run.id for run in await store.runs.of_conversation(here)] == [run.id for run in runs]
        assert [run.created_at for run in runs] == sorted({run.created_at for run in runs})


@on_both
@pytest.mark.asyncio
async def test_what_a_crash_left_is_told_once_however_often_it_is_told(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        conversation = await store.conversations.create("anna")
        before: list[Message] = [UserMessage("Hello?"), AssistantMessage("Hello.")]
        await store.conversations.save_history(conversation.id, before)
        run = await store.runs.create(conversation.id, "anna", "And?", node="here", agent=None, model=None)
        await store.conversations.save_history(
            conversation.id, [*before, UserMessage("And?"), AssistantMessage("half")]
        )
        for _ in range(2):
            await end_what_a_crash_left("here", store.runs, store.events, store.conversations)
            await store.conversations.continue_history(conversation.id, [UserMessage(run.query)])
            assert await store.conversations.history(conversation.id) == [*before, UserMessage("And?")]
        await store.conversations.continue_history("conv_" + "0" * 32, before)  # gone: nothing happens


@on_both
@pytest.mark.asyncio
async def test_a_deleted_conversation_takes_everything_along(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        run = await store.run()
        artifact = NewArtifact(new_id("art"), run.id, "anna", Artifact("a.txt", "text/plain", "text"))
        await store.events.append([Written(run.id, [StoredEvent(1, "step", "{}")], [artifact])])
        await store.conversations.delete(run.conversation_id)
        assert await store.runs.get(run.id, "anna") is None
        assert await store.events.read(run.id, 0, 10) == []
        with pytest.raises(ConversationGone):
            await store.runs.create(run.conversation_id, "anna", "go", node="here", agent=None, model=None)
        assert await store.artifacts.get(artifact.id, "anna") is None
        with pytest.raises(Conflict):
            await store.events.append([Written(run.id, [StoredEvent(2, "step", "{}")])])


@on_both
@pytest.mark.asyncio
async def test_keys_are_known_by_their_digest_alone(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        assert not await store.keys.any()
        key = await store.keys.add("anna")
        assert len(key) > 40
        assert await store.keys.owner_of(key) == "anna"
        assert await store.keys.owner_of(key[:-1]) is None
        assert await store.keys.names() == ["anna"]
        with pytest.raises(ConfigError, match="'anna'"):
            await store.keys.add("anna")
        if kind == "sqlite":
            assert not any(key.encode() in content for content in contents(tmp_path))
        assert await store.keys.remove("anna")
        assert not await store.keys.remove("anna")
        assert await store.keys.owner_of(key) is None


@on_both
@pytest.mark.asyncio
async def test_a_service_runs_on_it_and_after_a_crash_ends_what_was_left(kind: Kind, tmp_path: Path) -> None:
    settings = settings_in(tmp_path, database_url=database_url(kind, tmp_path), node="here")
    database = Database(settings.database_url)
    await migrate(database)
    conversations, runs, events = ConversationStore(database), RunStore(database), EventStore(database)
    conversation = await conversations.create("local")
    run = await runs.create(conversation.id, "local", "find it", node="here", agent=None, model=None)
    call = {
        "type": "iteration",
        "iteration": 1,
        "call_id": "c",
        "tool_name": "look",
        "tool_args": {},
        "status": "start",
    }
    left: list[tuple[str, object]] = [
        ("step", {"type": "thinking", "status": "start", "iteration": 1}),
        ("step", {**call, "status": "start"}),
        ("inject", {"type": "inject", "id": "int_1", "content": "in blue", "status": "queued", "iteration": None}),
        ("answer", {"status": "delta", "content": "Half"}),
    ]
    stored = [StoredEvent(number, name, json.dumps(data)) for number, (name, data) in enumerate(left, start=1)]
    await events.append([Written(run.id, stored)])
    await database.aclose()
    async with serving(settings, ["again", "Found."]) as service:
        async with open_stream(service.port, f"/api/runs/{run.id}/events") as stream:
            names = [event.name async for event in stream.events()]
        assert names == ["step", "step", "inject", "answer", "error", "done"]
        whole = (await service.ask("GET", f"/api/conversations/{conversation.id}")).data
        assert [item["role"] for item in whole["messages"]] == ["user", "assistant", "tool", "assistant", "user"]
        assert whole["messages"][-1]["content"] == "in blue"
        assert whole["runs"][0]["status"] == "interrupted"
        following = await service.start(conversation.id, "go on")
        assert (await service.events(following))[-1].name == "done"


@pytest.mark.asyncio
async def test_a_second_service_on_one_sqlite_file_is_refused(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []):
        with pytest.raises(ConfigError, match="another 'actloop serve' uses"):
            async with serving(settings_in(tmp_path), []):
                pass


@pytest.mark.parametrize("url", ["", "nonsense", "mysql://x/y", "sqlite"])
def test_an_address_that_is_no_database_is_a_mistake_in_the_settings(url: str) -> None:
    with pytest.raises(ConfigError):
        Database(url)
