"""A database that is locked, full or read-only: nothing is lost that can be kept, and everybody is told."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from actloop.service.store.database import Database, StoreError
from actloop.service.store.schema import migrate
from tests.service.test_runs import joined
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
