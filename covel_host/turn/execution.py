"""One manual execution, from admission to commit (spec/execution.md 2.4)."""

import asyncio
from dataclasses import dataclass

from covel_host.base.random_streams import RandomSource
from covel_host.proposals.commit import commit_execution, failure_event, record_failure
from covel_host.proposals.errors import CommitRefused
from covel_host.proposals.plan import ExecutionCommit
from covel_host.runtime.agent import AgentRun
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts
from covel_host.trace.log import TraceLog
from covel_host.turn.admission import ManualRequest, admit
from covel_host.turn.announcer import Announcer
from covel_host.turn.facts import ExecutionFacts, execution_commit, runtime_run
from covel_host.turn.journal import freeze_journal
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.sessions import session_for
from plugin_sdk.values import JsonValue

ABORTED = RunFailure("aborted-by-player", "The execution was aborted before its commit.")
CANCELLED = RunFailure(
    "cancelled", "The run was cancelled before its commit, such as by closing the host."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionReport:
    """What became of an execution; `committed` is the only proof that anything was stored.

    `failure` says why it was not committed.
    """

    session_id: str
    turn_id: str
    result: RuntimeResult
    committed: bool
    revision: int | None = None
    failure: RunFailure | None = None


async def run_manual(
    request: ManualRequest, ports: TurnPorts, observer: Observer
) -> ExecutionReport:
    """Run one runtime and commit what it did, or nothing of it.

    Raises:
        RequestRefused: it cannot run at all; nothing was started.
        ExecutionLockTakenError: another process is executing on this database.
        asyncio.CancelledError: it was aborted. Before the commit: the turn is kept as failed,
            without its writes. A commit that has begun ends first and counts.
    """
    target = admit(request, ports.catalog)
    async with ports.session_locks.held(request.session_id), ports.lock.held():
        session = await session_for(
            ports, request.session_id, plugin_id=target.generation.plugin_id
        )
        facts = ExecutionFacts(
            request=request,
            target=target,
            session=session,
            journal=await freeze_journal(ports.store, session),
            turn_id=ports.ids.new("turn"),
            run_id=ports.ids.new("run"),
            started_at=ports.clock.now(),
        )
        return await _Execution(facts, ports, observer).run()


class _Execution:
    def __init__(self, facts: ExecutionFacts, ports: TurnPorts, observer: Observer) -> None:
        self._facts = facts
        self._ports = ports
        self._started = ports.clock.monotonic()
        self._announcer = Announcer(
            observer, session_id=facts.session.session_id, turn_id=facts.turn_id
        )
        self._trace = TraceLog(
            turn_id=facts.turn_id,
            clock=ports.clock,
            secrets=ports.secrets,
            listener=self._announcer.show_trace,
        )
        # Derived from what a repeated run has in common, never from an ID (design/sdk.md).
        self._seed = ports.randoms.stream("execution", facts.session.revision).getrandbits(64)

    async def run(self) -> ExecutionReport:
        """Run, then commit or keep the failure; events go out after the store knows."""
        runtime_id = self._facts.target.runtime.runtime_id
        self._trace.add("turn.started", origin="manual", runtimeId=runtime_id, seed=self._seed)
        agent = AgentRun(runtime_run(self._facts, self._ports), self._run_ports())
        try:
            await self._announce_start()
            result = await agent.result()
        except asyncio.CancelledError:
            if not _is_cancelled():
                return await self._settled(agent.cut_short(CANCELLED))
            await self._settled(agent.cut_short(ABORTED))
            raise
        return await self._settled(result)

    async def _announce_start(self) -> None:
        facts = self._facts
        await self._announcer.tell("execution.started", runtimeCount=1)
        await self._announcer.tell(
            "runtime.started",
            runtimeId=facts.target.runtime.runtime_id,
            pluginId=facts.target.runtime.plugin_id,
            turnId=facts.turn_id,
            runId=facts.run_id,
        )

    def _run_ports(self) -> RunPorts:
        ports = self._ports
        return RunPorts(
            gateway=ports.gateway,
            executor=ports.executor,
            registry=ports.registry,
            clock=ports.clock,
            randoms=RandomSource(self._seed),
            tasks=ports.tasks,
            trace=self._trace.of_run(self._facts.run_id),
            on_text=self._announcer.show_text,
        )

    async def _settled(self, result: RuntimeResult) -> ExecutionReport:
        """Settle to the end: what is short and decides must not be cut short."""
        return await self._ports.tasks.finish(
            self._settle(result), name=f"turn {self._facts.turn_id}"
        )

    async def _settle(self, result: RuntimeResult) -> ExecutionReport:
        self._trace.add("turn.completed", status=result.status)
        await self._announcer.tell_runtime_end(result)
        if result.failure is None:
            report = await self._committed(result)
        else:
            report = await self._kept(result, result.failure)
        await self._announce_end(report)
        return report

    async def _committed(self, result: RuntimeResult) -> ExecutionReport:
        commit = self._commit(result)
        try:
            stored = await self._ports.store.transaction(
                lambda transaction: commit_execution(transaction, commit)
            )
        except CommitRefused as refused:
            event = failure_event(commit, refused)
            self._trace.of_run(self._facts.run_id).add(event.type, **event.payload)
            failure = RunFailure(refused.code, refused.message, refused.hint)
            report = await self._kept(result, failure)
            await self._announcer.pass_on([event])
            return report
        await self._announcer.pass_on(stored.events)
        return ExecutionReport(
            session_id=self._facts.session.session_id,
            turn_id=self._facts.turn_id,
            result=result,
            committed=True,
            revision=stored.revision,
        )

    async def _kept(self, result: RuntimeResult, failure: RunFailure) -> ExecutionReport:
        """Keep the failed turn for people to read, none of its writes."""
        commit = self._commit(result)
        await self._ports.store.transaction(
            lambda transaction: record_failure(
                transaction, commit, code=failure.code, message=failure.message
            )
        )
        return ExecutionReport(
            session_id=self._facts.session.session_id,
            turn_id=self._facts.turn_id,
            result=result,
            committed=False,
            failure=failure,
        )

    def _commit(self, result: RuntimeResult) -> ExecutionCommit:
        return execution_commit(
            self._facts,
            result,
            self._trace.events,
            finished_at=self._ports.clock.now(),
            duration_ms=self._since_start(),
            new_id=self._ports.ids.new,
        )

    async def _announce_end(self, report: ExecutionReport) -> None:
        told: dict[str, JsonValue] = {
            "runtimeCount": 1,
            "resultCount": 1,
            "durationMs": self._since_start(),
            "committed": report.committed,
        }
        if report.failure is ABORTED:
            told["abortReason"] = ABORTED.code
        elif report.failure is not None:
            told["error"] = {"code": report.failure.code, "message": report.failure.message}
        await self._announcer.tell("execution.completed", **told)

    def _since_start(self) -> int:
        return round((self._ports.clock.monotonic() - self._started) * 1000)


def _is_cancelled() -> bool:
    """Whether the caller was cancelled; if not, the run was, by something inside the host."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
