"""What may be compacted, how small it must get, and which answers fit (spec/transactions.md 10.3).

Pure rules; tokens are the host's estimates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from covel_host.models.request_size import MESSAGE_OVERHEAD_TOKENS
from covel_host.store.history_summaries import HistorySummary
from covel_host.store.records import MessageRecord
from plugin_sdk.rules.tokens import estimate_tokens

if TYPE_CHECKING:
    from plugin_sdk import extension_points as given

MAX_SEGMENTS: Final = 8
PROTECTED_USER_TURNS: Final = 2
PROTECTED_MESSAGES: Final = 5
MIN_TOKENS: Final = 128
_MAX_TOTAL: Final = 8_192
_MAX_SEGMENT: Final = 2_048
_FILLED: Final = 0.9
"""How much of its budget a summary fills that was cut off and is used all the same."""


class CompactionRefused(Exception):
    """An answer that breaks a rule; the text is a full sentence."""


@dataclass(frozen=True, slots=True)
class CompactionBudget:
    """The tokens that summaries may have at most: together, and each."""

    max_tokens: int
    max_segment_tokens: int


@dataclass(frozen=True, slots=True)
class NewSummary:
    """One accepted summary: of messages from `first` to `last`, or in place of the oldest ones."""

    content: str
    first: int
    last: int
    tokens: int
    source_tokens: int
    focus_sections: tuple[str, ...] = ()
    is_truncated: bool = False
    replaces: tuple[HistorySummary, ...] = ()


def compactable(records: Sequence[MessageRecord]) -> Sequence[MessageRecord]:
    """The oldest messages, without the last two turns of players and the last five messages."""
    spoken = [place for place, record in enumerate(records) if record.source == "player"]
    if len(spoken) < PROTECTED_USER_TURNS:
        return ()
    return records[: max(min(spoken[-PROTECTED_USER_TURNS], len(records) - PROTECTED_MESSAGES), 0)]


def compaction_budget(*, window_tokens: int, source_tokens: int) -> CompactionBudget:
    """The budget in a window of that size, for messages that cost `source_tokens`."""
    total = min(max(window_tokens * 12 // 100, MIN_TOKENS), _MAX_TOTAL, window_tokens)
    most = max(min(window_tokens * 4 // 100, _MAX_SEGMENT), MIN_TOKENS)
    segment = max(min(source_tokens * 25 // 100, most), MIN_TOKENS)
    return CompactionBudget(max_tokens=total, max_segment_tokens=min(segment, total))


def record_tokens(record: MessageRecord) -> int:
    """What a stored message costs in a prompt."""
    return MESSAGE_OVERHEAD_TOKENS + estimate_tokens(record.content)


def summary_tokens(content: str) -> int:
    """What a summary costs."""
    return estimate_tokens(content)


def accepted(
    segments: "Sequence[given.SummarySegment]",
    *,
    messages: Sequence[MessageRecord],
    existing: Sequence[HistorySummary],
    budget: CompactionBudget,
) -> list[NewSummary]:
    """The summaries of an answer, in its order; it may be empty.

    Segments of messages cover a prefix of `messages` without a gap, those of summaries the oldest
    of `existing`. One that was cut off is dropped, and with it those behind it, unless it fills its
    budget.

    Raises:
        CompactionRefused: a segment breaks a rule, or all summaries together are over the budget.
    """
    left_messages, left_summaries = list(messages), list(existing)
    found: list[NewSummary] = []
    for segment in segments:
        summary = _summary(segment, left_messages, left_summaries)
        if summary.tokens > 2 * budget.max_segment_tokens:
            raise CompactionRefused(
                f"A summary has about {summary.tokens} tokens; its budget is "
                f"{budget.max_segment_tokens}."
            )
        if not summary.replaces and summary.tokens >= summary.source_tokens:
            raise CompactionRefused(
                f"A summary has about {summary.tokens} tokens and stands for "
                f"{summary.source_tokens}; it saves nothing."
            )
        if summary.is_truncated and summary.tokens < _FILLED * budget.max_segment_tokens:
            break
        found.append(summary)
    total = sum(one.tokens for one in found)
    total += sum(summary_tokens(summary.content) for summary in left_summaries)
    if found and total > budget.max_tokens:
        raise CompactionRefused(
            f"The summaries would have about {total} tokens; their budget is {budget.max_tokens}."
        )
    if len(found) + len(left_summaries) > MAX_SEGMENTS:
        raise CompactionRefused(
            f"There would be {len(found) + len(left_summaries)} summaries; at most "
            f"{MAX_SEGMENTS} are kept."
        )
    return found


def _summary(
    segment: "given.SummarySegment",
    messages: list[MessageRecord],
    summaries: list[HistorySummary],
) -> NewSummary:
    """The segment, what it covers taken off the front of the lists."""
    content = segment.content.strip()
    if not content:
        raise CompactionRefused("A summary says nothing.")
    if bool(segment.message_ids) == bool(segment.replaces_summary_ids):
        raise CompactionRefused("A summary stands for messages or for summaries, one of the two.")
    tokens, replaces = summary_tokens(content), tuple[HistorySummary, ...]()
    if segment.message_ids:
        count = len(segment.message_ids)
        covered = messages[:count]
        if [record.message_id for record in covered] != segment.message_ids:
            raise CompactionRefused(
                "A summary does not cover the oldest messages that were given, in order and "
                "without a gap."
            )
        del messages[:count]
        first, last = covered[0].sequence, covered[-1].sequence
        source = sum(map(record_tokens, covered))
    else:
        count = len(segment.replaces_summary_ids)
        replaces = tuple(summaries[:count])
        if [summary.summary_id for summary in replaces] != segment.replaces_summary_ids:
            raise CompactionRefused(
                "A summary does not replace the oldest summaries, in order and without a gap."
            )
        del summaries[:count]
        first, last = replaces[0].first, replaces[-1].last
        source = sum(summary_tokens(summary.content) for summary in replaces)
    return NewSummary(
        content=content,
        first=first,
        last=last,
        tokens=tokens,
        source_tokens=source,
        focus_sections=tuple(segment.focus_sections),
        is_truncated=segment.truncated is True,
        replaces=replaces,
    )
