"""Keys of callers: made once, shown once, kept as digests."""

from __future__ import annotations

import hashlib
import secrets
import time

from sqlalchemy import bindparam, delete, func, insert, select

from actloop.errors import ConfigError
from actloop.service.store.database import Conflict, Database
from actloop.service.store.tables import keys

__all__ = ["KeyStore", "digest_of"]


def digest_of(key: str) -> str:
    """The SHA-256 of a key. A key is 256 random bits, so that no slow hash is needed against guessing."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


_OWNER = select(keys.c.name).where(keys.c.digest == bindparam("digest"))


class KeyStore:
    """Who may call, by name."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, name: str) -> str:
        """Make a key for ``name`` and return it: it cannot be shown again. Raises `ConfigError` for a name in use."""
        key = f"al_{secrets.token_urlsafe(32)}"
        row = {"name": name, "digest": digest_of(key), "created_at": time.time()}
        try:
            await self._database.write(lambda connection: connection.execute(insert(keys).values(row)))
        except Conflict:
            raise ConfigError(f"there is a key named {name!r} already; remove it first or take another name.") from None
        return key

    async def remove(self, name: str) -> bool:
        """Remove the key of ``name``; it stops working at once. False when there is none."""
        query = delete(keys).where(keys.c.name == name)
        return await self._database.write(lambda connection: connection.execute(query).rowcount == 1)

    async def names(self) -> list[str]:
        """The names that have a key."""
        query = select(keys.c.name).order_by(keys.c.name)
        return await self._database.read(lambda connection: list(connection.execute(query).scalars()))

    async def owner_of(self, key: str) -> str | None:
        """Whose key this is, or None."""
        digest = {"digest": digest_of(key)}
        return await self._database.read(lambda connection: connection.execute(_OWNER, digest).scalar_one_or_none())

    async def any(self) -> bool:
        """Whether there is a key at all."""
        query = select(func.count()).select_from(keys)
        return await self._database.read(lambda connection: connection.execute(query).scalar_one() > 0)
