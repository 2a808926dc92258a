"""One manual execution, from admission to commit (spec/execution.md 2.4)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.random_streams import RandomSource
from covel_host.manifest.contributed_interface import Setting
from covel_host.proposals.commit import commit_execution, failure_event, record_failure
from covel_host.proposals.errors import CommitRefused
from covel_host.proposals.plan import CommitReport, ExecutionCommit, NewMessage
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.runtime.agent import run_agent
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.session_reads import SessionReads
from covel_host.store.records import SessionRecord
from covel_host.trace.events import SessionEvent
from covel_host.trace.log import TraceLog
from covel_host.turn.admission import ManualRequest, Target, admit
from covel_host.turn.journal import FrozenJournal, freeze_journal
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.records import result_json, tool_call_records
from covel_host.turn.sessions import session_for
from plugin_sdk.rules.instruction_locale import instruction_locale_for
from plugin_sdk.values import JsonValue


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
        asyncio.CancelledError: it was aborted; the turn is kept as failed, without its writes.
    """
    target = admit(request, ports.catalog)
    async with ports.lock.held():
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
        self._observer = observer
        self._turn_id = ports.ids.new("turn")
        self._started_at = ports.clock.now()
        self._started = ports.clock.monotonic()
        self._signal = CancelSignal()
        self._trace = TraceLog(turn_id=self._turn_id, clock=ports.clock, secrets=ports.secrets)
        # Derived from what a repeated run has in common, never from an ID (design/sdk.md).
        self._seed = ports.randoms.stream("execution", session.revision).getrandbits(64)

    async def run(self) -> ExecutionReport:
        """Run, then commit or keep the failure; events go out after the store knows."""
        runtime_id = self._target.runtime.runtime_id
        self._trace.add("turn.started", origin="manual", runtimeId=runtime_id, seed=self._seed)
        await self._tell("execution.started", runtimeCount=1)
        try:
            result = await self._run_runtime()
        except asyncio.CancelledError:
            await self._keep_abort()
            raise
        report = await self._settle(result)
        await self._tell_end(report)
        return report

    async def _run_runtime(self) -> RuntimeResult:
        ports = self._ports
        run_trace = self._trace.of_run(ports.ids.new("run"))
        await self._tell("runtime.started", **self._names(run_trace.run_id))
        run = self._runtime_run(run_trace.run_id)
        return await run_agent(
            run,
            RunPorts(
                gateway=ports.gateway,
                executor=ports.executor,
                registry=ports.registry,
                clock=ports.clock,
                randoms=RandomSource(self._seed),
                tasks=ports.tasks,
                trace=run_trace,
                on_text=self._show,
            ),
        )

    def _runtime_run(self, run_id: str) -> RuntimeRun:
        ports, session, target = self._ports, self._session, self._target
        generation = target.generation
        manifest = generation.reading.manifest
        assert manifest is not None
        return RuntimeRun(
            plugin_id=generation.plugin_id,
            reading=target.runtime,
            manifest=target.manifest,
            session_id=session.session_id,
            turn_id=self._turn_id,
            locale=session.locale,
            instruction_locale=instruction_locale_for(session.locale, ports.instruction_environ),
            logical_turn=session.completed_player_turns + 1,
            turn_number=self._journal.player_messages,
            activation=ManualActivation(self._request.payload),
            signal=self._signal,
            staging=Staging(
                StoredPluginData(
                    ports.store,
                    session_id=session.session_id,
                    plugin_id=generation.plugin_id,
                ),
                plugin_id=generation.plugin_id,
                runtime_id=target.runtime.runtime_id,
                run_id=run_id,
                new_id=lambda: ports.ids.new("proposal"),
            ),
            session=SessionReads(ports.store, session),
            contributed_tools=manifest.contributes.tools,
            output_schema=target.schemas.output,
            user_settings=_default_settings(manifest.contributes.settings),
            history=self._journal.history,
            player_message=self._request.message,
            slot=self._request.slot,
        )

    async def _settle(self, result: RuntimeResult) -> ExecutionReport:
        commit = self._commit(result)
        self._trace.add("turn.completed", status=result.status)
        if result.status != "success":
            assert result.failure is not None
            return await self._keep_failure(commit, result, result.failure)
        try:
            report = await self._ports.store.transaction(
                lambda transaction: commit_execution(transaction, commit)
            )
        except CommitRefused as refused:
            failure = RunFailure(refused.code, refused.message, refused.hint)
            kept = await self._keep_failure(commit, result, failure)
            await self._observer.on_event(failure_event(commit, refused))
            return kept
        return await self._committed(result, report)

    async def _committed(self, result: RuntimeResult, report: CommitReport) -> ExecutionReport:
        for event in report.events:
            await self._observer.on_event(event)
        return ExecutionReport(
            session_id=self._session.session_id,
            turn_id=self._turn_id,
            result=result,
            committed=True,
            revision=report.revision,
        )

    async def _keep_failure(
        self, commit: ExecutionCommit, result: RuntimeResult, failure: RunFailure
    ) -> ExecutionReport:
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

    async def _keep_abort(self) -> None:
        """Keep the aborted turn; the caller's cancellation must not cut this short."""
        commit = self._commit(None)
        await asyncio.shield(
            self._ports.store.transaction(
                lambda transaction: record_failure(
                    transaction,
                    commit,
                    code="aborted-by-player",
                    message="The execution was aborted before its commit.",
                )
            )
        )

    def _commit(self, result: RuntimeResult | None) -> ExecutionCommit:
        session, ports = self._session, self._ports
        results = [] if result is None else [result]
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
            results=[result_json(shown) for shown in results],
            messages=self._player_message(),
            proposals=() if result is None else result.proposals,
            tool_calls=tool_call_records(results, session_id=session.session_id),
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

    def _names(self, run_id: str) -> dict[str, JsonValue]:
        runtime = self._target.runtime
        return {
            "runtimeId": runtime.runtime_id,
            "pluginId": runtime.plugin_id,
            "turnId": self._turn_id,
            "runId": run_id,
        }

    async def _tell_end(self, report: ExecutionReport) -> None:
        result = report.result
        facts = {**self._names(result.run_id), "durationMs": result.duration_ms}
        if result.failure is None:
            await self._tell("runtime.completed", status=result.status, **facts)
        else:
            error: JsonValue = {"code": result.failure.code, "message": result.failure.message}
            await self._tell("runtime.failed", status=result.status, error=error, **facts)
        ended: dict[str, JsonValue] = {
            "runtimeCount": 1,
            "resultCount": 1,
            "durationMs": self._since_start(),
            "committed": report.committed,
        }
        if report.failure is not None:
            ended["error"] = {"code": report.failure.code, "message": report.failure.message}
        await self._tell("execution.completed", **ended)

    async def _tell(self, type_name: str, **payload: JsonValue) -> None:
        await self._observer.on_event(
            SessionEvent(
                type=type_name,
                session_id=self._session.session_id,
                turn_id=self._turn_id,
                payload=payload,
            )
        )

    async def _show(self, text: str, reset: bool) -> None:
        await self._observer.on_text(text, reset=reset)

    def _since_start(self) -> int:
        return round((self._ports.clock.monotonic() - self._started) * 1000)


def _default_settings(settings: Sequence[Setting]) -> dict[str, JsonValue]:
    """The package's settings as they are without a player's or a world's values."""
    return {setting.key: setting.default for setting in settings if setting.default is not None}
