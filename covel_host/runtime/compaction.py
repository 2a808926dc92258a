"""History compaction: deciding on it, asking a package for summaries, and storing them.

The first agent of an execution that reads the whole history decides, with its real prompt; the
others wait for it and then read what it left (spec/execution.md 5.2, spec/memory.md 7).
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from covel_host.base.errors import HostError
from covel_host.hooks.hook import HookFacts
from covel_host.models.errors import ModelError
from covel_host.runtime.compaction_attempt import Asking, CompactionAttempt
from covel_host.runtime.compaction_reports import CompactionTeller, Tell
from covel_host.runtime.compaction_rules import NewSummary, compactable
from covel_host.runtime.prompt_budget import TokenBudget, resolve_budget
from covel_host.runtime.run import RunPorts
from covel_host.runtime.session_history import WholeHistory
from covel_host.services.extension_directory import OfferedExtension
from covel_host.services.extension_points import HISTORY_COMPACT
from covel_host.store.history_compaction import (
    HistoryCompaction,
    all_summaries,
    compact_history,
)
from covel_host.store.history_summaries import HistorySummary
from covel_host.store.store import Store
from plugin_sdk.hook_events import CompactionEnd, CompactionStart

_DECIDING_SLOTS: Final = ("story", "fast")
"""The smaller of these models' windows is what the history has to fit in."""


class SessionCompaction:
    """Compacts the history of one session at most once in an execution.

    `new_id` makes IDs of summaries, `tell` sends an event of the session. `window_cap_tokens` can
    only lower the models' windows.
    """

    def __init__(
        self,
        store: Store,
        *,
        new_id: Callable[[], str],
        tell: Tell,
        window_cap_tokens: int | None = None,
    ) -> None:
        self._store = store
        self._new_id = new_id
        self._tell = tell
        self._window_cap_tokens = window_cap_tokens
        self._deciding = asyncio.Lock()
        self._is_decided = False

    async def settled(
        self, asking: Asking, history: WholeHistory, *, prompt_tokens: Callable[[], int]
    ) -> bool:
        """Whether the history is another one than `history` by now; the first caller decides.

        `prompt_tokens` is what the caller's whole request costs. Nothing that goes wrong here keeps
        the run from going on with the history as it is.

        Raises:
            asyncio.CancelledError: the run was cancelled; nobody decides any more.
        """
        shared = asking.ports.history
        assert shared is not None, "the whole history is the session's"
        async with self._deciding:
            if not self._is_decided:
                # Whatever comes of it: an execution tries once.
                self._is_decided = True
                await self._decide(asking, history, prompt_tokens)
        return shared.number != history.number

    async def _decide(
        self, asking: Asking, history: WholeHistory, prompt_tokens: Callable[[], int]
    ) -> None:
        offered = asking.extensions.of(HISTORY_COMPACT)
        if not offered:
            return
        window = self._window(asking.ports)
        messages = compactable(history.records)
        tokens = prompt_tokens()
        if tokens <= window.input_tokens or not (messages or history.summaries):
            return
        ports = asking.ports
        facts = HookFacts(signal=asking.run.signal, trace=ports.trace)
        start = CompactionStart(message_count=len(messages))
        outcome = await ports.hooks.dispatch("pre_compaction", start, facts)
        if outcome.aborted is not None:
            return
        attempt = CompactionAttempt(asking, history, messages, window, tokens)
        summaries = await self._compacted(attempt, offered[0])
        end = CompactionEnd(
            compacted=bool(summaries), summary_id=summaries[-1].summary_id if summaries else None
        )
        await ports.hooks.observe("post_compaction", end, facts)

    def _window(self, ports: RunPorts) -> TokenBudget:
        """The window of the smaller of the two models."""
        return min(
            (self._window_of(ports, name) for name in _DECIDING_SLOTS),
            key=lambda budget: budget.input_tokens,
        )

    def _window_of(self, ports: RunPorts, name: str) -> TokenBudget:
        try:
            slot = ports.gateway.slot_for(name)
        except ModelError:
            slot = None
        window = None if slot is None else slot.context_window
        return resolve_budget(
            context_window_tokens=None if window is None else window.value,
            max_output_tokens=None if slot is None else slot.output_limit(None),
            window_cap_tokens=self._window_cap_tokens,
        )

    async def _compacted(
        self, attempt: CompactionAttempt, offered: OfferedExtension
    ) -> tuple[HistorySummary, ...]:
        """The summaries that were written, none where nothing changed."""
        ended = await attempt.asking.extensions.ask(offered, attempt.query(), attempt.settled)
        teller = CompactionTeller(self._store, attempt.asking.ports, offered, self._tell)
        if ended.failure is not None:
            await teller.failed(attempt.asking.run, ended.failure.message)
            return ()
        if not ended.value:
            return ()
        run, ports = attempt.asking.run, attempt.asking.ports
        written = tuple(self._record(one, run.session_id, ports) for one in ended.value)
        try:
            # What is short and decides is not cut short.
            await ports.tasks.finish(
                self._store_and_use(attempt, written), name=f"compaction of {run.session_id}"
            )
        except HostError as error:
            await teller.failed(run, error.message)
            return ()
        teller.compacted(ended.value, written, attempt.history)
        return written

    async def _store_and_use(
        self, attempt: CompactionAttempt, written: Sequence[HistorySummary]
    ) -> None:
        shared, ports = attempt.asking.ports.history, attempt.asking.ports
        assert shared is not None
        before = attempt.history.summaries
        compaction = HistoryCompaction(
            session_id=shared.session.session_id,
            incarnation=shared.session.incarnation,
            before=before,
            after=all_summaries(before, written),
        )
        write = partial(compact_history, compaction=compaction, at=ports.clock.now())
        await self._store.transaction(write)
        shared.use_compacted(compaction.after)

    def _record(self, summary: NewSummary, session_id: str, ports: RunPorts) -> HistorySummary:
        oldest = summary.replaces[0] if summary.replaces else None
        return HistorySummary(
            session_id=session_id,
            summary_id=self._new_id() if oldest is None else oldest.summary_id,
            content=summary.content,
            first=summary.first,
            last=summary.last,
            created_at=ports.clock.now() if oldest is None else oldest.created_at,
            focus_sections=summary.focus_sections,
            is_truncated=summary.is_truncated,
        )
