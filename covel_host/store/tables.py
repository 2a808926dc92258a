"""The tables as SQLAlchemy Core sees them; `migrations/` makes them, a test keeps both equal.

Conventions: times are ISO 8601 texts in UTC with microseconds, so that text order is time order;
JSON values are texts written by `base.json_text`; order is by Unicode code point, which is the
byte order of UTF-8 (spec/storage.md 1.1). Tables are clustered by their primary key, since every
read names the session first.
"""

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.schema import SchemaItem

METADATA = MetaData()


def _session_id(*, primary_key: bool = True) -> Column[str]:
    return Column(
        "session_id",
        Text,
        ForeignKey("sessions.session_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def _key(name: str) -> Column[str]:
    return Column(name, Text, primary_key=True, nullable=False)


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _text_or_null(name: str) -> Column[str]:
    return Column(name, Text, nullable=True)


def _number(name: str, *, primary_key: bool = False) -> Column[int]:
    return Column(name, Integer, nullable=False, primary_key=primary_key, autoincrement=False)


def _number_or_null(name: str) -> Column[int]:
    return Column(name, Integer, nullable=True)


def _table(name: str, *items: SchemaItem) -> Table:
    return Table(name, METADATA, *items, sqlite_with_rowid=False)


def _of_turn() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["session_id", "turn_id"], ["turns.session_id", "turns.turn_id"], ondelete="CASCADE"
    )


SESSIONS = _table(
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
    Index("sessions_by_update", "updated_at", "session_id"),
)

SESSION_REVISIONS = _table(
    "session_revisions",
    _session_id(),
    _number("revision", primary_key=True),
    _text_or_null("turn_id"),
    _text("committed_at"),
    _text("state"),
)
"""One row per commit: the session's clock as that revision left it, so a snapshot is a revision."""

TURNS = _table(
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
    UniqueConstraint("session_id", "sequence", name="turns_by_sequence"),
)

LOGICAL_TURNS = _table(
    "logical_turns",
    _session_id(),
    _key("logical_turn_id"),
    _text("turn_id"),
    _number("revision"),
)
"""The ledger that lets several executions of one logical turn count once."""

MESSAGES = _table(
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
    UniqueConstraint("message_id", name="messages_by_id"),
    Index("messages_by_turn", "session_id", "turn_id"),
)

TOOL_CALLS = _table(
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

TRACE_EVENTS = _table(
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

PLUGIN_DATA = _table(
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
"""The current rows; `version` is the revision that wrote the row (spec/decisions.md 6)."""

PLUGIN_DATA_OLD = _table(
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
"""Superseded rows, true for revisions `version <= r < valid_to`. Clustered by `valid_to`: a commit
appends at the end, pruning deletes a range, and reading a revision costs what changed since."""
