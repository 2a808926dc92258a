"""The tables as SQLAlchemy Core sees them; `migrations/` makes them, a test keeps both equal.

Conventions: times are ISO 8601 texts in UTC with microseconds, so that text order is time order;
JSON values are texts written by `base.json_text`; order is by Unicode code point, which is the
byte order of UTF-8 (spec/storage.md 1.1). Tables are clustered by their primary key, since every
read names the session first.
"""

from sqlalchemy import Column, ForeignKey, Index, Text, UniqueConstraint

from covel_host.store._table_parts import (
    METADATA as METADATA,
)
from covel_host.store._table_parts import (
    appended,
    key,
    number,
    number_or_null,
    of_turn,
    session_id,
    table,
    text,
    text_or_null,
    twin,
)

SESSIONS = table(
    "sessions",
    key("session_id"),
    text("incarnation"),
    text_or_null("world_id"),
    text("status"),
    text("phase"),
    number("completed_player_turns"),
    number("revision"),
    text("locale"),
    text("active_packages"),
    text("metadata"),
    text("created_at"),
    text("updated_at"),
    Index("sessions_by_update", "updated_at", "session_id"),
)

SESSION_REVISIONS = table(
    "session_revisions",
    session_id(),
    number("revision", primary_key=True),
    text_or_null("turn_id"),
    text("committed_at"),
    text("state"),
)
"""One row per commit: the session's clock as that revision left it, so a snapshot is a revision."""

SNAPSHOTS = table(
    "snapshots",
    session_id(),
    number("revision", primary_key=True),
    key("snapshot_id"),
    text("kind"),
    number("completed_player_turns"),
    text_or_null("parent_id"),
    text("created_at"),
    UniqueConstraint("snapshot_id", name="snapshots_by_id"),
)
"""The revisions that are kept readable. Clustered by revision: pruning asks for the neighbours."""

TURNS = table(
    "turns",
    session_id(),
    key("turn_id"),
    number("sequence"),
    text_or_null("parent_turn_id"),
    text("origin"),
    text("logical_turn_id"),
    number("logical_turn"),
    text("commit_status"),
    number_or_null("revision"),
    text("results"),
    text_or_null("failure"),
    text("started_at"),
    text_or_null("finished_at"),
    number_or_null("duration_ms"),
    UniqueConstraint("session_id", "sequence", name="turns_by_sequence"),
)

LOGICAL_TURNS = table(
    "logical_turns",
    session_id(),
    key("logical_turn_id"),
    text("turn_id"),
    number("revision"),
)
"""The ledger that lets several executions of one logical turn count once."""

MESSAGES = table(
    "messages",
    session_id(),
    number("sequence", primary_key=True),
    text("message_id"),
    text("turn_id"),
    number("revision"),
    text("source"),
    text("role"),
    text_or_null("kind"),
    text("content"),
    text_or_null("plugin_id"),
    text_or_null("runtime_id"),
    text("data"),
    text("created_at"),
    UniqueConstraint("message_id", name="messages_by_id"),
    Index("messages_by_turn", "session_id", "turn_id"),
)

POSTED_MESSAGES = table(
    "posted_messages",
    key("message_id"),
    session_id(primary_key=False),
    text("content"),
    text("created_at"),
    Index("posted_messages_by_session", "session_id"),
)
"""What a player posted and no turn has committed yet; the commit that answers it adopts it."""

TOOL_CALLS = table(
    "tool_calls",
    session_id(),
    key("turn_id"),
    number("position", primary_key=True),
    text("call_id"),
    text_or_null("run_id"),
    text("plugin_id"),
    text("runtime_id"),
    text("tool_name"),
    text("status"),
    text("arguments"),
    text_or_null("result"),
    text_or_null("error"),
    text_or_null("approval"),
    text("started_at"),
    number("duration_ms"),
    of_turn(),
)

TRACE_EVENTS = table(
    "trace_events",
    session_id(),
    key("turn_id"),
    number("position", primary_key=True),
    text("type"),
    text("at"),
    text_or_null("run_id"),
    text_or_null("parent_id"),
    text("data"),
    of_turn(),
)

PLUGIN_DATA = table(
    "plugin_data",
    session_id(),
    key("plugin_id"),
    key("namespace"),
    key("key"),
    number("version"),
    text("value"),
    text("created_at"),
    text("updated_at"),
    Index("plugin_data_by_version", "session_id", "plugin_id", "namespace", "version"),
)
"""The current rows; `version` is the revision that wrote the row (spec/decisions.md 6)."""

PLUGIN_DATA_OLD = table(
    "plugin_data_old",
    session_id(),
    number("valid_to", primary_key=True),
    key("plugin_id"),
    key("namespace"),
    key("key"),
    number("version"),
    text("value"),
    text("created_at"),
    text("updated_at"),
)
"""Superseded rows, true for revisions `version <= r < valid_to`. Clustered by `valid_to`: a commit
appends at the end, pruning deletes a range, and reading a revision costs what changed since."""


# Rows that a snapshot shows as they were: `revision` is the revision that wrote the row, and the
# twin holds superseded rows, true for revisions `revision <= r < valid_to` (spec/decisions.md 6).

CHARACTERS = table(
    "characters",
    session_id(),
    key("character_id"),
    number("revision"),
    text("record"),
    Index("characters_by_revision", "session_id", "revision"),
)
CHARACTERS_OLD = twin(CHARACTERS, "characters_old")

CHARACTER_SCHEMAS = table(
    "character_schemas",
    session_id(),
    number("revision"),
    text("record"),
)
CHARACTER_SCHEMAS_OLD = twin(CHARACTER_SCHEMAS, "character_schemas_old")

DIMENSIONS = table(
    "dimensions",
    session_id(),
    key("dimension_id"),
    number("revision"),
    text("plugin_id"),
    number("version"),
    text("definition"),
    text("value"),
    text_or_null("last_source"),
)
"""Definition and value share one version; `plugin_id` is the provider that wrote them."""
DIMENSIONS_OLD = twin(DIMENSIONS, "dimensions_old")

DIMENSION_SETTLEMENTS = table(
    "dimension_settlements",
    session_id(),
    key("result_id"),
    number("revision"),
    text("plugin_id"),
    number("turn_number"),
    text("source_turn_id"),
    number("version"),
    text("status"),
    text_or_null("frozen"),
)
"""What a narrative owes; `frozen` has definitions and read versions while it is pending."""
DIMENSION_SETTLEMENTS_OLD = twin(DIMENSION_SETTLEMENTS, "dimension_settlements_old")

LOREBOOK_ENTRIES = table(
    "lorebook_entries",
    session_id(),
    key("owner_kind"),
    key("owner_plugin_id"),
    key("entry_id"),
    number("revision"),
    text("entry"),
    text("created_at"),
    text("updated_at"),
    Index("lorebook_entries_by_revision", "session_id", "revision"),
)
"""Equal IDs of different owners are different entries; `owner_plugin_id` is '' but for plugins."""
LOREBOOK_ENTRIES_OLD = twin(LOREBOOK_ENTRIES, "lorebook_entries_old")

REMOVED_ROWS = table(
    "removed_rows",
    session_id(),
    key("table_name"),
    key("row_key"),
    number("revision"),
    Index("removed_rows_by_revision", "session_id", "revision"),
)
"""Which rows of versioned tables were deleted, and by which revision; see `changed_rows`.

One row for each key that was ever deleted; the key may be in use again."""

RUNTIME_EXPORTS = table(
    "runtime_exports",
    session_id(),
    key("producer_id"),
    key("name"),
    number("revision"),
    number("number"),
    text("turn_id"),
    text("run_id"),
    text("value"),
    text("created_at"),
)
"""The newest export of each producer and name; `number` counts its exports, from 1."""
RUNTIME_EXPORTS_OLD = twin(RUNTIME_EXPORTS, "runtime_exports_old")

SEATS = table(
    "seats",
    session_id(),
    key("seat_id"),
    number("revision"),
    text("label"),
    text_or_null("character_id"),
)
"""Who plays which character (spec/decisions.md 4); a session gets its first seat with its first
player character."""
SEATS_OLD = twin(SEATS, "seats_old")


INTERACTIONS = appended(
    "interactions",
    text("interaction_id"),
    text("interaction"),
)
"""What the player was asked; a later row of the same turn and interaction takes its place."""

UI_BLOCKS = appended(
    "ui_blocks",
    text("block_id"),
    number("after_message"),
    text("render"),
)
"""Interface blocks of the conversation; `after_message` is the sequence they stand behind."""

EVENTS = appended(
    "events",
    text("topic"),
    text("data"),
)

GENERATED_ASSETS = appended(
    "generated_assets",
    text("media_id"),
    text("modality"),
    text_or_null("meta"),
)

PLAYER_INPUTS = appended(
    "player_inputs",
    text("input_id"),
    text("interaction_id"),
    text("input_values"),
    text("narrative"),
    UniqueConstraint("session_id", "turn_id", "interaction_id", name="player_inputs_once"),
)
"""Accepted answers; the common columns are those of the question that was answered. One answer
per question, whatever the values (spec/transactions.md 9)."""

APPENDED_TABLES = (INTERACTIONS, UI_BLOCKS, EVENTS, GENERATED_ASSETS, PLAYER_INPUTS)
"""Every table of `appended_rows`: what a fork copies up to its revision, like messages."""

OUTSIDE_INPUTS = table(
    "outside_inputs",
    session_id(),
    number("sequence", primary_key=True),
    text("input_id"),
    text("type"),
    text("source"),
    text("channel"),
    text_or_null("plugin_id"),
    text("target"),
    text("payload"),
    text("metadata"),
    text("outcome"),
    text_or_null("result"),
    text_or_null("error"),
    text("started_at"),
    number_or_null("duration_ms"),
    UniqueConstraint("session_id", "input_id", name="outside_inputs_by_id"),
)
"""Audit of what came from outside a turn, such as RPC calls (spec/storage.md 2)."""

SESSION_WORLDS = table(
    "session_worlds",
    session_id(),
    text("record"),
)
"""The world that a session plays in, as it was when the session was made."""

WORLD_IMPORT_LEDGER = table(
    "world_import_ledger",
    session_id(),
    key("target"),
    key("plugin_id"),
    key("namespace"),
    key("key"),
    text("source_world_id"),
    text("source_id"),
    text("source_digest"),
    text("value_hash"),
    text_or_null("schema_ref"),
    number("managed"),
)
"""Where each thing of a session that was imported came from, and the hash it had then."""

MEDIA_ASSETS = table(
    "media_assets",
    key("media_id"),
    text("mime"),
    number("size_bytes"),
    text("meta"),
    Column(
        "owner_session_id",
        Text,
        ForeignKey("sessions.session_id", ondelete="SET NULL"),
        nullable=True,
    ),
    text_or_null("owner_plugin_id"),
    text("created_at"),
    Index("media_assets_by_owner", "owner_session_id"),
)
"""What is known of each stored file; the bytes lie in the media folder (spec/media.md 2)."""

MEDIA_REFS = table(
    "media_refs",
    session_id(),
    Column(
        "media_id",
        Text,
        ForeignKey("media_assets.media_id", ondelete="CASCADE"),
        primary_key=True,
        nullable=False,
    ),
    text_or_null("plugin_id"),
    text("created_at"),
    Index("media_refs_by_asset", "media_id"),
)
"""Which sessions may use an asset they do not own."""
