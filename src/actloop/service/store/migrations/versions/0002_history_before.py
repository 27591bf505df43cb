"""What a conversation's history was before its last run, so that the run can be begun again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; the last runs of before cannot be begun again."""
    op.add_column("conversations", sa.Column("history_before", sa.Text))
