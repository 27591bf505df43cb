"""A database that is locked, full or read-only: nothing is lost that can be kept, and everybody is told."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from actloop.service.runs import local
from actloop.service.store.database import Database, StoreError
from actloop.service.store.schema import migrate
from tests.service.test_runs import joined, messages_of
from tests.support.databases import away, database_url
from tests.support.paced_llm import PacedLLM
from tests.support.service import serving, settings_in


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold SQLite's write lock, as another process might."""
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
        connection.close()


async def set_pragma(database: Database, pragma: str) -> None:
    """Change the connection that writes."""
    await database.write(lambda connection: connection.exec_driver_sql(f"PRAGMA {pragma}"))


@pytest.mark.asyncio
async def test_events_wait_for_a_locked_database_and_then_all_come(tmp_path: Path) -> None:
    llm = PacedLLM("Every word of it.")
    impatient = f"sqlite:///{tmp_path / 'service.db'}?timeout=0.02"
    async with serving(settings_in(tmp_path, database_url=impatient), llm) as service:
        run = await service.run()
        await service.until(lambda: llm.open == 1)
        following = asyncio.ensure_future(service.events(run))
        with locked(tmp_path / "service.db"):
            llm.finish()
            await service.until(lambda: not service.parts.log.healthy)
            assert (await service.ask("GET", "/readyz")).status == 503
            assert (await service.ask("GET", "/healthz")).status == 200
            refused = await service.ask("POST", "/api/conversations", {})
            assert (refused.status, refused.headers["retry-after"]) == (503, "5")
            assert "sqlite" not in refused.text.lower()
        events = await following
        assert [event.id for event in events] == [str(number) for number in range(1, len(events) + 1)]
        assert joined(events) == "Every word of it."
        assert [item["content"] for item in await messages_of(service, run)] == ["go", "Every word of it."]
        await service.until(lambda: service.parts.log.healthy)
        assert (await service.ask("GET", "/readyz")).status == 200


@pytest.mark.asyncio
async def test_a_full_database_refuses_in_words_and_reads_go_on(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), ["brief", "Answer."]) as service:
        run = await service.run()
        before = await service.events(run)
        await set_pragma(service.parts.database, "max_page_count=1")
        title = {"title": "x" * 200}
        status = 201
        while status == 201:
            status = (await service.ask("POST", "/api/conversations", title)).status
        assert status == 503
        assert await service.events(run) == before


@pytest.mark.asyncio
async def test_a_read_only_database_is_a_store_error_at_once(tmp_path: Path) -> None:
    async with serving(settings_in(tmp_path), []) as service:
        await set_pragma(service.parts.database, "query_only=ON")
        assert (await service.ask("POST", "/api/conversations", {})).status == 503
        assert (await service.ask("GET", "/api/conversations")).status == 200


@pytest.mark.asyncio
async def test_a_file_that_is_no_database_is_a_store_error(tmp_path: Path) -> None:
    await asyncio.to_thread((tmp_path / "service.db").write_bytes, b"no database" * 100)
    database = Database(f"sqlite:///{tmp_path / 'service.db'}")
    with pytest.raises(StoreError):
        await migrate(database)
    await database.aclose()


@pytest.mark.asyncio
async def test_a_server_that_goes_away_in_the_middle_of_a_run_and_comes_back_loses_nothing(tmp_path: Path) -> None:
    llm = PacedLLM("Every word of it.")
    url = database_url("postgresql", tmp_path)
    async with serving(settings_in(tmp_path, database_url=url), llm) as service:
        conversation = await service.conversation()
        run = await service.start(conversation)
        await service.until(lambda: llm.open == 1)
        with away(url):
            llm.finish()
            await service.until(lambda: not service.parts.log.healthy)
            for method, path, body in (
                ("GET", "/readyz", None),
                ("GET", f"/api/runs/{run}", None),
                ("POST", f"/api/runs/{run}/interrupts", {"content": "hi"}),
                ("DELETE", f"/api/conversations/{conversation}", None),
                ("POST", "/api/ask", {"query": "go"}),
            ):
                assert (await service.ask(method, path, body)).status == 503, path
            assert (await service.ask("GET", "/healthz")).status == 200
        events = await service.events(run)
        assert [event.id for event in events] == [str(number) for number in range(1, len(events) + 1)]
        assert joined(events) == "Every word of it."
        assert [item["content"] for item in await messages_of(service, run)] == ["go", "Every word of it."]
        await service.until(lambda: service.parts.runner.active == 0)
        assert joined(await service.events(await service.start(conversation))) == "Every word of it."


@pytest.mark.asyncio
async def test_a_shutdown_while_the_server_is_away_ends_and_the_next_start_makes_up_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_CLOSE_SECONDS", 0.2)
    llm = PacedLLM("Every word of it.")
    settings = settings_in(tmp_path, database_url=database_url("postgresql", tmp_path))
    with ExitStack() as after_the_shutdown:
        async with serving(settings, llm) as service:
            run = await service.run()
            await service.until(lambda: llm.open == 1)
            after_the_shutdown.enter_context(away(settings.database_url))
    async with serving(settings, llm) as service:
        assert (await service.state(run))["status"] == "interrupted"
        assert (await service.events(run))[-1].name == "done"
