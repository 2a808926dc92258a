"""The suspensions of a session: what is kept of them, and what a commit does with them.

Rows enter and end with the commit of the execution that makes or ends them (spec/execution.md 10).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from covel_host.proposals.plan import CommitProgress, DroppedRun, HostWrites
from covel_host.proposals.stale_reads import stale_reads
from covel_host.runtime.suspension import SuspendedRun
from covel_host.store.suspensions import (
    SuspensionRecord,
    end_suspensions,
    pending_suspensions,
    put_suspension,
)
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRun
from covel_host.turn.schedule_setup_records import UNVERSIONED
from covel_host.turn.suspension_targets import target_versions
from plugin_sdk.values import JsonObject

READS_STALE: Final = "suspension-stale"


def suspension_writes(
    facts: ExecutionFacts,
    runs: Sequence[FinishedRun],
    *,
    new_id: Callable[[str], str],
    at: datetime,
) -> "SuspensionWrites":
    """What the commit of an execution does with suspensions; see `SuspensionWrites.write`."""
    waiting = tuple(
        _Waiting(new_id("suspension"), run, run.result.suspension)
        for run in runs
        if run.result.suspension is not None
    )
    return SuspensionWrites(facts, waiting, has_story=any(run.is_told_story for run in runs), at=at)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """One suspended run and the ID under which it waits."""

    suspension_id: str
    run: FinishedRun
    suspended: SuspendedRun


@dataclass(frozen=True, slots=True)
class SuspensionWrites:
    """The suspensions that an execution leaves, and those that it ends."""

    _facts: ExecutionFacts
    _waiting: tuple[_Waiting, ...]
    has_story: bool
    at: datetime

    def write(self, transaction: Transaction, progress: CommitProgress) -> HostWrites:
        """Store what waits from now on.

        The one that was gone on from is resolved. A runtime waits once, and once the player has
        played on nothing older does: those are voided. An auxiliary run whose reads no longer hold
        beside what was committed is dropped in place of waiting (spec/transactions.md 5.1).
        """
        facts, revision = self._facts, progress.revision
        before = pending_suspensions(transaction, facts.session.session_id)
        resumed = facts.continued
        if resumed is not None:
            end_suspensions(transaction, [resumed.record], "resolved", revision=revision)
        lost = tuple(one for one in self._waiting if self._is_stale(transaction, one))
        # A runtime waits once: the last of its runs.
        kept = {one.run.runtime.runtime_id: one for one in self._waiting if one not in lost}
        plays_on = facts.origin in ("player", "continuation")
        end_suspensions(
            transaction,
            (
                one
                for one in before
                if (plays_on or one.runtime_id in kept)
                and (resumed is None or one.suspension_id != resumed.record.suspension_id)
            ),
            "voided",
            revision=revision,
        )
        for one in kept.values():
            put_suspension(transaction, self._record(transaction, one), revision=revision)
        return HostWrites(
            dropped=tuple(_dropped(one) for one in lost),
            events=tuple(self._event(one) for one in kept.values()),
            holds_turn_open=bool(kept),
        )

    def _is_stale(self, transaction: Transaction, one: _Waiting) -> bool:
        is_auxiliary = self.has_story and not one.run.runtime.declaration.is_story
        reads = one.suspended.scene.reads
        return is_auxiliary and bool(
            stale_reads(transaction, self._facts.session.session_id, reads)
        )

    def _record(self, transaction: Transaction, one: _Waiting) -> SuspensionRecord:
        facts, suspended = self._facts, one.suspended
        session_id = facts.session.session_id
        described: JsonObject = {
            "reason": suspended.reason,
            "resumeSchema": suspended.resume_schema,
            "locale": suspended.scene.locale,
            "turnNumber": suspended.scene.turn_number,
            "logicalTurn": suspended.scene.logical_turn,
            "logicalTurnId": facts.logical_turn_id,
            "countsTurn": facts.counts_turn,
            "pluginVersion": one.run.runtime.version or UNVERSIONED,
            "targets": target_versions(transaction, session_id, suspended.scene.proposals),
        }
        return SuspensionRecord(
            session_id=session_id,
            suspension_id=one.suspension_id,
            plugin_id=one.run.runtime.plugin_id,
            runtime_id=one.run.runtime.runtime_id,
            turn_id=facts.turn_id,
            created_at=self.at,
            facts=described,
            scene=suspended.scene.to_json(),
        )

    def _event(self, one: _Waiting) -> SessionEvent:
        return SessionEvent(
            type="turn.suspended",
            session_id=self._facts.session.session_id,
            turn_id=self._facts.turn_id,
            payload={
                "sessionId": self._facts.session.session_id,
                "turnId": self._facts.turn_id,
                "suspensionId": one.suspension_id,
                "reason": one.suspended.reason,
                "resumeSchema": one.suspended.resume_schema,
            },
        )


def _dropped(one: _Waiting) -> DroppedRun:
    return DroppedRun(
        run_id=one.run.result.run_id,
        runtime_id=one.run.runtime.runtime_id,
        code=READS_STALE,
        message="What it had read was changed by the execution that it is part of, so it does not "
        "wait.",
    )
