"""The table of recordings."""

from covel_host.store._table_parts import key, number, session_id, table, text, text_or_null

RECORDINGS = table(
    "recordings",
    session_id(),
    key("turn_id"),
    number("revision"),
    text_or_null("snapshot_id"),
    text("state"),
    text("created_at"),
    number("size_bytes"),
    text_or_null("content"),
)
"""What an execution took from outside; `snapshot_id` keeps the revision that it began with."""
