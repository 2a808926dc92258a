"""The hooks of an execution: who listens, and the calls at the events of the execution itself."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from covel_host.base.cancel_signal import CancelSignal
from covel_host.catalog.dependencies import provider_dependencies
from covel_host.catalog.generation import Generation
from covel_host.catalog.session_packages import session_package
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.hooks.hook import HookFacts
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.result_json import result_json
from covel_host.trace.log import TraceLog
from covel_host.turn.facts import ExecutionFacts, default_settings
from covel_host.turn.ports import TurnPorts
from covel_host.turn.services import session_generations
from plugin_sdk.hook_events import (
    CommittedProposal,
    ProposalCommit,
    SessionStart,
    TurnStart,
    TurnStop,
)
from plugin_sdk.values import JsonValue

COMMIT_VETOED = "proposal-vetoed"
"""The code of a proposal that a `pre_state_commit` hook kept from being committed."""


def execution_hooks(facts: ExecutionFacts, ports: TurnPorts) -> HookDispatcher:
    """The hooks of the session's packages as they were loaded when the execution began."""
    session = facts.session
    listening = [each for each in session_generations(facts.catalog, session) if each.hooks]
    return HookDispatcher(
        [hook for generation in listening for hook in generation.hooks],
        active_plugin_ids=session.active_packages,
        session_id=session.session_id,
        turn_id=facts.turn_id,
        locale=session.locale,
        tasks=ports.tasks,
        clock=ports.clock,
        dependencies=_dependencies(facts) if listening else None,
        own_settings={each.plugin_id: _settings(each) for each in listening},
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
        session = self._facts.session
        started = SessionStart(session_id=session.session_id, world_id=session.world_id)
        await self.dispatcher.observe("session_start", started, self._of_turn())

    async def why_not_start(self) -> str | None:
        """The reason of a hook for not starting the execution; None to go on."""
        start = TurnStart(
            player_message=self._facts.request.message or "",
            active_runtimes=(self._facts.target.runtime.runtime_id,),
        )
        outcome = await self.dispatcher.dispatch("turn_start", start, self._of_turn())
        return outcome.aborted

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


def _dependencies(facts: ExecutionFacts) -> dict[str, frozenset[str]]:
    states = (facts.catalog.packages.get(name) for name in facts.session.active_packages)
    packages = (
        session_package(state.reading, source=state.found.source, is_authorized=True)
        for state in states
        if state is not None
    )
    return provider_dependencies([package for package in packages if package is not None])


def _settings(generation: Generation) -> dict[str, JsonValue]:
    manifest = generation.reading.manifest
    return {} if manifest is None else default_settings(manifest.contributes.settings)
