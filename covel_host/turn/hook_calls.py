"""The hooks of an execution: who listens, and the calls at the events of the execution itself."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from covel_host.base.cancel_signal import CancelSignal
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.dependencies import provider_dependencies
from covel_host.catalog.session_packages import session_packages
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.hooks.hook import HookFacts
from covel_host.proposals.at_once import NO_TURN
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.result_json import result_json
from covel_host.store.records import SessionRecord
from covel_host.trace.log import TraceLog
from covel_host.turn.announcer import Announcer
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.services import session_generations
from covel_host.turn.session_settings import (
    SessionSettings,
    read_session_settings,
    settings_of,
)
from plugin_sdk.hook_events import (
    CommittedProposal,
    ProposalCommit,
    Schedule,
    SessionEnd,
    SessionStart,
    TurnStart,
    TurnStop,
)
from plugin_sdk.values import JsonValue

COMMIT_VETOED = "proposal-vetoed"
"""The code of a proposal that a `pre_state_commit` hook kept from being committed."""


def execution_hooks(facts: ExecutionFacts, ports: TurnPorts) -> HookDispatcher:
    """The hooks of the session's packages as they were loaded when the execution began."""
    return _session_hooks(
        facts.session, facts.catalog, ports, turn_id=facts.turn_id, settings=facts.frozen.settings
    )


async def tell_session_start(session: SessionRecord, ports: TurnPorts, observer: Observer) -> None:
    """Tell the hooks of a session that was made for no execution.

    Its packages are loaded for it, as far as their code may run. The trace is shown live and kept
    nowhere: it belongs to no turn.
    """
    await _tell(session, ports, observer, "session_start", _started(session))


async def tell_session_end(
    session: SessionRecord,
    ports: TurnPorts,
    observer: Observer,
    *,
    reason: Literal["ended", "deleted"],
) -> None:
    """Tell the hooks of a session that it is over; like `tell_session_start`."""
    ended = SessionEnd(session_id=session.session_id, reason=reason)
    await _tell(session, ports, observer, "session_end", ended)


async def _tell(
    session: SessionRecord, ports: TurnPorts, observer: Observer, event: str, payload: object
) -> None:
    await ports.catalogs.need(session.active_packages)
    settings = await ports.store.read(
        lambda reading: read_session_settings(reading, session.session_id)
    )
    with ports.catalogs.lease() as lease:
        hooks = _session_hooks(session, lease.catalog, ports, turn_id=NO_TURN, settings=settings)
        if hooks.listens(event):
            announcer = Announcer(
                observer, ports.events, session_id=session.session_id, turn_id=NO_TURN
            )
            trace = TraceLog(
                turn_id=NO_TURN,
                clock=ports.clock,
                secrets=ports.secrets,
                listener=announcer.show_trace,
            )
            await hooks.observe(event, payload, HookFacts(signal=CancelSignal(), trace=trace))


def _session_hooks(
    session: SessionRecord,
    catalog: Catalog,
    ports: TurnPorts,
    *,
    turn_id: str,
    settings: SessionSettings,
) -> HookDispatcher:
    listening = [each for each in session_generations(catalog, session) if each.hooks]
    return HookDispatcher(
        [hook for generation in listening for hook in generation.hooks],
        active_plugin_ids=session.active_packages,
        session_id=session.session_id,
        turn_id=turn_id,
        locale=session.locale,
        tasks=ports.tasks,
        clock=ports.clock,
        dependencies=_dependencies(session, catalog) if listening else None,
        own_settings={each.plugin_id: settings_of(settings, each) for each in listening},
    )


class TurnHooks:
    """Calls the hooks of one execution's own events, and of its commit."""

    def __init__(self, dispatcher: HookDispatcher, facts: ExecutionFacts, trace: TraceLog) -> None:
        self.dispatcher = dispatcher
        self._facts = facts
        self._trace = trace
        # The execution's cancellation reaches a hook through its call.
        self._signal = CancelSignal()

    async def session_started(self) -> None:
        """Tell the hooks that this execution's session was made for it."""
        started = _started(self._facts.session)
        await self.dispatcher.observe("session_start", started, self._of_turn())

    async def why_not_start(self, selected: tuple[str, ...]) -> str | None:
        """The reason of a hook for not starting the execution; None to go on."""
        start = TurnStart(player_message=self._facts.input.message or "", active_runtimes=selected)
        outcome = await self.dispatcher.dispatch("turn_start", start, self._of_turn())
        return outcome.aborted

    async def scheduled(self, selected: tuple[str, ...]) -> tuple[str, ...]:
        """Those of `selected` that the hooks left in, in their order; they cannot add any."""
        outcome = await self.dispatcher.dispatch(
            "pre_schedule", Schedule(triggered=selected), self._of_turn()
        )
        return outcome.payload.triggered

    async def stopped(self, results: Sequence[RuntimeResult], *, duration_ms: int) -> None:
        """Tell the hooks that the runtimes have ended; nothing is committed yet."""
        if self.dispatcher.listens("turn_stop"):
            stop = TurnStop(
                runtime_results=tuple(result_json(result) for result in results),
                duration_ms=duration_ms,
            )
            await self.dispatcher.observe("turn_stop", stop, self._of_turn())

    async def before_commit(
        self, result: RuntimeResult
    ) -> tuple[RuntimeResult, ProposalRefused | None]:
        """`result` with its proposals as hooks left them, and the refusal of the first one vetoed.

        IDs, types and whose they are stay. Proposals behind a vetoed one are not asked about: they
        fall with it.
        """
        if not self.dispatcher.listens("pre_state_commit"):
            return result, None
        proposals = list(result.proposals)
        for index, proposal in enumerate(proposals):
            try:
                proposals[index] = await self._reviewed(result, proposal)
            except ProposalRefused as refusal:
                return result, refusal
        return replace(result, proposals=tuple(proposals)), None

    async def committed(
        self, result: RuntimeResult, proposals: Iterable[StagedProposal], *, revision: int
    ) -> None:
        """Tell the hooks of each proposal that was committed, in their order."""
        if not self.dispatcher.listens("post_state_commit"):
            return
        for proposal in proposals:
            told: JsonValue = {"proposalId": proposal.proposal_id, "revision": revision}
            stored = CommittedProposal(proposal=proposal.model, result=told)
            facts = self._of_proposal(result, proposal)
            await self.dispatcher.observe("post_state_commit", stored, facts)

    async def _reviewed(self, result: RuntimeResult, proposal: StagedProposal) -> StagedProposal:
        outcome = await self.dispatcher.dispatch(
            "pre_state_commit",
            ProposalCommit(proposal=proposal.model),
            self._of_proposal(result, proposal),
        )
        if outcome.aborted is not None:
            raise proposal.refusal(
                COMMIT_VETOED, f"a hook kept it from being committed: {outcome.aborted}"
            )
        if outcome.payload.proposal is proposal.model:
            return proposal
        return check_proposal(
            outcome.payload.proposal,
            proposal_id=proposal.proposal_id,
            plugin_id=proposal.plugin_id,
            runtime_id=proposal.runtime_id,
            run_id=proposal.run_id,
            hidden=proposal.hidden,
        )

    def _of_turn(self) -> HookFacts:
        return HookFacts(signal=self._signal, trace=self._trace)

    def _of_proposal(self, result: RuntimeResult, proposal: StagedProposal) -> HookFacts:
        return HookFacts(
            signal=self._signal,
            trace=self._trace.of_run(result.run_id),
            plugin_id=result.plugin_id,
            runtime_id=result.runtime_id,
            target_id=proposal.proposal_id,
        )


def _started(session: SessionRecord) -> SessionStart:
    return SessionStart(session_id=session.session_id, world_id=session.world_id)


def _dependencies(session: SessionRecord, catalog: Catalog) -> dict[str, frozenset[str]]:
    states = (catalog.packages.get(name) for name in session.active_packages)
    return provider_dependencies(session_packages(state for state in states if state is not None))
