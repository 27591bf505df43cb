"""Bring a database to the newest schema, whatever it holds now."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from actloop.service.store.database import Database

__all__ = ["migrate"]


async def migrate(database: Database) -> None:
    """Run the migrations that are missing. Raises `StoreError` when the database cannot be changed."""
    await database.write(_upgrade)


def _upgrade(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
