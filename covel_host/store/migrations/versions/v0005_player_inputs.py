"""Answers of players, and the audit of what comes from outside a turn.

This file is history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision: str | None = "0004"
branch_labels: str | None = None
depends_on: str | None = None

_SOURCE = ("turn_id", "plugin_id", "runtime_id", "proposal_id")
_ANSWER = ("input_id", "interaction_id", "input_values", "narrative", "created_at")


def upgrade() -> None:
    op.create_table(
        "player_inputs",
        *_session_rows(),
        sa.Column("revision", sa.Integer, nullable=False),
        *(_text(name) for name in (*_SOURCE, *_ANSWER)),
        sa.UniqueConstraint("session_id", "turn_id", "interaction_id", name="player_inputs_once"),
        sqlite_with_rowid=False,
    )
    op.create_index("player_inputs_by_turn", "player_inputs", ["session_id", "turn_id"])
    op.create_table(
        "outside_inputs",
        *_session_rows(),
        *(_text(name) for name in ("input_id", "type", "source", "channel")),
        _text("plugin_id", nullable=True),
        *(_text(name) for name in ("target", "payload", "metadata", "outcome")),
        _text("result", nullable=True),
        _text("error", nullable=True),
        _text("started_at"),
        sa.Column("duration_ms", sa.Integer, nullable=True),
        sa.UniqueConstraint("session_id", "input_id", name="outside_inputs_by_id"),
        sqlite_with_rowid=False,
    )


def _session_rows() -> tuple[sa.Column[str], sa.Column[int]]:
    return (
        sa.Column(
            "session_id",
            sa.Text,
            sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
            primary_key=True,
            nullable=False,
        ),
        sa.Column("sequence", sa.Integer, primary_key=True, nullable=False, autoincrement=False),
    )


def _text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=nullable)
