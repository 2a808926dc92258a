"""Texts as vectors: what is asked, what comes back, and which model made it (spec/models.md 9)."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeAlias

from covel_host.models.messages import Usage
from covel_host.models.port import PieceSink
from covel_host.models.slots import Slot

Vector: TypeAlias = tuple[float, ...]

OFFLINE_DIMENSIONS: Final = 64


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """The texts of one request, in order."""

    texts: tuple[str, ...]

    @property
    def stream(self) -> bool:
        """Vectors come all at once."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedTexts:
    """One vector for each text, in order, all of one length; see `ModelReply` for the facts."""

    vectors: tuple[Vector, ...]
    usage: Usage = field(default_factory=Usage)
    provider: str = ""
    model: str = ""
    slot: str | None = None
    http_requests: int = 0
    queued_ms: int = 0


def embedding_identity(slot: Slot) -> str:
    """`provider/model#hash`: vectors of equal identities compare with each other.

    The hash covers address, protocol and format of the slot, never its key.
    """
    form = slot.embedding_format.value if slot.embedding_format is not None else "openai"
    place = "\n".join((slot.base_url.value, slot.protocol.value, form))
    digest = hashlib.sha256(place.encode()).hexdigest()[:16]
    return f"{slot.provider.value}/{slot.model.value}#{digest}"


def are_vectors_for(texts: Sequence[str], vectors: Sequence[Vector]) -> bool:
    """Whether there is one usable vector for each text, all of one length."""
    return (
        len(vectors) == len(texts)
        and all(len(one) == len(other) for one, other in pairwise(vectors))
        and all(vector and all(map(_is_finite, vector)) for vector in vectors)
    )


def _is_finite(number: object) -> bool:
    return isinstance(number, (int, float)) and math.isfinite(number)


class OfflineEmbeddings:
    """Vectors without a network: texts that share words are near each other, and nothing more."""

    async def complete(self, request: EmbeddingRequest, *, on_piece: PieceSink) -> EmbeddedTexts:
        """The vectors that the texts themselves determine."""
        vectors = tuple(map(offline_vector, request.texts))
        return EmbeddedTexts(vectors=vectors, provider="offline", model="offline")

    async def aclose(self) -> None:
        """Nothing is held."""


def offline_vector(text: str) -> Vector:
    """A vector of length 1 over the words of `text`; the first axis where there are none."""
    counts = [0.0] * OFFLINE_DIMENSIONS
    for word in text.casefold().split():
        digest = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()
        counts[int.from_bytes(digest[:4]) % OFFLINE_DIMENSIONS] += 1.0
    size = math.hypot(*counts)
    if not size:
        return (1.0, *([0.0] * (OFFLINE_DIMENSIONS - 1)))
    return tuple(count / size for count in counts)
