"""Runs that are queued and done apart from the turns that asked for them.

This file is history: it states the table as it was and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision: str | None = "0012"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column(
            "session_id",
            sa.Text,
            sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
            primary_key=True,
            nullable=False,
        ),
        sa.Column("sequence", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
        sa.Column("job_id", sa.Text, nullable=False),
        sa.Column("plugin_id", sa.Text, nullable=False),
        sa.Column("runtime_id", sa.Text, nullable=False),
        sa.Column("activation", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("source_turn_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("queue_until", sa.Text, nullable=True),
        sa.Column("claimed_at", sa.Text, nullable=True),
        sa.Column("finished_at", sa.Text, nullable=True),
        sa.Column("lease_owner", sa.Text, nullable=True),
        sa.Column("lease_until", sa.Text, nullable=True),
        sa.Column("turn_id", sa.Text, nullable=True),
        sa.Column("facts", sa.Text, nullable=False),
        sa.Column("input", sa.Text, nullable=False),
        sa.Column("failure", sa.Text, nullable=True),
        sqlite_with_rowid=False,
    )
    op.create_index("jobs_by_id", "jobs", ["session_id", "job_id"], unique=True)
    op.create_index(
        "jobs_open",
        "jobs",
        ["session_id", "sequence"],
        sqlite_where=sa.text("finished_at IS NULL"),
    )
