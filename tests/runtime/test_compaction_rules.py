"""What may be compacted, how small it must get, and which answers fit."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.runtime.compaction_rules import (
    CompactionBudget,
    CompactionRefused,
    NewSummary,
    accepted,
    compactable,
    compaction_budget,
)
from covel_host.store.history_summaries import HistorySummary
from covel_host.store.records import MessageRecord
from plugin_sdk.extension_points import SummarySegment

AT = datetime(2026, 1, 1, tzinfo=UTC)
BUDGET = CompactionBudget(max_tokens=400, max_segment_tokens=128)


def messages(turns: int, *, per_turn: int = 2) -> list[MessageRecord]:
    return [
        MessageRecord(
            message_id=f"m{turn}-{number}",
            session_id="s",
            turn_id=f"t{turn}",
            revision=1,
            source="runtime" if number else "player",
            role="assistant" if number else "user",
            content="word " * 40,
            created_at=AT,
            sequence=1 + turn * per_turn + number,
        )
        for turn in range(turns)
        for number in range(per_turn)
    ]


def summary(number: int, first: int, last: int, content: str = "Long ago.") -> HistorySummary:
    return HistorySummary(
        session_id="s",
        summary_id=f"old-{number}",
        content=content,
        first=first,
        last=last,
        created_at=AT,
    )


def segment(
    ids: list[str] | None = None, replaces: list[str] | None = None, content: str = "Short.",
    truncated: bool | None = None,
) -> SummarySegment:  # fmt: skip
    return SummarySegment(
        message_ids=ids or [],
        replaces_summary_ids=replaces or [],
        content=content,
        focus_sections=["plot"],
        truncated=truncated,
    )


def found(*segments: SummarySegment, existing: tuple[HistorySummary, ...] = ()) -> list[NewSummary]:
    return accepted(segments, messages=messages(6)[:8], existing=existing, budget=BUDGET)


@pytest.mark.parametrize(
    ("turns", "per_turn", "expected"),
    [(0, 2, 0), (1, 2, 0), (2, 2, 0), (3, 2, 1), (4, 2, 3), (10, 2, 15), (10, 8, 64), (3, 1, 0)],
)
def test_the_last_two_turns_and_five_messages_are_protected(
    turns: int, per_turn: int, expected: int
) -> None:
    assert len(compactable(messages(turns, per_turn=per_turn))) == expected


@pytest.mark.parametrize(
    ("window", "source", "expected"),
    [
        (262_144, 100_000, (8192, 2048)),
        (10_000, 9_000, (1200, 400)),
        (10_000, 800, (1200, 200)),
        (10_000, 0, (1200, 128)),
        (1_000, 900, (128, 128)),
        (100, 90, (100, 100)),
    ],
)
def test_the_budget_follows_the_window_and_what_is_summarised(
    window: int, source: int, expected: tuple[int, int]
) -> None:
    budget = compaction_budget(window_tokens=window, source_tokens=source)
    assert (budget.max_tokens, budget.max_segment_tokens) == expected


def test_segments_cover_a_prefix_without_a_gap() -> None:
    one, two = found(segment(["m0-0", "m0-1"]), segment(["m1-0"]))
    assert (one.first, one.last, two.first, two.last) == (1, 2, 3, 3)
    assert one.focus_sections == ("plot",)
    for wrong in (["m0-1"], ["m0-0", "m1-0"], ["m0-1", "m0-0"], ["m0-0", "m0-0"], ["m9-0"]):
        with pytest.raises(CompactionRefused, match="without a gap"):
            found(segment(wrong))
    with pytest.raises(CompactionRefused, match="without a gap"):
        # Protected messages are not among those that were given.
        found(segment([one.message_id for one in messages(6)]))


def test_a_merge_replaces_the_oldest_and_keeps_their_range() -> None:
    existing = (summary(1, 1, 4), summary(2, 5, 9), summary(3, 10, 12))
    [merged] = found(segment(replaces=["old-1", "old-2"]), existing=existing)
    assert (merged.first, merged.last, [one.summary_id for one in merged.replaces]) == (
        1,
        9,
        ["old-1", "old-2"],
    )
    for wrong in (["old-2"], ["old-1", "old-3"], ["old-2", "old-1"], ["x"]):
        with pytest.raises(CompactionRefused, match="oldest summaries"):
            found(segment(replaces=wrong), existing=existing)


def test_a_segment_is_one_of_both_and_says_something() -> None:
    existing = (summary(1, 1, 4),)
    for wrong in (segment(), segment(["m0-0"], ["old-1"]), segment(["m0-0"], content=" \n")):
        with pytest.raises(CompactionRefused):
            found(wrong, existing=existing)


def test_budgets_of_tokens_and_number_hold() -> None:
    with pytest.raises(CompactionRefused, match="its budget is 128"):
        found(segment(["m0-0", "m0-1"], content="word " * 500))
    with pytest.raises(CompactionRefused, match="saves nothing"):
        found(segment(["m0-0"], content="word " * 60))
    long = tuple(summary(number, number, number, "word " * 90) for number in range(5))
    with pytest.raises(CompactionRefused, match="The summaries would have"):
        found(segment(["m0-0"]), existing=long)
    many = tuple(summary(number, number, number) for number in range(8))
    with pytest.raises(CompactionRefused, match="9 summaries"):
        found(segment(["m0-0"]), existing=many)
    merging = segment(replaces=["old-0", "old-1"])
    assert len(found(merging, segment(["m0-0"]), existing=many)) == 2


def test_what_was_cut_off_is_dropped_with_what_follows_unless_it_fills_its_budget() -> None:
    cut = segment(["m0-0"], truncated=True)
    assert found(cut, segment(["m0-1"])) == []
    assert len(found(segment(["m0-0"]), segment(["m0-1"], truncated=True))) == 1
    full = segment(["m0-0", "m0-1", "m1-0", "m1-1"], content="word " * 110, truncated=True)
    [kept] = found(full)
    assert kept.is_truncated


@given(st.lists(st.integers(1, 3), max_size=4), st.integers(0, 4))
def test_accepted_ranges_never_overlap_and_leave_no_gap(sizes: list[int], merges: int) -> None:
    given_messages = messages(8)[: sum(sizes)]
    existing = tuple(summary(number, -9 + number, -9 + number) for number in range(4))
    segments, ids = [], [one.message_id for one in given_messages]
    for size in sizes:
        taken, ids = ids[:size], ids[size:]
        segments.append(segment(taken))
    if merges:
        segments.append(segment(replaces=[one.summary_id for one in existing[:merges]]))
    accepted_ones = accepted(segments, messages=given_messages, existing=existing, budget=BUDGET)
    fresh = [one for one in accepted_ones if not one.replaces]
    covered = [place for one in fresh for place in range(one.first, one.last + 1)]
    assert covered == list(range(1, sum(sizes) + 1))
