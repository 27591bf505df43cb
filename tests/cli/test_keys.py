"""``actloop keys``: who may call the service."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from actloop.cli.serve import add_key, list_keys, remove_key
from actloop.config import Settings, load_settings
from actloop.errors import ConfigError
from actloop.service.store.database import Database
from actloop.service.store.keys import KeyStore


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings(environ={"ACTLOOP_DATA_DIR": str(tmp_path)}, directory=tmp_path)


def owner_of(settings: Settings, key: str) -> str | None:
    async def look() -> str | None:
        database = Database(settings.service.database_url)
        try:
            return await KeyStore(database).owner_of(key)
        finally:
            await database.aclose()

    return asyncio.run(look())


def test_a_key_is_shown_once_works_and_can_be_removed(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    list_keys(settings)
    assert "actloop keys add" in capsys.readouterr().err
    add_key(settings, "anna")
    said = capsys.readouterr()
    key = said.out.strip()
    assert "started again" in said.err
    assert owner_of(settings, key) == "anna"
    list_keys(settings)
    assert capsys.readouterr().out == "anna\n"
    remove_key(settings, "anna")
    assert owner_of(settings, key) is None
    with pytest.raises(ConfigError, match="no key named 'anna'"):
        remove_key(settings, "anna")


@pytest.mark.parametrize("name", ["", " ", " anna", "anna\n", "a\nb", "\x1b[31m", "\udcff", "local", "x" * 101, "a\0b"])
def test_a_name_that_could_be_taken_for_another_is_refused(settings: Settings, name: str) -> None:
    with pytest.raises(ConfigError, match="cannot be the name of a key"):
        add_key(settings, name)


def test_a_name_has_one_key(settings: Settings) -> None:
    add_key(settings, "Änne Müller")
    with pytest.raises(ConfigError, match="already"):
        add_key(settings, "Änne Müller")
