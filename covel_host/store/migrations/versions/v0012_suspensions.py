"""Runs that wait for an answer of the player.

This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision: str | None = "0011"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table("suspensions", _session_id(), *_columns(), sqlite_with_rowid=False)
    op.create_index("suspensions_by_creation", "suspensions", ["state", "created_at"])
    op.create_table(
        "suspensions_old",
        _session_id(),
        sa.Column("valid_to", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
        *_columns(),
        sqlite_with_rowid=False,
    )


def _session_id() -> sa.Column[str]:
    return sa.Column(
        "session_id",
        sa.Text,
        sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    )


def _columns() -> list[sa.Column[str] | sa.Column[int]]:
    return [
        sa.Column("suspension_id", sa.Text, primary_key=True, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("plugin_id", sa.Text, nullable=False),
        sa.Column("runtime_id", sa.Text, nullable=False),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.Column("scene", sa.Text, nullable=True),
    ]
