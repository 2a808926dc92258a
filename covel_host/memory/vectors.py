"""Arithmetic of vectors: packed for the store, sketched for memory, compared; pure.

A sketch is one bit for each number of a vector: whether it is positive. Vectors that point the same
way differ in few bits, so sketches choose the vectors that are read and compared exactly.
"""

import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from heapq import nsmallest
from operator import mul
from typing import Final, TypeAlias

Unit: TypeAlias = tuple[float, ...]
"""A vector of length 1, so that a product of two is their cosine."""

EXACT_NUMBERS: Final = 200_000
"""Numbers that one search multiplies: about 6 ms. Up to there no vector is left out unread."""

_FEWEST_EXACT = 100


def unit(vector: Sequence[float]) -> Unit | None:
    """The direction of a vector; None where it has none."""
    size = math.hypot(*vector)
    return tuple(number / size for number in vector) if size and math.isfinite(size) else None


def packed(vector: Unit) -> bytes:
    """A vector as half-precision numbers."""
    return struct.pack(f"<{len(vector)}e", *vector)


def unpacked(data: bytes) -> Unit:
    """The vector of `packed`."""
    return struct.unpack(f"<{len(data) // 2}e", data)


def sketch_of(vector: Unit) -> int:
    """One bit for each number, with a leading one, so that none of them is 0."""
    return int("1" + "".join("1" if number > 0 else "0" for number in vector), 2)


def nearest(
    query: Unit,
    sketches: Mapping[bytes, int],
    among: Iterable[bytes],
    *,
    read: Callable[[bytes], bytes | None],
    limit: int,
) -> list[tuple[bytes, float]]:
    """The digests whose vectors point most like `query`, with the cosine; none without likeness.

    Equal ones stand in the order of `among`. `read` gives the packed vector of a digest. Beyond
    `EXACT_NUMBERS` those are compared whose sketches are nearest.
    """
    digests = list(among)
    compared = max(_FEWEST_EXACT, EXACT_NUMBERS // len(query))
    if len(digests) > compared:
        own = sketch_of(query)
        digests = nsmallest(
            compared, digests, key=lambda digest: (sketches[digest] ^ own).bit_count()
        )
    found = []
    for place, digest in enumerate(digests):
        data = read(digest)
        if data is not None and len(data) == 2 * len(query):
            found.append((-sum(map(mul, query, unpacked(data))), place, digest))
    return [(digest, -score) for score, _, digest in nsmallest(limit, found) if score < 0]
