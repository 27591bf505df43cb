"""SQLite in threads of its own: one writes, a few read, and each piece of work goes there and back once."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL

from actloop.errors import ConfigError

__all__ = ["SqliteFile", "prepared_file"]

T = TypeVar("T")

_READERS = 4

_CHECKPOINT_EVERY = 250
"""Transactions between two checkpoints in a reader's thread, beside which the writer goes on."""

_LONGEST_WAL_PAGES = 4_000
"""From then on the writer makes a checkpoint itself, and waits for the disk."""


def prepared_file(url: URL) -> URL:
    """Return ``url`` with its file's whole path; the file is there then, and was made for its owner's eyes alone.

    Raises `ConfigError` when it cannot be read and written.
    """
    if url.database in {None, "", ":memory:"}:
        raise ConfigError("a SQLite database needs a file: sqlite:///FILE.")
    path = Path(str(url.database)).expanduser().resolve()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # SQLite gives its other files the same mode
    except OSError as error:
        raise ConfigError(f"the database {str(path)!r} cannot be opened: {error.strerror}.") from error
    return url.set(database=str(path))


class SqliteFile:
    """One file. In WAL mode readers go on while one writes, and there is never more than one writer.

    A driver that goes to its thread for each statement costs some sixty such journeys a run; work that is done there in
    one step costs seven.
    """

    def __init__(self, url: URL) -> None:
        self._engine = create_engine(
            url.set(drivername="sqlite+pysqlite"), pool_size=_READERS + 1, max_overflow=0, hide_parameters=True
        )
        event.listen(self._engine, "connect", _set_up)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="sqlite-writer")
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="sqlite-reader")
        self._connection: Connection | None = None
        self._transactions = 0

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` with a connection of its own."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._read, work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in a transaction, after the work that came before."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, self._write, work)

    async def aclose(self) -> None:
        """Finish what waits, and close the file."""
        await asyncio.get_running_loop().run_in_executor(self._writer, self._close)
        self._writer.shutdown()
        self._readers.shutdown()
        self._engine.dispose()

    def _read(self, work: Callable[[Connection], T]) -> T:
        with self._engine.connect() as connection:
            return work(connection)

    def _write(self, work: Callable[[Connection], T]) -> T:
        if self._connection is None:
            self._connection = self._engine.connect()
        with self._connection.begin():
            done = work(self._connection)
        self._transactions += 1
        if self._transactions % _CHECKPOINT_EVERY == 0:
            self._readers.submit(self._checkpoint)
        return done

    def _checkpoint(self) -> None:
        """If it fails, the writer's own comes, and fails where somebody hears of it."""
        with self._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(PASSIVE)")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()


def _set_up(connection: Any, record: object) -> None:
    """Set a new connection up.

    WAL lets readers go on while one writes; NORMAL is durable against a crash of the process in that mode
    (sqlite.org/wal.html, sqlite.org/pragma.html#pragma_synchronous). What a statement of many rows needs to be undone
    is kept in memory and not in a file. A lock is waited for as long as the driver does, five seconds, or ``?timeout=``
    in the URL. SQLite's own ``lower`` knows the letters of ASCII alone.
    """
    pragmas = {
        "journal_mode": "WAL",
        "synchronous": "NORMAL",
        "foreign_keys": "ON",
        "temp_store": "MEMORY",
        "wal_autocheckpoint": _LONGEST_WAL_PAGES,
    }
    cursor = connection.cursor()
    for name, value in pragmas.items():
        cursor.execute(f"PRAGMA {name}={value}")
    cursor.close()
    connection.create_function("lower", 1, _lower, deterministic=True)


def _lower(value: Any) -> Any:
    return value.lower() if isinstance(value, str) else value
