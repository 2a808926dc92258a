"""The tables of a session's world; `tables` has the conventions and all names.

What changes here is shown by snapshots as it was: `revision` is the revision that wrote a row, and
the twin holds superseded rows, true for revisions `revision <= r < valid_to`
(spec/decisions.md 6).
"""

from sqlalchemy import Index

from covel_host.store._table_parts import (
    key,
    number,
    session_id,
    table,
    text,
    text_or_null,
    twin,
)

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
