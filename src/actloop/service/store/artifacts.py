"""Artifacts: what tools made for a person, kept under an id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from actloop.messages import clean_text
from actloop.service.store.database import Database, storable
from actloop.service.store.ids import plausible_id
from actloop.service.store.tables import artifacts
from actloop.tools import Artifact

__all__ = ["ArtifactStore", "NewArtifact"]


@dataclass(frozen=True, slots=True)
class NewArtifact:
    """An artifact that is to be stored with the event that names it."""

    id: str
    run_id: str
    owner: str
    artifact: Artifact


class ArtifactStore:
    """Artifacts in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, id: str, owner: str) -> Artifact | None:
        """The artifact, its content as bytes; None when there is none of that id for this owner."""
        if not plausible_id(id):
            return None
        query = select(artifacts.c.name, artifacts.c.media_type, artifacts.c.content)
        query = query.where(artifacts.c.id == id, artifacts.c.owner == owner)
        row = await self._database.read(lambda connection: connection.execute(query).one_or_none())
        return None if row is None else Artifact(*row)

    @staticmethod
    def add(connection: Connection, new: Sequence[NewArtifact]) -> None:
        """Store artifacts in a transaction that somebody else began."""
        for item in new:
            content = item.artifact.content
            values = {
                "id": item.id,
                "run_id": item.run_id,
                "owner": item.owner,
                "name": storable(clean_text(item.artifact.name)),
                "media_type": storable(clean_text(item.artifact.media_type)),
                "content": content if isinstance(content, bytes) else clean_text(content).encode(),
            }
            connection.execute(insert(artifacts).values(values))
