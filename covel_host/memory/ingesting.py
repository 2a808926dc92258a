"""Vectors for the texts of a session that have none yet, made beside the searches."""

import asyncio
import logging
from collections.abc import Sequence

from covel_host.memory.embedder import Embedder
from covel_host.memory.session_index import SessionIndex
from covel_host.memory.text_index import EMBEDDED_AT_ONCE
from covel_host.memory.vectors import Unit, packed, sketch_of
from covel_host.models.errors import ModelError
from covel_host.store.memory_vectors import (
    VectorModel,
    VectorRow,
    delete_vectors,
    put_vectors,
)
from covel_host.store.records import SessionRecord
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction

_LOG = logging.getLogger(__name__)

_MOST_REJECTED = 32
"""Rejected texts of one batch from which the model is not to blame but unfit: nothing is kept."""


class Ingestion:
    """Brings the vectors of one session up to what its index has taken in; run once.

    The model is asked outside of every transaction. `turn` guards the index.
    """

    def __init__(
        self,
        *,
        store: Store,
        embedder: Embedder,
        index: SessionIndex,
        session: SessionRecord,
        turn: asyncio.Lock,
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._index = index
        self._session = session
        self._turn = turn

    async def run(self) -> None:
        """Batch by batch until nothing is left; the end of one batch is where the next begins."""
        try:
            while batch := await self._next_batch():
                vectors = await self._embedder.batch([text for _, text in batch])
                if not await self._keep([digest for digest, _ in batch], vectors):
                    return
            await self._tidy()
        except ModelError as error:
            self._embedder.pause(error)

    async def _next_batch(self) -> list[tuple[bytes, str]]:
        def pending(reading: Reading) -> list[tuple[bytes, str]]:
            return self._index.pending(reading, self._session, limit=EMBEDDED_AT_ONCE)

        async with self._turn:
            return await self._store.read(pending)

    async def _keep(self, digests: Sequence[bytes], vectors: Sequence[Unit | None]) -> bool:
        """Whether the vectors were written, and so whether to go on."""
        lengths = {len(vector) for vector in vectors if vector is not None}
        rejected = sum(vector is None for vector in vectors)
        if len(lengths) != 1 or rejected > _MOST_REJECTED:
            _LOG.warning("The embedding model rejects %d of %d texts.", rejected, len(vectors))
            return False
        model = VectorModel(self._embedder.identity, lengths.pop())
        rows = [_row(digest, vector) for digest, vector in zip(digests, vectors, strict=True)]
        session = self._session

        def write(transaction: Transaction) -> bool:
            return put_vectors(transaction, session.session_id, session.incarnation, model, rows)

        async with self._turn:
            is_kept = await self._store.transaction(write)
            if is_kept and (book := self._index.book) is not None:
                book.learn(model, rows)
        return is_kept

    async def _tidy(self) -> None:
        session_id = self._session.session_id
        async with self._turn:
            unused = self._index.unused_vectors()
            if unused:
                await self._store.transaction(lambda t: delete_vectors(t, session_id, unused))
                if (book := self._index.book) is not None:
                    book.forget(unused)


def _row(digest: bytes, vector: Unit | None) -> VectorRow:
    if vector is None:
        return VectorRow(digest, b"", b"")
    sketch = sketch_of(vector)
    return VectorRow(digest, sketch.to_bytes((sketch.bit_length() + 7) // 8), packed(vector))
