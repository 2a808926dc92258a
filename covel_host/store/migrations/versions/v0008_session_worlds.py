"""The world that a session plays in, and where its imported data came from.

This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision: str | None = "0007"
branch_labels: str | None = None
depends_on: str | None = None

_KEY = ("target", "plugin_id", "namespace", "key")
_FACTS = ("source_world_id", "source_id", "source_digest", "value_hash")


def upgrade() -> None:
    op.create_table("session_worlds", _session_id(), _text("record"), sqlite_with_rowid=False)
    op.create_table(
        "world_import_ledger",
        _session_id(),
        *(sa.Column(name, sa.Text, primary_key=True, nullable=False) for name in _KEY),
        *(_text(name) for name in _FACTS),
        _text("schema_ref", nullable=True),
        sa.Column("managed", sa.Integer, nullable=False),
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


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)
