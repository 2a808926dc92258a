"""What recorded executions took from outside.

This file is history: it states the table as it was and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision: str | None = "0013"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "recordings",
        sa.Column(
            "session_id",
            sa.Text,
            sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
            primary_key=True,
            nullable=False,
        ),
        sa.Column("turn_id", sa.Text, primary_key=True, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("snapshot_id", sa.Text, nullable=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.Integer, nullable=False),
        sa.Column("content", sa.Text, nullable=True),
        sqlite_with_rowid=False,
    )
