"""The tables of memory: summaries of old history, and vectors made of what is searched."""

from sqlalchemy import Column, Index, LargeBinary

from covel_host.store._table_parts import key, number, session_id, table, text, twin

HISTORY_SUMMARIES = table(
    "history_summaries",
    session_id(),
    key("summary_id"),
    number("revision"),
    text("record"),
    Index("history_summaries_by_revision", "session_id", "revision"),
)
"""What stands for old messages; they stay stored (spec/memory.md 7)."""
HISTORY_SUMMARIES_OLD = twin(HISTORY_SUMMARIES, "history_summaries_old")

MEMORY_VECTOR_MODELS = table(
    "memory_vector_models",
    session_id(),
    text("identity"),
    number("dimensions"),
)
"""The one model whose vectors a session holds; a fork starts without (spec/memory.md 5)."""

MEMORY_VECTORS = table(
    "memory_vectors",
    session_id(),
    Column("digest", LargeBinary, primary_key=True, nullable=False),
    Column("sketch", LargeBinary, nullable=False),
    Column("vector", LargeBinary, nullable=False),
)
"""Vectors by the digest of their text; both are empty for a text that the model rejects."""
