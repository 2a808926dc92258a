"""Exports of runtimes, and messages that a player posted before a turn committed them.

This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision: str | None = "0003"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table("runtime_exports", _session_id(), *_keys(), *_values(), sqlite_with_rowid=False)
    op.create_table(
        "runtime_exports_old",
        _session_id(),
        sa.Column("valid_to", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
        *_keys(),
        *_values(),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "posted_messages",
        sa.Column("message_id", sa.Text, primary_key=True, nullable=False),
        _session_id(primary_key=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("posted_messages_by_session", "posted_messages", ["session_id"])


def _session_id(*, primary_key: bool = True) -> sa.Column[str]:
    return sa.Column(
        "session_id",
        sa.Text,
        sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def _keys() -> list[sa.Column[str]]:
    return [
        sa.Column(name, sa.Text, primary_key=True, nullable=False)
        for name in ("producer_id", "name")
    ]


def _values() -> list[sa.Column[str] | sa.Column[int]]:
    return [
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        *[
            sa.Column(name, sa.Text, nullable=False)
            for name in ("turn_id", "run_id", "value", "created_at")
        ],
    ]
