"""The committed history of a session, as the agents of one execution are shown it.

Read when the first agent needs it, and only as far as it looks back (spec/execution.md 5.2).
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from covel_host.models.messages import AssistantMessage, Message, SystemMessage, UserMessage
from covel_host.proposals.asset_writes import IMAGE
from covel_host.proposals.narrative_writes import NARRATIVE
from covel_host.runtime.prompt_inputs import HistoryRow
from covel_host.store.history_summaries import HistorySummary, every_history_summary
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.messages import newest_messages_after, newest_turns
from covel_host.store.records import MessageRecord, SessionRecord
from covel_host.store.store import Store
from covel_host.store.transaction import Reading

Projection: TypeAlias = Callable[[Sequence[MessageRecord]], Awaitable[Sequence[MessageRecord]]]
"""What extensions make of messages: a copy, nothing of it is stored."""


@dataclass(frozen=True, slots=True)
class ShownHistory:
    """What one agent is shown: summaries, oldest first, then the messages behind them."""

    rows: tuple[HistoryRow, ...] = ()
    summaries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WholeHistory:
    """The history that agents without a window share.

    `records` are the messages that no summary covers, as extensions left them: a summary stands for
    what agents read. `shown` is what they get of it, `number` tells one state from the next.
    """

    records: tuple[MessageRecord, ...]
    summaries: tuple[HistorySummary, ...]
    shown: ShownHistory
    number: int


class SessionHistory:
    """The history of one session at the revision that an execution began with.

    All agents of the execution use one of these, also at once. Agents with a window neither wait
    for a compaction nor see it: what they are shown does not depend on what runs beside them.
    """

    def __init__(self, store: Store, session: SessionRecord) -> None:
        self._store = store
        self.session = session
        self._reading = asyncio.Lock()
        self._summaries: tuple[HistorySummary, ...] | None = None
        self._compacted: tuple[HistorySummary, ...] | None = None
        self._whole: WholeHistory | None = None
        self._number = 0
        self._windows: dict[tuple[int, bool], ShownHistory] = {}

    @property
    def number(self) -> int:
        """Which state the whole history is in; it grows with every change."""
        return self._number

    async def whole(self, project: Projection) -> WholeHistory:
        """Everything: the summaries and at most 10,000 of the messages that none of them covers.

        Raises:
            StoreError: it cannot be read.
        """
        async with self._reading:
            if self._whole is None:
                summaries = self._compacted
                if summaries is None:
                    summaries = await self._frozen_summaries()
                stored = await self._store.read(self._uncovered(covered_through(summaries)))
                records = tuple(await project(stored))
                texts = tuple(summary.content for summary in summaries)
                shown = ShownHistory(tuple(map(_row, records)), texts)
                self._whole = WholeHistory(records, summaries, shown, self._number)
            return self._whole

    async def window(
        self, max_turns: int, project: Projection, *, with_summaries: bool
    ) -> ShownHistory:
        """The newest `max_turns` turns as they were said, summarised meanwhile or not.

        With summaries these come first, and only messages that none of them covers: nothing is told
        twice.

        Raises:
            StoreError: it cannot be read.
        """
        async with self._reading:
            wanted = (max_turns, with_summaries)
            if wanted not in self._windows:
                self._windows[wanted] = await self._window(*wanted, project)
            return self._windows[wanted]

    def use_compacted(self, summaries: Sequence[HistorySummary]) -> None:
        """From now on the whole history begins with those summaries."""
        self._compacted = tuple(summaries)
        self._whole = None
        self._number += 1

    async def _window(
        self, max_turns: int, with_summaries: bool, project: Projection
    ) -> ShownHistory:
        summaries = await self._frozen_summaries() if with_summaries else ()
        texts = tuple(summary.content for summary in summaries)
        if max_turns == 0:
            return ShownHistory((), texts)
        session, after = self.session, covered_through(summaries)
        records = await self._store.read(
            lambda reading: newest_turns(
                reading,
                session.session_id,
                max_turns,
                after=after,
                at_revision=session.revision,
            )
        )
        return ShownHistory(tuple(map(_row, await project(records))), texts)

    async def _frozen_summaries(self) -> tuple[HistorySummary, ...]:
        if self._summaries is None:
            session = self.session
            found = await self._store.read(
                lambda reading: every_history_summary(
                    reading, session.session_id, revision=session.revision
                )
            )
            self._summaries = tuple(sorted(found, key=lambda summary: summary.first))
        return self._summaries

    def _uncovered(self, after: int) -> Callable[[Reading], list[MessageRecord]]:
        session = self.session
        return lambda reading: newest_messages_after(
            reading,
            session.session_id,
            after,
            limit=MAX_LIMIT,
            at_revision=session.revision,
        )


def covered_through(summaries: Sequence[HistorySummary]) -> int:
    """The sequence of the last message that a summary stands for, 0 for none."""
    return max((summary.last for summary in summaries), default=0)


def _row(record: MessageRecord) -> HistoryRow:
    return HistoryRow(
        turn_id=record.turn_id,
        message=_message(record),
        plugin_id=record.plugin_id,
        is_structured=record.source in ("runtime", "tool") and record.kind not in _TOLD,
    )


_TOLD = frozenset({NARRATIVE, IMAGE})
"""Kinds of what a runtime told; anything else of a runtime is data for its own package."""


def _message(record: MessageRecord) -> Message:
    if record.role == "assistant":
        return AssistantMessage(record.content)
    if record.role == "user":
        return UserMessage(record.content)
    return SystemMessage(record.content)
