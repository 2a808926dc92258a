"""Packing, sketches and the nearest of many vectors."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.memory.vectors import EXACT_NUMBERS, nearest, packed, sketch_of, unit, unpacked

NUMBERS = st.floats(-10, 10, allow_nan=False)


@given(st.lists(NUMBERS, min_size=1, max_size=30))
def test_a_packed_vector_keeps_its_direction(vector: list[float]) -> None:
    direction = unit(vector)
    if direction is None:
        assert not any(vector) or math.hypot(*vector) == 0
        return
    again = unpacked(packed(direction))
    assert sum(a * b for a, b in zip(direction, again, strict=True)) == pytest.approx(1, abs=2e-3)


def test_a_vector_without_direction_is_none() -> None:
    assert unit([0.0, 0.0]) is None
    assert unit([1.7e308, 1.7e308]) is None
    assert unit([3.0, 4.0]) == (0.6, 0.8)


def test_a_sketch_is_never_zero_and_keeps_its_length() -> None:
    assert sketch_of((-1.0, -1.0)) == 0b100
    assert sketch_of((1.0, -1.0)) == 0b110


def directions(number: int, length: int, seed: int) -> dict[bytes, tuple[float, ...]]:
    source = random.Random(seed)
    found = {}
    for place in range(number):
        direction = unit([source.gauss(0, 1) for _ in range(length)])
        assert direction is not None
        found[place.to_bytes(4)] = direction
    return found


def plain(
    query: tuple[float, ...], vectors: dict[bytes, tuple[float, ...]], limit: int
) -> list[bytes]:
    scores = {
        digest: sum(a * b for a, b in zip(query, unpacked(packed(vector)), strict=True))
        for digest, vector in vectors.items()
    }
    ranked = sorted(vectors, key=lambda digest: -scores[digest])
    return [digest for digest in ranked if scores[digest] > 0][:limit]


def found(
    query: tuple[float, ...], vectors: dict[bytes, tuple[float, ...]], limit: int
) -> list[bytes]:
    sketches = {digest: sketch_of(vector) for digest, vector in vectors.items()}
    stored = {digest: packed(vector) for digest, vector in vectors.items()}
    return [digest for digest, _ in nearest(query, sketches, vectors, read=stored.get, limit=limit)]


def test_few_vectors_are_ranked_exactly() -> None:
    vectors = directions(300, 16, seed=1)
    for query in directions(5, 16, seed=2).values():
        assert found(query, vectors, 20) == plain(query, vectors, 20)


def test_of_many_vectors_the_near_ones_are_found() -> None:
    length = 512
    vectors = directions(2 * EXACT_NUMBERS // length, length, seed=3)
    source = random.Random(4)
    for wanted in list(vectors)[::97]:
        near = unit([number + source.gauss(0, 0.04) for number in vectors[wanted]])
        assert near is not None
        assert found(near, vectors, 3)[0] == wanted


def test_vectors_of_another_length_or_gone_are_left_out() -> None:
    query = (1.0, 0.0)
    stored = {b"a": packed((1.0, 0.0, 0.0)), b"b": packed((0.6, 0.8))}
    sketches = dict.fromkeys((b"a", b"b", b"c"), 0b110)
    ranked = nearest(query, sketches, sketches, read=stored.get, limit=5)
    assert [digest for digest, _ in ranked] == [b"b"]
