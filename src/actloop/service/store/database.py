"""One database, SQLite or PostgreSQL: how it is opened, and what its failures look like to everybody above."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from sqlalchemy import Connection, func, make_url, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError

from actloop.errors import ActloopError, ConfigError
from actloop.service.store.sqlite import SqliteFile, prepared_file

__all__ = ["Conflict", "Database", "StoreError", "patiently", "storable"]

_logger = logging.getLogger(__name__)

T = TypeVar("T")

_LONGEST_RETRY = 5.0


class StoreError(ActloopError):
    """The database cannot be used now: it is locked, full, read-only or away. Later it may work again.

    reason: what the database says, for whoever runs the service; callers are not told.
    """

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class Conflict(ActloopError):
    """The database refuses a row because of another one."""


class Database:
    """Does work in transactions: a plain function that gets a `sqlalchemy.Connection`, in one step.

    url: ``sqlite:///FILE`` or ``postgresql://USER:PASSWORD@HOST/NAME``. Raises `ConfigError` for anything else, for a
    file that cannot be opened, and for a driver that is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = _parsed(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            self.url = prepared_file(self.url)
            self._backend: SqliteFile | _Postgres = SqliteFile(self.url)
        else:
            self._backend = _Postgres(self.url)

    @property
    def name(self) -> str:
        """The URL as it may be shown, without a password."""
        return self.url.render_as_string(hide_password=True)

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Return what ``work`` reads. Raises `StoreError`."""
        with _translated():
            return await self._backend.read(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Do ``work`` in a transaction, all or nothing, and return what it returns. Raises `StoreError`, `Conflict`."""
        with _translated():
            return await self._backend.write(work)

    @asynccontextmanager
    async def locked(self, name: str) -> AsyncIterator[bool]:
        """Try to hold a lock of a PostgreSQL database; whether it is held. Raises `StoreError`."""
        assert isinstance(self._backend, _Postgres), "a file has locks of its own"
        async with AsyncExitStack() as held:
            try:
                with _translated():
                    got = await held.enter_async_context(self._backend.locked(name))
            except StoreError as error:
                raise self.unusable(error) from error
            yield got

    def unusable(self, error: StoreError) -> StoreError:
        """What to tell whoever starts a service, who may know the database by its name and its own words."""
        return StoreError(f"the database {self.name} cannot be used: {error.reason}.", reason=error.reason)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._backend.aclose()


_PATIENCE = {"connect_timeout": 10, "keepalives_idle": 30, "tcp_user_timeout": 30_000}
"""After which a server that does not answer is away (seconds, seconds, milliseconds; postgresql.org/docs/current/
libpq-connect.html); what the URL says counts more."""


_SEEN_GONE = {"tcp_keepalives_idle": 30, "tcp_keepalives_interval": 10, "tcp_keepalives_count": 3}
"""After a minute the server knows of a machine that lost its power (postgresql.org/docs/current/
runtime-config-connection.html); a process that ends is seen at once."""


class _Postgres:
    """A server, on connections that wait without a thread."""

    def __init__(self, url: URL) -> None:
        try:
            from sqlalchemy.ext.asyncio import create_async_engine

            self._engine = create_async_engine(
                url.set(drivername="postgresql+psycopg"),
                pool_pre_ping=True,
                hide_parameters=True,
                connect_args={name: value for name, value in _PATIENCE.items() if name not in url.query},
            )
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

    @asynccontextmanager
    async def locked(self, name: str) -> AsyncIterator[bool]:
        """Hold an advisory lock for as long as one connection lasts; the server soon sees when we are gone."""
        key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], signed=True)
        async with self._engine.connect() as connection:
            connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
            for setting, value in _SEEN_GONE.items():
                await connection.execute(text(f"SET {setting} = {value}"))
            try:
                yield (await connection.execute(select(func.pg_try_advisory_lock(key)))).scalar_one()
            finally:
                await connection.invalidate()  # the lock would outlive its return to the pool

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
            kind = type(cause).__name__
            raise StoreError(f"the database cannot be used now: {kind}", reason=_reason(cause) or kind) from error


def _reason(cause: BaseException | None) -> str:
    """What went wrong with the connection or the file; other errors may quote statements and values."""
    text = str(cause).strip() if type(cause).__name__ in {"DatabaseError", "OperationalError"} else ""
    return text.splitlines()[0][:300] if text else ""


async def patiently(do: Callable[[], Awaitable[T]]) -> T:
    """Return what ``do`` returns, and try again for as long as it raises `StoreError`."""
    wait = 0.1
    while True:
        try:
            return await do()
        except StoreError as error:
            _logger.warning("it is tried again: %s", error.reason or error)
        await asyncio.sleep(wait)
        wait = min(2 * wait, _LONGEST_RETRY)


def storable(text: str) -> str:
    """Return ``text`` without the character NUL, which PostgreSQL cannot keep in a text."""
    return text.replace("\0", "\ufffd")


def _parsed(text: str) -> URL:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        raise ConfigError(
            "ACTLOOP_DATABASE_URL is no database URL; it looks like sqlite:///FILE or postgresql://USER@HOST/NAME."
        ) from None
    if url.get_backend_name() not in {"sqlite", "postgresql", "postgres"}:
        raise ConfigError(f"the database {url.get_backend_name()!r} is not supported; sqlite and postgresql are.")
    return url
