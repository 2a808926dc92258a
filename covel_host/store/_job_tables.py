"""The table of jobs: no snapshot and no fork carries it (spec/transactions.md 10.1)."""

from sqlalchemy import Index
from sqlalchemy import text as sql_text

from covel_host.store._table_parts import (
    number,
    session_id,
    table,
    text,
    text_or_null,
)

JOBS = table(
    "jobs",
    session_id(),
    number("sequence", primary_key=True),
    text("job_id"),
    text("plugin_id"),
    text("runtime_id"),
    text("activation"),
    text("state"),
    text("source_turn_id"),
    text("created_at"),
    text_or_null("queue_until"),
    text_or_null("claimed_at"),
    text_or_null("finished_at"),
    text_or_null("lease_owner"),
    text_or_null("lease_until"),
    text_or_null("turn_id"),
    text("facts"),
    text("input"),
    text_or_null("failure"),
    Index("jobs_by_id", "session_id", "job_id", unique=True),
    Index(
        "jobs_open",
        "session_id",
        "sequence",
        sqlite_where=sql_text("finished_at IS NULL"),
    ),
)
