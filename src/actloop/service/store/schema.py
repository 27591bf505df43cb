"""Bring a database to the newest schema, whatever it holds now."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from actloop.service.store.database import Database, StoreError

__all__ = ["migrate"]


async def migrate(database: Database, revision: str = "head") -> None:
    """Run what is missing of the migrations up to ``revision``. Raises `StoreError` when that cannot be done."""
    try:
        await database.write(partial(_upgrade, revision))
    except StoreError as error:
        raise database.unusable(error) from error


def _upgrade(revision: str, connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
