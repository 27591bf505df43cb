"""Beginning the last run of a conversation again, and finding conversations, on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection

from actloop.messages import AssistantMessage, Message, UserMessage
from actloop.service.store.artifacts import NewArtifact
from actloop.service.store.conversations import ConversationStore
from actloop.service.store.database import Database
from actloop.service.store.events import StoredEvent, Written
from actloop.service.store.ids import new_id
from actloop.service.store.replacing import NotTheLastRun
from actloop.service.store.runs import Run, RunActive, RunStore
from actloop.service.store.schema import migrate
from actloop.tools import Artifact
from tests.service.store.test_conformance import Store, on_both, opened
from tests.support.databases import Kind, database_url

_OLD = "conv_" + "0" * 32


async def begin(
    store: Store, conversation_id: str, query: str, *, owner: str = "anna", replaces: str | None = None
) -> Run:
    return await store.runs.create(
        conversation_id, owner, query, node="here", agent=None, model=None, replaces=replaces
    )


@on_both
@pytest.mark.asyncio
async def test_the_last_run_can_be_begun_again_and_what_was_said_in_it_is_gone(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        earlier: list[Message] = [UserMessage("go"), AssistantMessage("One.")]
        first = await store.run()
        here = first.conversation_id
        await store.conversations.save_history(here, earlier)
        await store.events.append([Written(first.id, [StoredEvent(1, "done", "{}")], status="finished")])
        second = await begin(store, here, "and now?")
        with pytest.raises(NotTheLastRun, match="has not ended"):
            await begin(store, here, "again?", replaces=second.id)
        artifact = NewArtifact(new_id("art"), second.id, "anna", Artifact("a.bin", "application/x", b"\x00"))
        await store.conversations.save_history(here, [*earlier, UserMessage("and now?"), AssistantMessage("Two.")])
        await store.events.append([Written(second.id, [StoredEvent(1, "done", "{}")], [artifact], "failed")])
        with pytest.raises(NotTheLastRun, match="is not the last run"):
            await begin(store, here, "again?", replaces=first.id)

        third = await begin(store, here, "and then?", replaces=second.id)
        assert [run.id for run in await store.runs.of_conversation(here)] == [first.id, third.id]
        assert await store.conversations.history(here) == earlier
        assert await store.runs.get(second.id, "anna") is None
        assert await store.events.read(second.id, 0, 10) == []
        assert await store.artifacts.get(artifact.id, "anna") is None

        await store.events.append([Written(third.id, [StoredEvent(1, "done", "{}")], status="cancelled")])
        fourth = await begin(store, here, "and then?", replaces=third.id)
        assert await store.conversations.history(here) == earlier, "as often as one likes"
        assert fourth.status == "running"


@on_both
@pytest.mark.asyncio
async def test_of_many_who_begin_the_last_run_again_at_once_one_wins(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        run = await store.run()
        await store.events.append([Written(run.id, [StoredEvent(1, "done", "{}")], status="finished")])
        starts = [begin(store, run.conversation_id, "go", replaces=run.id) for _ in range(5)]
        starts.append(begin(store, run.conversation_id, "another"))
        outcomes = await asyncio.gather(*starts, return_exceptions=True)
        won = [item for item in outcomes if isinstance(item, Run)]
        assert len(won) == 1
        assert all(isinstance(item, Run | NotTheLastRun | RunActive) for item in outcomes)
        left = [item.id for item in await store.runs.of_conversation(run.conversation_id)]
        assert left in ([won[0].id], [run.id, won[0].id])


@on_both
@pytest.mark.asyncio
async def test_a_title_that_came_from_a_question_goes_with_it_and_one_of_somebodys_own_stays(
    kind: Kind, tmp_path: Path
) -> None:
    async with opened(kind, tmp_path) as store:
        for title, expected in (("", "better question"), ("Mine", "Mine")):
            conversation = await store.conversations.create("anna", title)
            run = await begin(store, conversation.id, "question")
            await store.events.append([Written(run.id, [StoredEvent(1, "done", "{}")], status="finished")])
            await begin(store, conversation.id, "better question", replaces=run.id)
            found = await store.conversations.get(conversation.id, "anna")
            assert found is not None
            assert found.title == expected


@on_both
@pytest.mark.asyncio
async def test_conversations_are_found_by_title_and_question_whatever_the_case(kind: Kind, tmp_path: Path) -> None:
    async with opened(kind, tmp_path) as store:
        tea = await store.conversations.create("anna", "Tea & 100%_cups")
        asked = await store.conversations.create("anna", "Something else")
        await begin(store, asked.id, "Was kostet grüner TEE in 東京?")
        theirs = await store.conversations.create("bert", "tea")
        await begin(store, theirs.id, "tea", owner="bert")

        async def found(text: str) -> list[str]:
            return [item.id for item in await store.conversations.of_owner("anna", limit=10, text=text)]

        assert await found("TEA") == [tea.id]
        assert await found("tee") == [asked.id]
        assert await found("GRÜNER" if kind == "sqlite" else "grüner") == [asked.id]
        assert await found("東京") == [asked.id]
        assert await found("0%_c") == [tea.id]
        assert await found("0%c") == []
        assert await found("e") == [asked.id, tea.id]
        assert await found("nothing\0'--") == []
        assert await found("") == [asked.id, tea.id]


@on_both
@pytest.mark.asyncio
async def test_a_database_of_the_first_release_is_brought_up_to_date_with_what_it_holds(
    kind: Kind, tmp_path: Path
) -> None:
    database = Database(database_url(kind, tmp_path))
    try:
        await migrate(database, "0001")

        def fill(connection: Connection) -> None:
            connection.exec_driver_sql(
                "INSERT INTO conversations (id, owner, title, created_at, updated_at, history) "
                f"VALUES ('{_OLD}', 'anna', 'old', 1, 1, '[]')"
            )
            connection.exec_driver_sql(
                "INSERT INTO runs (id, conversation_id, owner, node, query, status, created_at) "
                f"VALUES ('run_1', '{_OLD}', 'anna', 'here', 'old', 'finished', 1)"
            )

        await database.write(fill)
        await migrate(database)
        conversations, runs = ConversationStore(database), RunStore(database)
        assert [item.title for item in await conversations.of_owner("anna", limit=5)] == ["old"]
        again = partial(runs.create, _OLD, "anna", "again", node="here", agent=None, model=None)
        with pytest.raises(NotTheLastRun, match="older version"):
            await again(replaces="run_1")
        assert (await again()).status == "running"
    finally:
        await database.aclose()
