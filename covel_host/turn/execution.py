"""One manual execution, from admission to commit (spec/execution.md 2.4)."""

import asyncio
from dataclasses import dataclass

from covel_host.base.random_streams import RandomSource
from covel_host.catalog.catalog import Catalog
from covel_host.proposals.errors import ProposalRefused
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts
from covel_host.runtime.runs import Run, new_run
from covel_host.tools.builtin.installed import builtin_tools
from covel_host.tools.registry import ToolRegistry
from covel_host.trace.log import TraceLog
from covel_host.turn.admission import ManualRequest, Target, admit
from covel_host.turn.announcer import Announcer
from covel_host.turn.exports import wanted_exports
from covel_host.turn.facts import ExecutionFacts, policies_of, runtime_run
from covel_host.turn.freezing import freeze_session
from covel_host.turn.hook_calls import TurnHooks, execution_hooks
from covel_host.turn.memory import session_memory
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.sessions import needed_packages, session_for
from covel_host.turn.settling import Settled, Settling
from plugin_sdk.values import JsonValue

ABORTED = RunFailure("aborted-by-player", "The execution was aborted before its commit.")
CANCELLED = RunFailure(
    "cancelled", "The run was cancelled before its commit, such as by closing the host."
)

TURN_VETOED = "turn-vetoed"
"""The code of an execution that a `turn_start` hook did not let start."""


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

    The catalog is leased from admission to the end: a reload meanwhile changes nothing. A refusal
    or a store error in the commit is the report's `failure`, and the turn is kept as failed.

    Raises:
        RequestRefused: it cannot run at all; nothing was started.
        ExecutionLockTakenError: another process is executing on this database.
        asyncio.CancelledError: it was aborted. Before the commit: the turn is kept as failed,
            without its writes. A commit that has begun ends first and counts.
    """
    await ports.catalogs.need(await needed_packages(ports, request))
    with ports.catalogs.lease() as lease:
        target = admit(request, lease.catalog)
        async with ports.session_locks.held(request.session_id), ports.lock.held():
            facts = await _facts(request, target, lease.catalog, ports)
            return await _Execution(facts, ports, observer).run()


async def _facts(
    request: ManualRequest, target: Target, catalog: Catalog, ports: TurnPorts
) -> ExecutionFacts:
    packages = (target.generation.plugin_id, *request.packages)
    session = await session_for(ports, request.session_id, packages=packages)
    exports = wanted_exports(target.manifest, catalog, session)
    return ExecutionFacts(
        request=request,
        catalog=catalog,
        target=target,
        session=session,
        frozen=await freeze_session(ports.store, session, exports=exports),
        policies=policies_of(target, catalog, session),
        turn_id=ports.ids.new("turn"),
        run_id=ports.ids.new("run"),
        started_at=ports.clock.now(),
    )


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
        self._run = runtime_run(facts, ports)
        self._hooks = TurnHooks(execution_hooks(facts, ports), facts, self._trace)
        self._is_run_told = False

    async def run(self) -> ExecutionReport:
        """Run, then commit or keep the failure; events go out after the store knows."""
        runtime_id = self._facts.target.runtime.runtime_id
        self._trace.add("turn.started", origin="manual", runtimeId=runtime_id, seed=self._seed)
        run = new_run(self._run, self._run_ports())
        try:
            result, veto = await self._played(run)
        except asyncio.CancelledError:
            if not _is_cancelled():
                return await self._settled(run.cut_short(CANCELLED))
            await self._settled(run.cut_short(ABORTED))
            raise
        return await self._settled(result, veto)

    async def _played(self, run: Run) -> tuple[RuntimeResult, ProposalRefused | None]:
        """The run's result, and the refusal of one of its proposals that hooks gave.

        Until all this is over the execution can still be aborted.
        """
        if self._facts.request.session_id is None:
            await self._hooks.session_started()
        await self._announcer.tell("execution.started", runtimeCount=1)
        reason = await self._hooks.why_not_start()
        if reason is not None:
            return run.cut_short(RunFailure(TURN_VETOED, reason, counts_as_error=False)), None
        await self._tell_run_start()
        result = await run.result()
        await self._hooks.stopped([result], duration_ms=self._since_start())
        return await self._hooks.before_commit(result)

    async def _tell_run_start(self) -> None:
        facts = self._facts
        self._is_run_told = True
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
            registry=ToolRegistry(
                self._facts.catalog,
                builtins=builtin_tools(
                    events=self._run.events,
                    world=self._run.staging.world,
                    memory=session_memory(ports.memory, self._facts.catalog, self._facts.session),
                ),
            ),
            clock=ports.clock,
            randoms=RandomSource(self._seed),
            tasks=ports.tasks,
            trace=self._trace.of_run(self._facts.run_id),
            on_text=self._announcer.show_text,
            hooks=self._hooks.dispatcher,
            media=ports.media,
        )

    async def _settled(
        self, result: RuntimeResult, veto: ProposalRefused | None = None
    ) -> ExecutionReport:
        """Settle to the end: what is short and decides must not be cut short."""
        return await self._ports.tasks.finish(
            self._settle(result, veto), name=f"turn {self._facts.turn_id}"
        )

    async def _settle(self, result: RuntimeResult, veto: ProposalRefused | None) -> ExecutionReport:
        self._trace.add("turn.completed", status=result.status)
        if self._is_run_told:
            await self._announcer.tell_runtime_end(result)
        settling = Settling(
            self._facts,
            self._ports,
            self._trace,
            self._announcer,
            self._hooks,
            reads=self._run.staging.reads.reads,
            since_start=self._since_start,
        )
        settled = await settling.settle(result, veto)
        await self._announce_end(settled)
        return ExecutionReport(
            session_id=self._facts.session.session_id,
            turn_id=self._facts.turn_id,
            result=settled.result,
            committed=settled.failure is None,
            revision=settled.revision,
            failure=settled.failure,
        )

    async def _announce_end(self, settled: Settled) -> None:
        told: dict[str, JsonValue] = {
            "runtimeCount": 1,
            "resultCount": 1,
            "durationMs": self._since_start(),
            "committed": settled.failure is None,
        }
        if settled.failure is ABORTED:
            told["abortReason"] = ABORTED.code
        elif settled.failure is not None and settled.failure.code == TURN_VETOED:
            # Like the player's own, this abort is a decision and no error.
            told["abortReason"] = settled.failure.message
        elif settled.failure is not None:
            told["error"] = {"code": settled.failure.code, "message": settled.failure.message}
        if settled.needs_resync:
            told["resync"] = True
        await self._announcer.tell("execution.completed", **told)

    def _since_start(self) -> int:
        return round((self._ports.clock.monotonic() - self._started) * 1000)


def _is_cancelled() -> bool:
    """Whether the caller was cancelled; if not, the run was, by something inside the host."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
