"""One database, SQLite or PostgreSQL: how it is opened, and what its failures look like to everybody above."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError

from actloop.errors import ActloopError, ConfigError
from actloop.service.store.sqlite import SqliteFile

__all__ = ["Conflict", "Database", "StoreError", "storable"]

T = TypeVar("T")


class StoreError(ActloopError):
    """The database cannot be used now: it is locked, full, read-only or away. Later it may work again."""


class Conflict(ActloopError):
    """The database refuses a row because of another one."""


class Database:
    """Does work in transactions: a plain function that gets a `sqlalchemy.Connection`, in one step.

    url: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``. Raises `ConfigError` for anything else, and for
    a driver that is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            if self.url.database in {None, "", ":memory:"}:
                raise ConfigError("a SQLite database needs a file: sqlite:///FILE.")
            Path(str(self.url.database)).expanduser().parent.mkdir(parents=True, exist_ok=True)
            self._backend: SqliteFile | _Postgres = SqliteFile(self.url)
        else:
            self._backend = _Postgres(self.url)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` reads. Raises `StoreError`."""
        with _translated():
            return await self._backend.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in a transaction, all or nothing, and return what it returns. Raises `StoreError`, `Conflict`."""
        with _translated():
            return await self._backend.write(work)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._backend.aclose()


class _Postgres:
    """A server, on connections that wait without a thread."""

    def __init__(self, url: URL) -> None:
        try:
            from sqlalchemy.ext.asyncio import create_async_engine

            self._engine = create_async_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
        except ModuleNotFoundError as error:
            raise ConfigError(
                f"the database needs the package {error.name!r}: pip install 'actloop[postgres]'"
            ) from error

    async def read(self, work: Callable[[Connection], T]) -> T:
        async with self._engine.connect() as connection:
            return await connection.run_sync(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        async with self._engine.begin() as connection:
            return await connection.run_sync(work)

    async def aclose(self) -> None:
        await self._engine.dispose()


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


def _parsed(text: str) -> URL:
    try:
        url = make_url(text)
    except ArgumentError:
        raise ConfigError(
            "ACTLOOP_DATABASE_URL is no database URL; it looks like sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from None
    if url.get_backend_name() not in {"sqlite", "postgresql", "postgres"}:
        raise ConfigError(f"the database {url.get_backend_name()!r} is not supported; sqlite and postgresql are.")
    return url
