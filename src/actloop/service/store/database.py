"""One database, SQLite or PostgreSQL: how it is opened, and what its failures look like to everybody above."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from actloop.errors import ActloopError, ConfigError

__all__ = ["Conflict", "Database", "StoreError", "storable"]


class StoreError(ActloopError):
    """The database cannot be used now: it is locked, full, read-only or away. Later it may work again."""


class Conflict(ActloopError):
    """The database refuses a row because of another one."""


class Database:
    """Gives connections in transactions.

    url: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``. Raises `ConfigError` for anything else, and for
    a driver that is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = _with_driver(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._writing = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sqlite")
        self._direct: Engine | None = None
        try:
            self._engine = create_async_engine(self.url, pool_pre_ping=not self.is_sqlite)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"the database needs the package {error.name!r}: pip install 'actloop[postgres]'"
            ) from error
        if self.is_sqlite:
            if self.url.database in {None, "", ":memory:"}:
                raise ConfigError("a SQLite database needs a file: sqlite:///FILE.")
            Path(str(self.url.database)).expanduser().parent.mkdir(parents=True, exist_ok=True)
            self._direct = create_engine(self.url.set(drivername="sqlite+pysqlite"))
            for engine in (self._engine.sync_engine, self._direct):
                _prepare(engine)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read from. Raises `StoreError`."""
        with _translated():
            async with self._engine.connect() as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A connection in a transaction, committed at the end. Raises `StoreError` and `Conflict`."""
        with _translated():
            if not self.is_sqlite:
                async with self._engine.begin() as connection:
                    yield connection
                return
            # One writer at a time is all that SQLite has; waiting here is cheaper than its waiting by polling.
            async with self._writing, self._engine.begin() as connection:
                yield connection

    async def write_at_once(self, work: Callable[[Connection], None]) -> None:
        """Do ``work`` in a transaction, in one step. Raises `StoreError` and `Conflict`.

        On SQLite `write` goes to another thread and back for each statement, which costs ten times the statement.
        """
        with _translated():
            if self._direct is None:
                async with self._engine.begin() as connection:
                    await connection.run_sync(work)
                return
            async with self._writing:
                await asyncio.get_running_loop().run_in_executor(self._thread, _in_transaction, self._direct, work)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.dispose()
        if self._direct is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._direct.dispose)
        self._thread.shutdown()


class _translated:  # noqa: N801 - reads as a verb, like contextlib's own
    """Turns SQLAlchemy's errors into ours. Their text names statements and values, so it is not passed on."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, IntegrityError):
            raise Conflict("the database refuses a row because of another one") from error
        if isinstance(error, SQLAlchemyError):
            cause = error.orig if isinstance(error, DBAPIError) else error
            raise StoreError(f"the database cannot be used now: {type(cause).__name__}") from error


def storable(text: str) -> str:
    """Return ``text`` without the character NUL, which PostgreSQL cannot keep in a text."""
    return text.replace("\0", "\ufffd")


def _with_driver(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        raise ConfigError(
            "ACTLOOP_DATABASE_URL is no database URL; it looks like sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from None
    match url.get_backend_name():
        case "sqlite":
            return url.set(drivername="sqlite+aiosqlite")
        case "postgresql" | "postgres":
            return url.set(drivername="postgresql+psycopg")
        case other:
            raise ConfigError(f"the database {other!r} is not supported; sqlite and postgresql are.")


def _in_transaction(engine: Engine, work: Callable[[Connection], None]) -> None:
    with engine.begin() as connection:
        work(connection)


def _prepare(engine: Engine) -> None:
    """Have each connection to SQLite set up.

    WAL lets readers go on while one writes; NORMAL is durable against a crash of the process in that mode
    (sqlite.org/wal.html, sqlite.org/pragma.html#pragma_synchronous). A lock is waited for as long as the driver does,
    five seconds, or ``?timeout=`` in the URL.
    """

    @event.listens_for(engine, "connect")
    def set_up(connection: Any, record: object) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()
