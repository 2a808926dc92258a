"""Seats: who plays which character.

This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision: str | None = "0006"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table("seats", _session_id(), *_columns(), sqlite_with_rowid=False)
    op.create_table(
        "seats_old",
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
        sa.Column("seat_id", sa.Text, primary_key=True, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("character_id", sa.Text, nullable=True),
    ]
