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

SNAPSHOTS = _table(
    "snapshots",
    _session_id(),
    _number("revision", primary_key=True),
    _key("snapshot_id"),
    _text("kind"),
    _number("completed_player_turns"),
    _text_or_null("parent_id"),
    _text("created_at"),
    UniqueConstraint("snapshot_id", name="snapshots_by_id"),
)
"""The revisions that are kept readable. Clustered by revision: pruning asks for the neighbours."""

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


def _twin(current: Table, name: str) -> Table:
    """The table of a versioned table's superseded rows, clustered like `PLUGIN_DATA_OLD`."""
    keys = [column.name for column in current.primary_key]
    return _table(
        name,
        _session_id(),
        _number("valid_to", primary_key=True),
        *[
            Column(
                column.name,
                column.type,
                nullable=column.nullable,
                primary_key=column.name in keys,
                autoincrement=False,
            )
            for column in current.c
            if column.name != "session_id"
        ],
    )


# Rows that a snapshot shows as they were: `revision` is the revision that wrote the row, and the
# twin holds superseded rows, true for revisions `revision <= r < valid_to` (spec/decisions.md 6).

CHARACTERS = _table(
    "characters",
    _session_id(),
    _key("character_id"),
    _number("revision"),
    _text("record"),
)
CHARACTERS_OLD = _twin(CHARACTERS, "characters_old")

CHARACTER_SCHEMAS = _table(
    "character_schemas",
    _session_id(),
    _number("revision"),
    _text("record"),
)
CHARACTER_SCHEMAS_OLD = _twin(CHARACTER_SCHEMAS, "character_schemas_old")

DIMENSIONS = _table(
    "dimensions",
    _session_id(),
    _key("dimension_id"),
    _number("revision"),
    _text("plugin_id"),
    _number("version"),
    _text("definition"),
    _text("value"),
    _text_or_null("last_source"),
)
"""Definition and value share one version; `plugin_id` is the provider that wrote them."""
DIMENSIONS_OLD = _twin(DIMENSIONS, "dimensions_old")

DIMENSION_SETTLEMENTS = _table(
    "dimension_settlements",
    _session_id(),
    _key("result_id"),
    _number("revision"),
    _text("plugin_id"),
    _number("turn_number"),
    _text("source_turn_id"),
    _number("version"),
    _text("status"),
    _text_or_null("frozen"),
)
"""What a narrative owes; `frozen` has definitions and read versions while it is pending."""
DIMENSION_SETTLEMENTS_OLD = _twin(DIMENSION_SETTLEMENTS, "dimension_settlements_old")

LOREBOOK_ENTRIES = _table(
    "lorebook_entries",
    _session_id(),
    _key("owner_kind"),
    _key("owner_plugin_id"),
    _key("entry_id"),
    _number("revision"),
    _text("entry"),
    _text("created_at"),
    _text("updated_at"),
)
"""Equal IDs of different owners are different entries; `owner_plugin_id` is '' but for plugins."""
LOREBOOK_ENTRIES_OLD = _twin(LOREBOOK_ENTRIES, "lorebook_entries_old")


def _appended(name: str, *items: SchemaItem) -> Table:
    """Rows that are only ever added, in the session's order; `revision` says since when."""
    return _table(
        name,
        _session_id(),
        _number("sequence", primary_key=True),
        _number("revision"),
        _text("turn_id"),
        _text("plugin_id"),
        _text("runtime_id"),
        _text("proposal_id"),
        *items,
        _text("created_at"),
        Index(f"{name}_by_turn", "session_id", "turn_id"),
    )


INTERACTIONS = _appended(
    "interactions",
    _text("interaction_id"),
    _text("interaction"),
)
"""What the player was asked; a later row of the same turn and interaction takes its place."""

UI_BLOCKS = _appended(
    "ui_blocks",
    _text("block_id"),
    _number("after_message"),
    _text("render"),
)
"""Interface blocks of the conversation; `after_message` is the sequence they stand behind."""

EVENTS = _appended(
    "events",
    _text("topic"),
    _text("data"),
)

GENERATED_ASSETS = _appended(
    "generated_assets",
    _text("media_id"),
    _text("modality"),
    _text_or_null("meta"),
)

APPENDED_TABLES = (INTERACTIONS, UI_BLOCKS, EVENTS, GENERATED_ASSETS)
"""Every table of `appended_rows`: what a fork copies up to its revision, like messages."""

MEDIA_ASSETS = _table(
    "media_assets",
    _key("media_id"),
    _text("mime"),
    _number("size_bytes"),
    _text("meta"),
    Column(
        "owner_session_id",
        Text,
        ForeignKey("sessions.session_id", ondelete="SET NULL"),
        nullable=True,
    ),
    _text_or_null("owner_plugin_id"),
    _text("created_at"),
    Index("media_assets_by_owner", "owner_session_id"),
)
"""What is known of each stored file; the bytes lie in the media folder (spec/media.md 2)."""

MEDIA_REFS = _table(
    "media_refs",
    _session_id(),
    Column(
        "media_id",
        Text,
        ForeignKey("media_assets.media_id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    ),
    _text_or_null("plugin_id"),
    _text("created_at"),
    Index("media_refs_by_asset", "media_id"),
)
"""Which sessions may use an asset they do not own."""
