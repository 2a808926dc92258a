"""The end of an execution: its commit and what is told of it, or the record of its failure."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from covel_host.proposals.commit import (
    append_trace,
    commit_execution,
    failure_events,
    record_failure,
)
from covel_host.proposals.errors import CommitRefused, FailedProposal, ProposalRefused
from covel_host.proposals.plan import CommitReport, ExecutionCommit
from covel_host.proposals.read_sets import Read
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.store.errors import StoreError
from covel_host.trace.log import TraceLog
from covel_host.turn.announcer import Announcer
from covel_host.turn.committing import commit_obstacle, execution_commit
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.hook_calls import TurnHooks
from covel_host.turn.ports import TurnPorts

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What became of a run; `failure` is None exactly when the execution was committed.

    `needs_resync` says that something committed could not be told.
    """

    result: RuntimeResult
    revision: int | None = None
    failure: RunFailure | None = None
    needs_resync: bool = False


class Settling:
    """Settles one execution, once; `since_start` gives its milliseconds so far."""

    def __init__(
        self,
        facts: ExecutionFacts,
        ports: TurnPorts,
        trace: TraceLog,
        announcer: Announcer,
        hooks: TurnHooks,
        *,
        reads: Sequence[Read],
        since_start: Callable[[], int],
    ) -> None:
        self._facts = facts
        self._ports = ports
        self._trace = trace
        self._announcer = announcer
        self._hooks = hooks
        self._reads = reads
        self._since_start = since_start

    async def settle(self, result: RuntimeResult, veto: ProposalRefused | None) -> Settled:
        """Commit what the run did, or keep its failure; events go out after the store knows.

        `veto` is the refusal of one of its proposals, given before the commit.
        """
        obstacle = commit_obstacle(self._facts, result)
        if obstacle is not None:
            await self._keep_failure(result, obstacle)
            return Settled(result=result, failure=obstacle)
        commit = self._commit(result, veto)
        try:
            stored = await self._ports.store.transaction(
                lambda transaction: commit_execution(transaction, commit)
            )
        except CommitRefused as refused:
            return await self._refused(commit, result, refused)
        except StoreError as error:
            return await self._lost(result, error)
        return await self._told(commit, result, stored)

    async def _refused(
        self, commit: ExecutionCommit, result: RuntimeResult, refused: CommitRefused
    ) -> Settled:
        self._trace_failed(commit, refused.failed)
        failure = RunFailure(refused.code, refused.message, refused.hint)
        await self._keep_failure(result, failure)
        await self._announcer.pass_on(failure_events(commit, refused.failed))
        return Settled(result=result, failure=failure)

    async def _lost(self, result: RuntimeResult, error: StoreError) -> Settled:
        """The store failed in the commit; it may fail again when it is to keep that."""
        _LOG.error("The commit of %r failed: %s", self._facts.turn_id, error)
        failure = RunFailure(error.code, error.message, error.hint)
        await self._keep_failure(result, failure)
        return Settled(result=result, failure=failure)

    async def _told(
        self, commit: ExecutionCommit, result: RuntimeResult, stored: CommitReport
    ) -> Settled:
        """Tell of a commit. Nothing of it is undone, whatever fails here."""
        self._trace_failed(commit, stored.failed)
        problems = await self._announcer.publish(stored.events)
        await self._announcer.pass_on(failure_events(commit, stored.failed))
        if problems:
            self._trace.add(
                "commit.fanout.failed",
                failedCount=len(problems),
                totalCount=len(stored.events),
                errors=problems,
            )
            await self._announcer.tell("system.reset", reason="publish-failed")
        await self._tell_hooks(commit, result, stored)
        await self._keep_late_trace(commit)
        lost = tuple(export.message for export in stored.lost_exports)
        return Settled(
            result=replace(result, warnings=(*result.warnings, *lost)) if lost else result,
            revision=stored.revision,
            needs_resync=bool(problems),
        )

    async def _tell_hooks(
        self, commit: ExecutionCommit, result: RuntimeResult, stored: CommitReport
    ) -> None:
        dropped = {run.run_id for run in stored.dropped}
        for run in commit.runs:
            if run.run_id not in dropped:
                await self._hooks.committed(result, run.proposals, revision=stored.revision)

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

    async def _keep_failure(self, result: RuntimeResult, failure: RunFailure) -> None:
        """Keep the failed turn for people to read, none of its writes.

        A store that cannot even keep that changes nothing: the failure is told all the same.
        """
        commit = self._commit(result)
        try:
            await self._ports.store.transaction(
                lambda transaction: record_failure(
                    transaction, commit, code=failure.code, message=failure.message
                )
            )
        except StoreError:
            _LOG.exception("The failure of %r could not be kept.", self._facts.turn_id)

    def _trace_failed(self, commit: ExecutionCommit, failed: Sequence[FailedProposal]) -> None:
        for proposal, event in zip(failed, failure_events(commit, failed), strict=True):
            self._trace.of_run(proposal.run_id).add(event.type, **event.payload)

    def _commit(
        self, result: RuntimeResult, veto: ProposalRefused | None = None
    ) -> ExecutionCommit:
        ports = self._ports
        return execution_commit(
            self._facts,
            result,
            self._trace.events,
            reads=self._reads,
            veto=veto,
            auto_snapshots_kept=ports.auto_snapshots_kept,
            finished_at=ports.clock.now(),
            duration_ms=self._since_start(),
            new_id=ports.ids.new,
        )
