"""What is known of the vectors of one session: which texts have one, and of which model."""

import hashlib

from covel_host.memory.vectors import Unit, nearest
from covel_host.store.memory_vectors import (
    VectorModel,
    VectorRow,
    get_vector,
    vector_model,
    vector_sketches,
)
from covel_host.store.transaction import Reading

EMBEDDED_CHARACTERS = 4_000
"""What of a text its vector is made of; models refuse longer ones."""

_REJECTED = 0


def embedded_part(text: str) -> str:
    """The beginning of a text, in characters that can be sent."""
    return text[:EMBEDDED_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def digest_of(text: str) -> bytes:
    """What a vector is found by: equal texts share one, a changed text has none yet."""
    return hashlib.blake2b(embedded_part(text).encode(), digest_size=16).digest()


class VectorBook:
    """The sketches of a session's vectors; the vectors themselves stay in the store."""

    def __init__(self, identity: str) -> None:
        self._identity = identity
        self._sketches: dict[bytes, int] | None = None
        self._model: VectorModel | None = None

    @property
    def size(self) -> int:
        """What its memory grows with."""
        return 0 if self._sketches is None else 4 * len(self._sketches)

    @property
    def is_locked_out(self) -> bool:
        """Whether the session holds vectors of another model, with which none of ours compares."""
        return self._model is not None and self._model.identity != self._identity

    def load(self, reading: Reading, session_id: str) -> None:
        """Read what the store has, once."""
        if self._sketches is None:
            self._model = vector_model(reading, session_id)
            self._sketches = {}
            if not self.is_locked_out:
                found = vector_sketches(reading, session_id)
                self._sketches = {digest: int.from_bytes(sketch) for digest, sketch in found}

    def learn(self, model: VectorModel, rows: list[VectorRow]) -> None:
        """Take in vectors that were written."""
        self._model = model
        assert self._sketches is not None
        self._sketches.update({row.digest: int.from_bytes(row.sketch) for row in rows})

    def forget(self, digests: list[bytes]) -> None:
        """Let go of vectors that were deleted."""
        assert self._sketches is not None
        for digest in digests:
            self._sketches.pop(digest, None)

    def unused(self, used: set[bytes]) -> list[bytes]:
        """The digests of texts that are not searched any more."""
        return [digest for digest in self._sketches or () if digest not in used]

    def __contains__(self, digest: bytes) -> bool:
        """Whether the text has a vector, or was rejected by the model."""
        return self._sketches is not None and digest in self._sketches

    def nearest(
        self,
        reading: Reading,
        session_id: str,
        query: Unit,
        among: list[bytes],
        *,
        limit: int,
    ) -> list[tuple[bytes, float]]:
        """Those of `among` that point most like `query`, best first, with their cosines."""
        sketches = self._sketches or {}
        return nearest(
            query,
            sketches,
            [digest for digest in among if sketches.get(digest, _REJECTED)],
            read=lambda digest: get_vector(reading, session_id, digest),
            limit=limit,
        )

    def fits(self, query: Unit) -> bool:
        """Whether `query` compares with the session's vectors."""
        model = self._model
        return model is not None and not self.is_locked_out and model.dimensions == len(query)
