"""Only one service of a name works on a database: another would take its runs for those that a crash left."""

from __future__ import annotations

import fcntl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from actloop.errors import ConfigError
from actloop.service.store.database import Database

__all__ = ["only_one"]


@asynccontextmanager
async def only_one(database: Database, node: str) -> AsyncIterator[None]:
    """Hold the lock of a SQLite file, or that of ``node`` in a PostgreSQL database.

    The system or the server lets go of it when the process ends, however it ends. Raises `ConfigError` when somebody
    else holds it, or when there cannot be one, and `StoreError`.
    """
    if database.is_sqlite:
        with _file_locked(Path(f"{database.url.database}.lock"), str(database.url.database)):
            yield
        return
    async with database.locked(f"actloop serve {node}") as held:
        if not held:
            raise ConfigError(
                f"another 'actloop serve' with the name {node!r} uses this database; stop it, or set ACTLOOP_NODE."
            )
        yield


@contextmanager
def _file_locked(path: Path, database: str) -> Iterator[None]:
    try:
        opened = path.open("w")
    except OSError as error:
        raise ConfigError(f"{str(path.parent)!r} must be a directory to write into: {error.strerror}.") from error
    with opened as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigError(
                f"another 'actloop serve' uses {database!r}; stop it, or set ACTLOOP_DATABASE_URL."
            ) from None
        yield
