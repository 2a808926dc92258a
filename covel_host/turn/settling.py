"""The end of an execution: its commit and what is told of it, or the record of its failure."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from covel_host.proposals.commit import (
    append_trace,
    commit_execution,
    failure_events,
    record_failure,
)
from covel_host.proposals.errors import CommitRefused, FailedProposal
from covel_host.proposals.plan import CommitReport, DroppedRun, ExecutionCommit
from covel_host.runtime.result import RunFailure
from covel_host.store.errors import StoreError
from covel_host.store.package_failures import put_package_failures
from covel_host.store.records import SessionRecord
from covel_host.store.session_clock import write_clock
from covel_host.store.transaction import Transaction
from covel_host.trace.log import TraceLog
from covel_host.turn.announcer import Announcer
from covel_host.turn.clock_changes import attempts_lost
from covel_host.turn.committing import changed_failures, commit_obstacle, execution_commit
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRun, FinishedRuns
from covel_host.turn.hook_calls import TurnHooks
from covel_host.turn.layer_playing import BROKEN
from covel_host.turn.ports import TurnPorts

_LOG = logging.getLogger(__name__)

UNSHOWN_REFUSAL = "A proposal was refused; why is not shown: its runtime is concealed."


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of an execution; `failure` is None exactly when it was committed.

    `session` is the session after the commit. `needs_resync` says that something committed could
    not be told. `defect` is the defect of the host that kept it from being committed; it is to be
    raised once the end was told.
    """

    session: SessionRecord | None = None
    failure: RunFailure | None = None
    needs_resync: bool = False
    defect: Exception | None = None


class Settling:
    """Settles one execution, once; `since_start` gives its milliseconds so far."""

    def __init__(
        self,
        facts: ExecutionFacts,
        finished: FinishedRuns,
        ports: TurnPorts,
        trace: TraceLog,
        announcer: Announcer,
        hooks: TurnHooks,
        *,
        since_start: Callable[[], int],
    ) -> None:
        self._facts = facts
        self._finished = finished
        self._ports = ports
        self._trace = trace
        self._announcer = announcer
        self._hooks = hooks
        self._since_start = since_start

    async def settle(self, ended: RunFailure | None) -> Settled:
        """Commit what the runs did, or keep the failure; events go out after the store knows.

        `ended` is why the execution came to no end of its own: an abort, or the veto of a hook.
        What it tried then counts for nothing.
        """
        if ended is not None:
            await self._keep_failure(ended, is_attempt=False)
            return Settled(failure=ended)
        obstacle = commit_obstacle(self._facts, self._finished.runs)
        if obstacle is not None:
            await self._keep_failure(obstacle)
            return Settled(failure=obstacle)
        commit = self._commit()
        try:
            stored = await self._ports.store.transaction(
                lambda transaction: commit_execution(transaction, commit)
            )
        except CommitRefused as refused:
            return await self._refused(commit, refused)
        except StoreError as error:
            return await self._lost(error)
        except Exception as defect:
            # Whatever it is, nothing was committed: that is kept and told before it is raised.
            await self._keep_failure(BROKEN)
            return Settled(failure=BROKEN, defect=defect)
        return await self._told(commit, stored)

    async def _refused(self, commit: ExecutionCommit, refused: CommitRefused) -> Settled:
        failed = self._shown(refused.failed)
        self._trace_failed(commit, failed)
        is_kept_back = failed != refused.failed
        message = UNSHOWN_REFUSAL if is_kept_back else refused.message
        failure = RunFailure(refused.code, message, None if is_kept_back else refused.hint)
        await self._keep_failure(failure)
        await self._announcer.pass_on(failure_events(commit, failed))
        return Settled(failure=failure)

    async def _lost(self, error: StoreError) -> Settled:
        """The store failed in the commit; it may fail again when it is to keep that."""
        _LOG.error("The commit of %r failed: %s", self._facts.turn_id, error)
        failure = RunFailure(error.code, error.message, error.hint)
        await self._keep_failure(failure)
        return Settled(failure=failure)

    async def _told(self, commit: ExecutionCommit, stored: CommitReport) -> Settled:
        """Tell of a commit. Nothing of it is undone, whatever fails here."""
        failed = self._shown(stored.failed)
        self._trace_failed(commit, failed)
        if self._finished.deferred:
            self._ports.workers.wake()
        problems = await self._announcer.publish(stored.events)
        await self._announcer.pass_on(failure_events(commit, failed))
        if problems:
            self._trace.add(
                "commit.fanout.failed",
                failedCount=len(problems),
                totalCount=len(stored.events),
                errors=problems,
            )
            await self._announcer.tell_reset("publish-failed")
        await self._tell_hooks(commit, stored)
        await self._tell_dropped(stored.dropped)
        self._warn_of_lost_exports(stored)
        await self._keep_late_trace(commit)
        return Settled(session=stored.session, needs_resync=bool(problems))

    async def _tell_hooks(self, commit: ExecutionCommit, stored: CommitReport) -> None:
        dropped = {run.run_id for run in stored.dropped}
        results = {run.result.run_id: run.result for run in self._finished.runs}
        for run in commit.runs:
            if run.run_id not in dropped:
                await self._hooks.committed(
                    results[run.run_id], run.proposals, revision=stored.revision
                )

    async def _tell_dropped(self, dropped: Sequence[DroppedRun]) -> None:
        """A run that was left out of the commit has failed after all (spec/protocol.md 3.2)."""
        for drop in dropped:
            failure = RunFailure(drop.code, drop.message)
            changed = self._change(drop.run_id, partial(_cut_short, failure=failure))
            if changed is not None:
                self._trace.of_run(drop.run_id).add(
                    "runtime.failed",
                    runtimeId=drop.runtime_id,
                    pluginId=changed.runtime.plugin_id,
                    status="failed",
                    durationMs=changed.result.duration_ms,
                    error={"code": drop.code, "message": drop.message},
                )
                await self._announcer.tell_runtime_end(changed.result)

    def _warn_of_lost_exports(self, stored: CommitReport) -> None:
        for export in stored.lost_exports:
            self._change(export.run_id, partial(_warned, message=export.message))

    def _change(
        self, run_id: str, change: Callable[[FinishedRun], FinishedRun]
    ) -> FinishedRun | None:
        runs = self._finished.runs
        for index, run in enumerate(runs):
            if run.result.run_id == run_id:
                runs[index] = change(run)
                return runs[index]
        return None

    async def _keep_late_trace(self, commit: ExecutionCommit) -> None:
        late = self._trace.events[len(commit.trace) :]
        if not late:
            return
        try:
            await self._ports.store.transaction(
                lambda transaction: append_trace(transaction, commit.session_id, late)
            )
        except StoreError:
            _LOG.exception("The last trace of %r could not be kept.", commit.turn_id)

    async def _keep_failure(self, failure: RunFailure, *, is_attempt: bool = True) -> None:
        """Keep the failed turn for people to read, none of its writes; setup attempts count.

        A store that cannot even keep that changes nothing: the failure is told all the same.
        """
        commit = self._commit()
        facts, now = self._facts, commit.finished_at
        setup = (
            attempts_lost(facts, self._finished.runs, error=failure.message, now=now)
            if is_attempt
            else {}
        )
        failures = changed_failures(facts, self._finished.runs) if is_attempt else []

        def keep(transaction: Transaction) -> None:
            record_failure(transaction, commit, code=failure.code, message=failure.message)
            if setup:
                write_clock(
                    transaction,
                    commit.session_id,
                    setup=setup,
                    revision=facts.session.revision,
                    at=now,
                )
            put_package_failures(
                transaction,
                commit.session_id,
                failures,
                revision=facts.session.revision,
                at=now,
            )

        try:
            await self._ports.store.transaction(keep)
        except StoreError:
            _LOG.exception("The failure of %r could not be kept.", self._facts.turn_id)

    def _shown(self, failed: tuple[FailedProposal, ...]) -> tuple[FailedProposal, ...]:
        """The refused proposals; what a rule says of one may quote what a concealed run wrote."""
        return tuple(
            replace(one, message=UNSHOWN_REFUSAL) if self._trace.conceals(one.run_id) else one
            for one in failed
        )

    def _trace_failed(self, commit: ExecutionCommit, failed: Sequence[FailedProposal]) -> None:
        for proposal, event in zip(failed, failure_events(commit, failed), strict=True):
            self._trace.of_run(proposal.run_id).add(event.type, **event.payload)

    def _commit(self) -> ExecutionCommit:
        ports = self._ports
        return execution_commit(
            self._facts,
            self._finished,
            self._trace.events,
            auto_snapshots_kept=ports.auto_snapshots_kept,
            secrets=ports.secrets,
            finished_at=ports.clock.now(),
            duration_ms=self._since_start(),
            new_id=ports.ids.new,
        )


def _cut_short(run: FinishedRun, *, failure: RunFailure) -> FinishedRun:
    return replace(run, result=run.result.cut_short(failure))


def _warned(run: FinishedRun, *, message: str) -> FinishedRun:
    return replace(run, result=replace(run.result, warnings=(*run.result.warnings, message)))
