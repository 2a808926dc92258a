"""The facts of one execution, and what its run is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from covel_host.base.cancel_signal import CancelSignal
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.dataset_policies import dataset_policies
from covel_host.manifest.contributed_interface import Setting
from covel_host.manifest.root_manifest import RootManifest
from covel_host.proposals.data_policies import DataPolicies
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.proposals.world_view import WorldView
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.run import RuntimeRun
from covel_host.runtime.session_reads import SessionReads
from covel_host.store.records import SessionRecord
from covel_host.turn.admission import ManualRequest, Target
from covel_host.turn.freezing import FrozenSession
from covel_host.turn.ports import TurnPorts
from covel_host.turn.services import service_directory, session_generations
from covel_host.turn.session_events import SessionEvents
from plugin_sdk.rules.instruction_locale import instruction_locale_for
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFacts:
    """What an execution holds from its start to its end; nothing of it is read again.

    `catalog` is leased for that time. `policies` are those of the data sets of every package that
    may write, at staging and at commit.
    """

    request: ManualRequest
    catalog: Catalog
    target: Target
    session: SessionRecord
    frozen: FrozenSession
    policies: DataPolicies
    turn_id: str
    run_id: str
    started_at: datetime

    @property
    def logical_turn(self) -> int:
        """Committed player turns + 1 (spec/execution.md 2.2)."""
        return self.session.completed_player_turns + 1


def policies_of(target: Target, catalog: Catalog, session: SessionRecord) -> DataPolicies:
    """The policies of the data sets that an execution of `target` can write.

    Through its services every package of the session may be written.
    """
    others = session_generations(catalog, session)
    return dataset_policies([target.generation, *others])


def runtime_run(facts: ExecutionFacts, ports: TurnPorts) -> RuntimeRun:
    """What the run of this execution knows."""
    session, target, frozen = facts.session, facts.target, facts.frozen
    generation, runtime_id = target.generation, target.runtime.runtime_id
    manifest = generation.reading.manifest
    assert manifest is not None
    return RuntimeRun(
        plugin_id=generation.plugin_id,
        reading=target.runtime,
        manifest=target.manifest,
        session_id=session.session_id,
        turn_id=facts.turn_id,
        locale=session.locale,
        instruction_locale=instruction_locale_for(session.locale, ports.instruction_environ),
        logical_turn=facts.logical_turn,
        turn_number=frozen.journal.player_messages,
        activation=ManualActivation(target.payload),
        signal=CancelSignal(),
        staging=_staging(facts, ports),
        session=SessionReads(ports.store, session),
        contributed_tools=manifest.contributes.tools,
        output_schema=target.schemas.output,
        contract_schema=target.schemas.contract,
        user_settings=default_settings(manifest.contributes.settings),
        history=frozen.journal.history,
        player_message=facts.request.message,
        slot=facts.request.slot,
        handler=generation.handlers.get(runtime_id),
        guard=generation.guards.get(runtime_id),
        exports=frozen.exports,
        last_player_input=frozen.last_input,
        data_namespaces=_namespaces(manifest),
        translations=generation.translations,
        datasets=generation.datasets,
        services=service_directory(facts.catalog, ports.catalogs, session),
        events=SessionEvents(session_generations(facts.catalog, session)),
        call=facts.request.call,
    )


def _staging(facts: ExecutionFacts, ports: TurnPorts) -> Staging:
    plugin_id = facts.target.generation.plugin_id
    stored = partial(StoredPluginData, ports.store, session_id=facts.session.session_id)
    return Staging(
        stored(plugin_id=plugin_id),
        source_of=lambda plugin_id: stored(plugin_id=plugin_id),
        plugin_id=plugin_id,
        runtime_id=facts.target.runtime.runtime_id,
        run_id=facts.run_id,
        new_id=lambda: ports.ids.new("proposal"),
        world=WorldView(facts.frozen.world),
        policies=facts.policies,
    )


def _namespaces(manifest: RootManifest) -> frozenset[str]:
    contributes = manifest.contributes
    return frozenset((*contributes.data, *contributes.datasets))


def default_settings(settings: Sequence[Setting]) -> dict[str, JsonValue]:
    """The package's settings as they are without a player's or a world's values."""
    return {setting.key: setting.default for setting in settings if setting.default is not None}
