"""The facts of one execution, and what its run and its commit are made of."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from covel_host.base.cancel_signal import CancelSignal
from covel_host.manifest.contributed_interface import Setting
from covel_host.proposals.plan import ExecutionCommit, NewMessage
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.run import RuntimeRun
from covel_host.runtime.session_reads import SessionReads
from covel_host.store.records import SessionRecord
from covel_host.trace.events import TraceEvent
from covel_host.turn.admission import ManualRequest, Target
from covel_host.turn.journal import FrozenJournal
from covel_host.turn.ports import TurnPorts
from covel_host.turn.records import result_json, tool_call_records
from plugin_sdk.rules.instruction_locale import instruction_locale_for
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFacts:
    """What an execution holds from its start to its end; nothing of it is read again."""

    request: ManualRequest
    target: Target
    session: SessionRecord
    journal: FrozenJournal
    turn_id: str
    run_id: str
    started_at: datetime

    @property
    def logical_turn(self) -> int:
        """Committed player turns + 1 (spec/execution.md 2.2)."""
        return self.session.completed_player_turns + 1


def runtime_run(facts: ExecutionFacts, ports: TurnPorts) -> RuntimeRun:
    """What the run of this execution knows."""
    session, target = facts.session, facts.target
    manifest = target.generation.reading.manifest
    assert manifest is not None
    return RuntimeRun(
        plugin_id=target.generation.plugin_id,
        reading=target.runtime,
        manifest=target.manifest,
        session_id=session.session_id,
        turn_id=facts.turn_id,
        locale=session.locale,
        instruction_locale=instruction_locale_for(session.locale, ports.instruction_environ),
        logical_turn=facts.logical_turn,
        turn_number=facts.journal.player_messages,
        activation=ManualActivation(target.payload),
        signal=CancelSignal(),
        staging=_staging(facts, ports),
        session=SessionReads(ports.store, session),
        contributed_tools=manifest.contributes.tools,
        output_schema=target.schemas.output,
        user_settings=_default_settings(manifest.contributes.settings),
        history=facts.journal.history,
        player_message=facts.request.message,
        slot=facts.request.slot,
    )


def execution_commit(
    facts: ExecutionFacts,
    result: RuntimeResult,
    trace: Sequence[TraceEvent],
    *,
    finished_at: datetime,
    duration_ms: int,
    new_id: Callable[[str], str],
) -> ExecutionCommit:
    """Everything the transaction of this execution writes."""
    return ExecutionCommit(
        session_id=facts.session.session_id,
        incarnation=facts.session.incarnation,
        turn_id=facts.turn_id,
        origin="manual",
        logical_turn_id=facts.turn_id,
        logical_turn=facts.logical_turn,
        started_at=facts.started_at,
        finished_at=finished_at,
        duration_ms=duration_ms,
        results=[result_json(result)],
        messages=_player_message(facts, new_id),
        proposals=result.proposals,
        tool_calls=tool_call_records([result], session_id=facts.session.session_id),
        trace=tuple(trace),
    )


def _staging(facts: ExecutionFacts, ports: TurnPorts) -> Staging:
    plugin_id = facts.target.generation.plugin_id
    return Staging(
        StoredPluginData(ports.store, session_id=facts.session.session_id, plugin_id=plugin_id),
        plugin_id=plugin_id,
        runtime_id=facts.target.runtime.runtime_id,
        run_id=facts.run_id,
        new_id=lambda: ports.ids.new("proposal"),
    )


def _player_message(facts: ExecutionFacts, new_id: Callable[[str], str]) -> tuple[NewMessage, ...]:
    if facts.request.message is None:
        return ()
    return (
        NewMessage(
            message_id=new_id("message"),
            source="player",
            role="user",
            content=facts.request.message,
            created_at=facts.started_at,
        ),
    )


def _default_settings(settings: Sequence[Setting]) -> dict[str, JsonValue]:
    """The package's settings as they are without a player's or a world's values."""
    return {setting.key: setting.default for setting in settings if setting.default is not None}
