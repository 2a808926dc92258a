"""What one compaction summarises: how many messages, and which old summaries become one."""

from dataclasses import dataclass

from plugin_sdk import CompactionMessage, CompactionQuery, ExistingSummary

PROMPT_TOKENS = 1_000
"""Room for the instructions of a request, on the high side."""
MIN_TOKENS = 64
"""A summary with less room than that says nothing."""


@dataclass(frozen=True)
class Plan:
    """The oldest messages for one summary and the oldest summaries for another; either may be none.

    Budgets are tokens of what is written.
    """

    messages: tuple[CompactionMessage, ...]
    message_budget: int
    merged: tuple[ExistingSummary, ...]
    merge_budget: int


def plan(query: CompactionQuery) -> Plan:
    """As many of the oldest messages as one request holds; old summaries make room for theirs.

    A message that is larger than a request stays as it is, and with it what lies behind it.
    """
    limits = query.summary_budget
    room = query.input_window - PROMPT_TOKENS - limits.max_segment_tokens
    messages: list[CompactionMessage] = []
    for message in query.messages:
        room -= message.tokens
        if room < 0:
            break
        messages.append(message)
    source = sum(message.tokens for message in messages)
    budget = min(limits.max_segment_tokens, source // 2)
    if budget < MIN_TOKENS:
        return Plan((), 0, (), 0)
    old = query.existing_summaries
    for count in (0, *range(2, len(old) + 1)):
        kept = sum(summary.tokens for summary in old[count:])
        number = len(old) - count + (2 if count else 1)
        merge_budget = min(limits.max_segment_tokens, limits.max_tokens - kept - budget)
        if number <= limits.max_segments and (
            merge_budget >= MIN_TOKENS if count else kept + budget <= limits.max_tokens
        ):
            return Plan(tuple(messages), budget, tuple(old[:count]), merge_budget if count else 0)
    # A small window: the old and the new share it.
    half = limits.max_tokens // 2
    if half < MIN_TOKENS or limits.max_segments < 2:
        return Plan((), 0, (), 0)
    return Plan(tuple(messages), min(budget, half), tuple(old), half)
