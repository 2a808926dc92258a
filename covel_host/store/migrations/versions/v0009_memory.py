"""Summaries of old history, and vectors of what memory searches.

This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision: str | None = "0008"
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    op.create_table(
        "history_summaries", _session_id(), *_summary_columns(), sqlite_with_rowid=False
    )
    op.create_index(
        "history_summaries_by_revision", "history_summaries", ["session_id", "revision"]
    )
    op.create_table(
        "history_summaries_old",
        _session_id(),
        sa.Column("valid_to", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
        *_summary_columns(),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "memory_vector_models",
        _session_id(),
        sa.Column("identity", sa.Text, nullable=False),
        sa.Column("dimensions", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "memory_vectors",
        _session_id(),
        sa.Column("digest", sa.LargeBinary, primary_key=True, nullable=False),
        sa.Column("sketch", sa.LargeBinary, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
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


def _summary_columns() -> list[sa.Column[str] | sa.Column[int]]:
    return [
        sa.Column("summary_id", sa.Text, primary_key=True, nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("record", sa.Text, nullable=False),
    ]
