"""What is told of a compaction: to the trace, and to players when it fails again and again."""

import logging
from collections.abc import Awaitable, Sequence
from functools import partial
from typing import Final, Protocol

from covel_host.runtime.compaction_rules import NewSummary, record_tokens, summary_tokens
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.session_history import WholeHistory
from covel_host.services.extension_directory import OfferedExtension
from covel_host.store.errors import StoreError
from covel_host.store.history_compaction import count_failed_compaction
from covel_host.store.history_summaries import HistorySummary
from covel_host.store.store import Store
from plugin_sdk.values import JsonValue

TOLD_EVERY: Final = 3
"""After so many failures in a row players are told, and again after as many more."""

JOB_ID: Final = "history-compaction"

_LOG = logging.getLogger(__name__)


class Tell(Protocol):
    """Sends one event of the session; `payload` has the camelCase members of its type."""

    def __call__(self, type_name: str, **payload: JsonValue) -> Awaitable[None]: ...


class CompactionTeller:
    """Tells of the one attempt of an execution."""

    def __init__(
        self, store: Store, ports: RunPorts, offered: OfferedExtension, tell: Tell
    ) -> None:
        self._store = store
        self._ports = ports
        self._offered = offered
        self._tell = tell

    def compacted(
        self,
        found: Sequence[NewSummary],
        written: Sequence[HistorySummary],
        history: WholeHistory,
    ) -> None:
        """Tell the trace what became shorter."""
        covered = [
            record
            for record in history.records
            if any(not one.replaces and one.first <= record.sequence <= one.last for one in found)
        ]
        merged = [old for one in found for old in one.replaces]
        before = sum(map(record_tokens, covered))
        before += sum(summary_tokens(old.content) for old in merged)
        tokens = sum(one.tokens for one in found)
        replaced = {old.summary_id for old in merged}
        kept = [old for old in history.summaries if old.summary_id not in replaced]
        self._ports.trace.add(
            "context.compacted",
            summaryId=written[-1].summary_id,
            summaryIds=[one.summary_id for one in written],
            messagesCompacted=len(covered),
            tokenSavings=before - tokens,
            focusSections=sorted({name for one in found for name in one.focus_sections}),
            summariesMerged=len(merged),
            summaryTokens=tokens,
            totalSummaryTokens=tokens + sum(summary_tokens(old.content) for old in kept),
            summaryTruncated=any(one.is_truncated for one in found),
        )

    async def failed(self, run: RuntimeRun, reason: str) -> None:
        """Count the failure and tell of it; every third in a row is told to players as well."""
        at = self._ports.clock.now()
        count = partial(count_failed_compaction, session_id=run.session_id, at=at)
        try:
            in_a_row = await self._store.transaction(count)
        except StoreError:
            _LOG.exception("A failed compaction of %r could not be counted.", run.session_id)
            in_a_row = 1
        plugin_id = self._offered.plugin_id
        self._ports.trace.add(
            "context.compaction.failed",
            pluginId=plugin_id,
            extensionId=self._offered.extension.id,
            reason=reason,
            consecutiveFailures=in_a_row,
        )
        if in_a_row % TOLD_EVERY == 0:
            await self._tell(
                "job-status.updated",
                sessionId=run.session_id,
                progressScopeId=run.turn_id,
                pluginId=plugin_id,
                runtimeId=run.runtime_id,
                jobId=JOB_ID,
                state="failed",
                message=reason,
                sequence=in_a_row,
                createdAt=at.isoformat(),
            )
