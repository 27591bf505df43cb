"""Only one service works on a SQLite file: a second one would take the runs of the first for those of a crash."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from actloop.errors import ConfigError
from actloop.service.store.database import Database

__all__ = ["only_one"]


@contextmanager
def only_one(database: Database) -> Iterator[None]:
    """Hold the lock of a SQLite file; the system lets go of it when the process ends, however it ends.

    Raises `ConfigError` when somebody else holds it, or when there cannot be one.
    """
    if not database.is_sqlite:
        yield
        return
    path = Path(f"{database.url.database}.lock")
    try:
        opened = path.open("w")
    except OSError as error:
        raise ConfigError(f"{str(path.parent)!r} must be a directory to write into: {error.strerror}.") from error
    with opened as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ConfigError(
                f"another 'actloop serve' uses {str(database.url.database)!r}; stop it, or set ACTLOOP_DATABASE_URL."
            ) from None
        yield
