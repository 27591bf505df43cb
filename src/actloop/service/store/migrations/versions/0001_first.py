"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables of the first release."""
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
        sa.Column("history", sa.Text, nullable=False),
    )
    op.create_index("conversations_of_owner", "conversations", ["owner", "updated_at"])
    op.create_table(
        "runs",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column(
            "conversation_id", sa.String(40), sa.ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("node", sa.String(100), nullable=False),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("agent", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("ended_at", sa.Double),
    )
    op.create_index("runs_of_conversation", "runs", ["conversation_id", "created_at"])
    running = sa.text("status = 'running'")
    op.create_index(
        "one_active_run", "runs", ["conversation_id"], unique=True, sqlite_where=running, postgresql_where=running
    )
    op.create_table(
        "events",
        sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("data", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "artifacts",
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("run_id", sa.String(40), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("owner", sa.String(100), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("media_type", sa.Text, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    op.create_index("ix_artifacts_run_id", "artifacts", ["run_id"])
    op.create_table(
        "keys",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
    )
