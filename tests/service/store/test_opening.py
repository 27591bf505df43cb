"""Opening a database: who may read its file, and what is said when it cannot be opened."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from actloop.errors import ConfigError
from actloop.service.store.database import Database, StoreError
from actloop.service.store.lock import only_one
from actloop.service.store.runs import RunStore
from actloop.service.store.schema import migrate
from tests.support.databases import database_url
from tests.support.paced_llm import PacedLLM
from tests.support.service import serving, settings_in


def modes(directory: Path) -> dict[str, int]:
    """Who may do what with each file."""
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}


@pytest.mark.asyncio
async def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        async with serving(settings_in(tmp_path), ["brief", "Answer."]) as service:
            await service.events(await service.run())
            found = modes(tmp_path)
    finally:
        os.umask(before)
    assert {found[name] for name in ("service.db", "service.db-wal", "service.db-shm")} == {0o600}


@pytest.mark.asyncio
async def test_a_tilde_is_the_home_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    database = Database("sqlite:///~/kept/here.db")
    async with only_one(database, "here"):
        await migrate(database)
    await database.aclose()
    assert (tmp_path / "kept" / "here.db").stat().st_size > 0


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite:///{directory}", "Is a directory"),
        ("sqlite:///{directory}/file/x.db", "cannot be opened"),
        ("sqlite:////proc/nowhere/x.db", "cannot be opened"),
        ("sqlite://", "needs a file"),
        ("postgresql://anna:s3cret@127.0.0.1:port/x", "is no database URL"),
        ("nonsense", "is no database URL"),
        ("mysql://127.0.0.1/x", "'mysql' is not supported"),
    ],
)
def test_what_cannot_be_a_database_is_said_before_anything_begins(tmp_path: Path, url: str, told: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match=told) as raised:
        Database(url.format(directory=tmp_path))
    assert "s3cret" not in str(raised.value)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("sqlite:///{directory}/text.db", "file is not a database"),
        ("postgresql://anna:s3cret@127.0.0.1:1/x", r"anna:\*\*\*@127.0.0.1:1/x cannot be used: .*Connection refused"),
    ],
)
async def test_a_database_that_does_not_answer_is_named_with_its_reason(tmp_path: Path, url: str, told: str) -> None:
    (tmp_path / "text.db").write_text("This is some text, and no database at all. " * 10)
    database = Database(url.format(directory=tmp_path))
    with pytest.raises(StoreError, match=told) as raised:
        await migrate(database)
    assert "s3cret" not in str(raised.value)
    await database.aclose()


@pytest.mark.asyncio
async def test_two_names_of_one_file_are_one_file(tmp_path: Path) -> None:
    first = Database(f"sqlite:///{tmp_path / 'a.db'}")
    (tmp_path / "b.db").symlink_to(tmp_path / "a.db")
    second = Database(f"sqlite:///{tmp_path / 'b.db'}")
    async with only_one(first, "here"):
        with pytest.raises(ConfigError, match="another 'actloop serve'"):
            async with only_one(second, "there"):
                pass
    await first.aclose()
    await second.aclose()


@pytest.mark.asyncio
async def test_two_services_of_one_name_do_not_share_a_database(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    settings = settings_in(tmp_path, database_url=database_url("postgresql", tmp_path), node="here")
    async with serving(settings, llm) as service:
        run = await service.run()
        with pytest.raises(ConfigError, match="with the name 'here' uses this database"):
            async with serving(settings, llm):
                pass
        async with serving(replace(settings, node="there"), llm):
            assert (await service.state(run))["status"] == "running"
        llm.finish()
    async with serving(settings, llm) as service:
        assert (await service.state(run))["status"] in {"finished", "interrupted"}


@pytest.mark.asyncio
async def test_a_file_has_no_other_machine(tmp_path: Path) -> None:
    llm = PacedLLM("Done.")
    settings = settings_in(tmp_path, node="one")
    async with serving(settings, llm) as service:
        run = await service.run()
        database = Database(settings.database_url)
        left = (await RunStore(database).unended("one"))[0]
        await RunStore(database).create(
            await service.conversation(), "local", "left", node="one", agent=None, model=None
        )
        await database.aclose()
        assert left.id == run
    async with serving(settings_in(tmp_path, node="two"), llm) as service:
        assert await service.parts.runs.unended(None) == []
