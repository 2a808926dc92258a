"""Snapshots: which revisions of a session are kept readable.

This file is history: it states the table as it was and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision: str | None = "0002"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "snapshots",
        sa.Column(
            "session_id",
            sa.Text,
            sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
            primary_key=True,
            nullable=False,
        ),
        sa.Column("revision", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
        sa.Column("snapshot_id", sa.Text, primary_key=True, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("completed_player_turns", sa.Integer, nullable=False),
        sa.Column("parent_id", sa.Text, nullable=True),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.UniqueConstraint("snapshot_id", name="snapshots_by_id"),
        sqlite_with_rowid=False,
    )
