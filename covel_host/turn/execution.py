"""One manual execution, from admission to commit (spec/execution.md 2.4)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.random_streams import RandomSource
from covel_host.manifest.contributed_interface import Setting
from covel_host.proposals.commit import commit_execution, failure_event, record_failure
from covel_host.proposals.errors import CommitRefused
from covel_host.proposals.plan import ExecutionCommit, NewMessage
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.runtime.agent import AgentRun
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.session_reads import SessionReads
from covel_host.store.records import SessionRecord
from covel_host.trace.log import TraceLog
from covel_host.turn.admission import ManualRequest, Target, admit
from covel_host.turn.announcer import Announcer
from covel_host.turn.journal import FrozenJournal, freeze_journal
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.records import result_json, tool_call_records
from covel_host.turn.sessions import session_for
from plugin_sdk.rules.instruction_locale import instruction_locale_for
from plugin_sdk.values import JsonValue

ABORTED = RunFailure("aborted-by-player", "The execution was aborted before its commit.")
CLOSED = RunFailure("host-closing", "The host was closed before the commit of the execution.")


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
        journal = await freeze_journal(ports.store, session)
        return await _Execution(request, target, session, journal, ports, observer).run()


class _Execution:
    def __init__(
        self,
        request: ManualRequest,
        target: Target,
        session: SessionRecord,
        journal: FrozenJournal,
        ports: TurnPorts,
        observer: Observer,
    ) -> None:
        self._request = request
        self._target = target
        self._session = session
        self._journal = journal
        self._ports = ports
        self._turn_id = ports.ids.new("turn")
        self._run_id = ports.ids.new("run")
        self._started_at = ports.clock.now()
        self._started = ports.clock.monotonic()
        self._announcer = Announcer(observer, session_id=session.session_id, turn_id=self._turn_id)
        self._trace = TraceLog(
            turn_id=self._turn_id,
            clock=ports.clock,
            secrets=ports.secrets,
            listener=self._announcer.show_trace,
        )
        # Derived from what a repeated run has in common, never from an ID (design/sdk.md).
        self._seed = ports.randoms.stream("execution", session.revision).getrandbits(64)

    async def run(self) -> ExecutionReport:
        """Run, then commit or keep the failure; events go out after the store knows."""
        tasks, turn = self._ports.tasks, f"turn {self._turn_id}"
        runtime_id = self._target.runtime.runtime_id
        self._trace.add("turn.started", origin="manual", runtimeId=runtime_id, seed=self._seed)
        agent = AgentRun(self._runtime_run(), self._run_ports())
        try:
            await self._announce_start()
            result = await agent.result()
        except asyncio.CancelledError:
            if not _is_cancelled():
                return await tasks.finish(self._settle(agent.cut_short(CLOSED)), name=turn)
            # What follows is short and must not be cut short by a second cancellation.
            await tasks.finish(self._settle(agent.cut_short(ABORTED)), name=turn)
            raise
        return await tasks.finish(self._settle(result), name=turn)

    async def _announce_start(self) -> None:
        runtime = self._target.runtime
        await self._announcer.tell("execution.started", runtimeCount=1)
        await self._announcer.tell(
            "runtime.started",
            runtimeId=runtime.runtime_id,
            pluginId=runtime.plugin_id,
            turnId=self._turn_id,
            runId=self._run_id,
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
            trace=self._trace.of_run(self._run_id),
            on_text=self._announcer.show_text,
        )

    def _runtime_run(self) -> RuntimeRun:
        ports, session, target = self._ports, self._session, self._target
        manifest = target.generation.reading.manifest
        assert manifest is not None
        return RuntimeRun(
            plugin_id=target.generation.plugin_id,
            reading=target.runtime,
            manifest=target.manifest,
            session_id=session.session_id,
            turn_id=self._turn_id,
            locale=session.locale,
            instruction_locale=instruction_locale_for(session.locale, ports.instruction_environ),
            logical_turn=session.completed_player_turns + 1,
            turn_number=self._journal.player_messages,
            activation=ManualActivation(self._request.payload),
            signal=CancelSignal(),
            staging=self._staging(),
            session=SessionReads(ports.store, session),
            contributed_tools=manifest.contributes.tools,
            output_schema=target.schemas.output,
            user_settings=_default_settings(manifest.contributes.settings),
            history=self._journal.history,
            player_message=self._request.message,
            slot=self._request.slot,
        )

    def _staging(self) -> Staging:
        ports, plugin_id = self._ports, self._target.generation.plugin_id
        return Staging(
            StoredPluginData(ports.store, session_id=self._session.session_id, plugin_id=plugin_id),
            plugin_id=plugin_id,
            runtime_id=self._target.runtime.runtime_id,
            run_id=self._run_id,
            new_id=lambda: ports.ids.new("proposal"),
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
            self._trace.of_run(self._run_id).add(event.type, **event.payload)
            failure = RunFailure(refused.code, refused.message, refused.hint)
            report = await self._kept(result, failure)
            await self._announcer.pass_on([event])
            return report
        await self._announcer.pass_on(stored.events)
        return ExecutionReport(
            session_id=self._session.session_id,
            turn_id=self._turn_id,
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
            session_id=self._session.session_id,
            turn_id=self._turn_id,
            result=result,
            committed=False,
            failure=failure,
        )

    def _commit(self, result: RuntimeResult) -> ExecutionCommit:
        session, ports = self._session, self._ports
        return ExecutionCommit(
            session_id=session.session_id,
            incarnation=session.incarnation,
            turn_id=self._turn_id,
            origin="manual",
            logical_turn_id=self._turn_id,
            logical_turn=session.completed_player_turns + 1,
            started_at=self._started_at,
            finished_at=ports.clock.now(),
            duration_ms=self._since_start(),
            results=[result_json(result)],
            messages=self._player_message(),
            proposals=result.proposals,
            tool_calls=tool_call_records([result], session_id=session.session_id),
            trace=self._trace.events,
        )

    def _player_message(self) -> tuple[NewMessage, ...]:
        if self._request.message is None:
            return ()
        return (
            NewMessage(
                message_id=self._ports.ids.new("message"),
                source="player",
                role="user",
                content=self._request.message,
                created_at=self._started_at,
            ),
        )

    async def _announce_end(self, report: ExecutionReport) -> None:
        facts: dict[str, JsonValue] = {
            "runtimeCount": 1,
            "resultCount": 1,
            "durationMs": self._since_start(),
            "committed": report.committed,
        }
        if report.failure is ABORTED:
            facts["abortReason"] = ABORTED.code
        elif report.failure is not None:
            facts["error"] = {"code": report.failure.code, "message": report.failure.message}
        await self._announcer.tell("execution.completed", **facts)

    def _since_start(self) -> int:
        return round((self._ports.clock.monotonic() - self._started) * 1000)


def _is_cancelled() -> bool:
    """Whether the caller was cancelled; if not, the host ended the run by closing."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _default_settings(settings: Sequence[Setting]) -> dict[str, JsonValue]:
    """The package's settings as they are without a player's or a world's values."""
    return {setting.key: setting.default for setting in settings if setting.default is not None}
