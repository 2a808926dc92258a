"""The tables of runs that wait for an answer."""

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

SUSPENSIONS = table(
    "suspensions",
    session_id(),
    key("suspension_id"),
    number("revision"),
    text("state"),
    text("plugin_id"),
    text("runtime_id"),
    text("turn_id"),
    text("created_at"),
    text("facts"),
    text_or_null("scene"),
    Index("suspensions_by_creation", "state", "created_at"),
)
"""`scene` is what a pending one goes on with; it is dropped when nothing can go on any more."""
SUSPENSIONS_OLD = twin(SUSPENSIONS, "suspensions_old")
