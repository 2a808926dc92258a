"""What a search gives, and how the hits of both sources are brought into one order."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Final, Literal, TypeAlias, TypeVar

Scope: TypeAlias = Literal["recall", "archival", "all"]
Source: TypeAlias = Literal["recall", "archival"]
HitKind: TypeAlias = Literal["message", "summary", "lorebook", "character", "data"]

Ranked = TypeVar("Ranked")

DEFAULT_HITS: Final = 5
MAX_HITS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHit:
    """One passage that a query found.

    `text` is an excerpt, for `recall` behind the role of who said it. `key` names what an archival
    hit is from, None where it has no readable name. `score` compares within one source of one
    search only. `message_id` tells the messages of a session apart and is shown to nobody; a
    summary of older messages has the role `summary` and none.
    """

    source: Source
    kind: HitKind
    text: str
    score: float
    key: str | None = None
    role: str | None = None
    message_id: str | None = None


def interleaved(
    recall: Sequence[Ranked], archival: Sequence[Ranked], *, limit: int
) -> list[Ranked]:
    """What both sources ranked by rank, recall first on equal rank (seed: 混合结果的顺序).

    Where one source has no more, the other one fills up. Scores play no part.
    """
    pairs = zip_longest(recall, archival)
    return [hit for hit in chain.from_iterable(pairs) if hit is not None][:limit]
