"""Rows of the vectors that memory search keeps for a session (spec/memory.md 5).

They are no part of a session's revisions: they can always be made again from the texts, so a fork
starts without and a snapshot knows nothing of them. They go with their session.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from covel_host.store._memory_tables import MEMORY_VECTOR_MODELS, MEMORY_VECTORS
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.sessions import get_session
from covel_host.store.statements import Statement
from covel_host.store.transaction import Reading, Transaction

_MODEL_OF = Statement(
    select(MEMORY_VECTOR_MODELS.c.identity, MEMORY_VECTOR_MODELS.c.dimensions).where(
        MEMORY_VECTOR_MODELS.c.session_id == bindparam("session_id")
    )
)
_LOCK = Statement(insert(MEMORY_VECTOR_MODELS))
_PUT = Statement(insert(MEMORY_VECTORS).on_conflict_do_nothing())
_OF_SESSION = MEMORY_VECTORS.c.session_id == bindparam("session_id")
_IS_ROW = (_OF_SESSION, MEMORY_VECTORS.c.digest == bindparam("digest"))
_GET = Statement(select(MEMORY_VECTORS.c.vector).where(*_IS_ROW))
_DELETE = Statement(delete(MEMORY_VECTORS).where(*_IS_ROW))
_SKETCHES = Statement(
    select(MEMORY_VECTORS.c.digest, MEMORY_VECTORS.c.sketch)
    .where(_OF_SESSION, MEMORY_VECTORS.c.digest > bindparam("after"))
    .order_by(MEMORY_VECTORS.c.digest)
    .limit(bindparam("limit"))
)


@dataclass(frozen=True, slots=True)
class VectorModel:
    """The model whose vectors a session holds, and how many numbers each has."""

    identity: str
    dimensions: int


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A vector and its sketch, by the digest of the text; both empty for a rejected text."""

    digest: bytes
    sketch: bytes
    vector: bytes


def vector_model(reading: Reading, session_id: str) -> VectorModel | None:
    """The session's model, None before its first vector."""
    row = reading.row(_MODEL_OF, {"session_id": session_id})
    return None if row is None else VectorModel(row[0], row[1])


def vector_sketches(reading: Reading, session_id: str) -> Iterator[tuple[bytes, bytes]]:
    """Digest and sketch of every vector of a session, read page by page."""
    after = b""
    while True:
        rows = reading.rows(
            _SKETCHES, {"session_id": session_id, "after": after, "limit": MAX_LIMIT}
        )
        yield from ((row[0], row[1]) for row in rows)
        if len(rows) < MAX_LIMIT:
            return
        after = rows[-1][0]


def get_vector(reading: Reading, session_id: str, digest: bytes) -> bytes | None:
    """The vector of a text, None without one."""
    row = reading.row(_GET, {"session_id": session_id, "digest": digest})
    return None if row is None else row[0]


def put_vectors(
    transaction: Transaction,
    session_id: str,
    incarnation: str,
    model: VectorModel,
    rows: Sequence[VectorRow],
) -> bool:
    """Keep vectors of the session's model, which the first ones lock.

    False, with nothing written, when the session is gone or another one, or holds vectors of
    another model: vectors of different models do not compare.
    """
    session = get_session(transaction, session_id)
    if session is None or session.incarnation != incarnation:
        return False
    locked = vector_model(transaction, session_id)
    if locked is None:
        transaction.run(
            _LOCK,
            {
                "session_id": session_id,
                "identity": model.identity,
                "dimensions": model.dimensions,
            },
        )
    elif locked != model:
        return False
    transaction.run_many(
        _PUT,
        [
            {
                "session_id": session_id,
                "digest": row.digest,
                "sketch": row.sketch,
                "vector": row.vector,
            }
            for row in rows
        ],
    )
    return True


def delete_vectors(transaction: Transaction, session_id: str, digests: Iterable[bytes]) -> None:
    """Let go of vectors whose texts are not searched any more."""
    transaction.run_many(
        _DELETE, [{"session_id": session_id, "digest": digest} for digest in digests]
    )
