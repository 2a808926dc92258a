"""The tables as SQLAlchemy Core sees them; `migrations/` makes them, a test keeps both equal.

Conventions: times are ISO 8601 texts in UTC with microseconds, so that text order is time order;
JSON values are texts written by `base.json_text`; order is by Unicode code point, which is the
byte order of UTF-8 (spec/storage.md 1.1). Tables are clustered by their primary key, since every
read names the session first.
"""

from sqlalchemy import Column, ForeignKey, Index, Text, UniqueConstraint
from sqlalchemy import text as sql_text

from covel_host.store._job_tables import JOBS as JOBS
from covel_host.store._memory_tables import HISTORY_SUMMARIES as HISTORY_SUMMARIES
from covel_host.store._memory_tables import HISTORY_SUMMARIES_OLD as HISTORY_SUMMARIES_OLD
from covel_host.store._memory_tables import MEMORY_VECTOR_MODELS as MEMORY_VECTOR_MODELS
from covel_host.store._memory_tables import MEMORY_VECTORS as MEMORY_VECTORS
from covel_host.store._recording_tables import RECORDINGS as RECORDINGS
from covel_host.store._suspension_tables import SUSPENSIONS as SUSPENSIONS
from covel_host.store._suspension_tables import SUSPENSIONS_OLD as SUSPENSIONS_OLD
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
from covel_host.store._world_tables import CHARACTER_SCHEMAS as CHARACTER_SCHEMAS
from covel_host.store._world_tables import CHARACTER_SCHEMAS_OLD as CHARACTER_SCHEMAS_OLD
from covel_host.store._world_tables import CHARACTERS as CHARACTERS
from covel_host.store._world_tables import CHARACTERS_OLD as CHARACTERS_OLD
from covel_host.store._world_tables import DIMENSION_SETTLEMENTS as DIMENSION_SETTLEMENTS
from covel_host.store._world_tables import DIMENSION_SETTLEMENTS_OLD as DIMENSION_SETTLEMENTS_OLD
from covel_host.store._world_tables import DIMENSIONS as DIMENSIONS
from covel_host.store._world_tables import DIMENSIONS_OLD as DIMENSIONS_OLD
from covel_host.store._world_tables import LOREBOOK_ENTRIES as LOREBOOK_ENTRIES
from covel_host.store._world_tables import LOREBOOK_ENTRIES_OLD as LOREBOOK_ENTRIES_OLD
from covel_host.store._world_tables import SESSION_WORLDS as SESSION_WORLDS
from covel_host.store._world_tables import WORLD_IMPORT_LEDGER as WORLD_IMPORT_LEDGER

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
    Index(
        "messages_of_players",
        "session_id",
        "source",
        "revision",
        sqlite_where=sql_text("source = 'player'"),
    ),
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

PROMPT_PARTS = table("prompt_parts", session_id(), key("part_id"), text("content"))
"""What the `llm.calling` events of a session name; a part is never changed."""

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
