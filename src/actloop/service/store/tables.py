"""The tables, as SQLAlchemy Core knows them. `migrations` makes them; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

__all__ = ["artifacts", "conversations", "events", "keys", "metadata", "runs"]

metadata = MetaData()

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("owner", String(100), nullable=False),
    Column("title", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("history", Text, nullable=False),
    Column("history_before", Text),
    Index("conversations_of_owner", "owner", "updated_at"),
)
"""``history`` is what the next run will know, as JSON, ``history_before`` what the last one knew when it began. Times
are seconds since 1970, UTC."""

runs = Table(
    "runs",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("conversation_id", String(40), ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("owner", String(100), nullable=False),
    Column("node", String(100), nullable=False),
    Column("query", Text, nullable=False),
    Column("agent", Text),
    Column("model", Text),
    Column("status", String(20), nullable=False),
    Column("created_at", Double, nullable=False),
    Column("ended_at", Double),
    Index("runs_of_conversation", "conversation_id", "created_at"),
)
"""``node`` says which machine works on it, ``status`` is one of `actloop.service.store.runs.Status`."""

Index(
    "one_active_run",
    runs.c.conversation_id,
    unique=True,
    sqlite_where=runs.c.status == "running",
    postgresql_where=runs.c.status == "running",
)

events = Table(
    "events",
    metadata,
    Column("run_id", String(40), ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("name", String(20), nullable=False),
    Column("data", Text, nullable=False),
    sqlite_with_rowid=False,
)
"""Every event; ``seq`` counts from 1 in each run, without a gap. Without a row id SQLite keeps a run together."""

artifacts = Table(
    "artifacts",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("run_id", String(40), ForeignKey("runs.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("owner", String(100), nullable=False),
    Column("name", Text, nullable=False),
    Column("media_type", Text, nullable=False),
    Column("content", LargeBinary, nullable=False),
)

keys = Table(
    "keys",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("created_at", Double, nullable=False),
)
"""Who may call, by the SHA-256 of their key: the key itself is nowhere."""
