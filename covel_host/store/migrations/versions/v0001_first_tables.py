"""The first tables: sessions, turns, messages, tool calls, trace, plugin data.

Rows that a snapshot needs are versioned by the session's revision from here on. This file is
history: it states the tables as they were and shares nothing with `store.tables`.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.schema import SchemaItem

revision = "0001"
down_revision: str | None = None
branch_labels: str | None = None
depends_on: str | None = None


def upgrade() -> None:
    _sessions()
    _turns()
    _messages()
    _records_of_turns()
    _plugin_data()


def _sessions() -> None:
    _create(
        "sessions",
        _key("session_id"),
        _text("incarnation"),
        _text_or_null("world_id"),
        _text("status"),
        _text("phase"),
        _number("completed_player_turns"),
        _number("revision"),
        _text("locale"),
        _text("active_packages"),
        _text("metadata"),
        _text("created_at"),
        _text("updated_at"),
    )
    op.create_index("sessions_by_update", "sessions", ["updated_at", "session_id"])
    _create(
        "session_revisions",
        _session_id(),
        _number("revision", primary_key=True),
        _text_or_null("turn_id"),
        _text("committed_at"),
        _text("state"),
    )


def _turns() -> None:
    _create(
        "turns",
        _session_id(),
        _key("turn_id"),
        _number("sequence"),
        _text_or_null("parent_turn_id"),
        _text("origin"),
        _text("logical_turn_id"),
        _number("logical_turn"),
        _text("commit_status"),
        _number_or_null("revision"),
        _text("results"),
        _text_or_null("failure"),
        _text("started_at"),
        _text_or_null("finished_at"),
        _number_or_null("duration_ms"),
        sa.UniqueConstraint("session_id", "sequence", name="turns_by_sequence"),
    )
    _create(
        "logical_turns",
        _session_id(),
        _key("logical_turn_id"),
        _text("turn_id"),
        _number("revision"),
    )


def _messages() -> None:
    _create(
        "messages",
        _session_id(),
        _number("sequence", primary_key=True),
        _text("message_id"),
        _text("turn_id"),
        _number("revision"),
        _text("source"),
        _text("role"),
        _text_or_null("kind"),
        _text("content"),
        _text_or_null("plugin_id"),
        _text_or_null("runtime_id"),
        _text("data"),
        _text("created_at"),
        sa.UniqueConstraint("message_id", name="messages_by_id"),
    )
    op.create_index("messages_by_turn", "messages", ["session_id", "turn_id"])


def _records_of_turns() -> None:
    _create(
        "tool_calls",
        _session_id(),
        _key("turn_id"),
        _number("position", primary_key=True),
        _text("call_id"),
        _text_or_null("run_id"),
        _text("plugin_id"),
        _text("runtime_id"),
        _text("tool_name"),
        _text("status"),
        _text("arguments"),
        _text_or_null("result"),
        _text_or_null("error"),
        _text_or_null("approval"),
        _text("started_at"),
        _number("duration_ms"),
        _of_turn(),
    )
    _create(
        "trace_events",
        _session_id(),
        _key("turn_id"),
        _number("position", primary_key=True),
        _text("type"),
        _text("at"),
        _text_or_null("run_id"),
        _text_or_null("parent_id"),
        _text("data"),
        _of_turn(),
    )


def _plugin_data() -> None:
    _create(
        "plugin_data",
        _session_id(),
        _key("plugin_id"),
        _key("namespace"),
        _key("key"),
        _number("version"),
        _text("value"),
        _text("created_at"),
        _text("updated_at"),
    )
    _create(
        "plugin_data_old",
        _session_id(),
        _number("valid_to", primary_key=True),
        _key("plugin_id"),
        _key("namespace"),
        _key("key"),
        _number("version"),
        _text("value"),
        _text("created_at"),
        _text("updated_at"),
    )


def _create(name: str, *items: SchemaItem) -> None:
    op.create_table(name, *items, sqlite_with_rowid=False)


def _session_id() -> sa.Column[str]:
    return sa.Column(
        "session_id",
        sa.Text,
        sa.ForeignKey("sessions.session_id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    )


def _of_turn() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["session_id", "turn_id"], ["turns.session_id", "turns.turn_id"], ondelete="CASCADE"
    )


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, primary_key=True, nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _text_or_null(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=True)


def _number(name: str, *, primary_key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, primary_key=primary_key, autoincrement=False)


def _number_or_null(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=True)
