from hypothesis import given
from hypothesis import strategies as st

from covel_host.memory.hits import MemoryHit, Source, interleaved


def hits(source: Source, count: int) -> list[MemoryHit]:
    return [
        MemoryHit(source=source, kind="message", text=f"{source} {rank}", score=rank)
        for rank in range(count)
    ]


def test_equal_ranks_take_turns_recall_first() -> None:
    merged = interleaved(hits("recall", 2), hits("archival", 2), limit=9)
    assert [hit.text for hit in merged] == ["recall 0", "archival 0", "recall 1", "archival 1"]


@given(st.integers(0, 20), st.integers(0, 20), st.integers(1, 20))
def test_each_source_keeps_its_order_and_the_limit_is_filled(
    recalled: int, archived: int, limit: int
) -> None:
    merged = interleaved(hits("recall", recalled), hits("archival", archived), limit=limit)
    assert len(merged) == min(limit, recalled + archived)
    for source in ("recall", "archival"):
        ranks = [hit.score for hit in merged if hit.source == source]
        assert ranks == list(range(len(ranks)))
