"""The runs of one execution that have ended, and what later runs see of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from covel_host.proposals.commit_units import HardDependency
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run_status import NestedKind
from covel_host.turn.bindings import GivenValue
from covel_host.turn.schedule_types import (
    STAGES,
    Dependency,
    EmittedEvent,
    RunOutcome,
    RuntimeDeclaration,
    ScheduledRun,
)
from covel_host.turn.session_runtimes import SessionRuntime
from plugin_sdk.proposals import EventEmit, NarrativeAppend

if TYPE_CHECKING:
    from covel_host.turn.job_freezing import DeferredRun


@dataclass(frozen=True, slots=True)
class NestedResult:
    """The result of a run inside the run `parent_run_id`, and how that came to be."""

    result: RuntimeResult
    kind: NestedKind
    parent_run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedRun:
    """One run and how it ended; `rests_on` are the runs that it falls with at the commit.

    `veto` is the refusal of one of its proposals, given before the commit. `nested` are the runs
    inside it, in the order in which they ended. One that `was_left_out` never began.
    """

    runtime: SessionRuntime
    result: RuntimeResult
    band: int = 0
    rests_on: tuple[HardDependency, ...] = ()
    veto: ProposalRefused | None = None
    nested: tuple[NestedResult, ...] = ()
    was_left_out: bool = False

    @property
    def outcome(self) -> RunOutcome:
        """What scheduling is told of it."""
        result = self.result
        return RunOutcome(
            status=result.status,
            events=tuple(
                (one.model.topic, one.model.data)
                for one in result.proposals
                if isinstance(one.model, EventEmit)
            ),
            explicit_skip=result.is_explicit_skip,
            completes_setup=result.completion == "done",
        )

    @property
    def is_told_story(self) -> bool:
        """Whether a story was told in it."""
        return self.runtime.declaration.is_story and self.result.status == "success"

    @property
    def prose(self) -> tuple[str, ...]:
        """The texts it adds to the story."""
        return tuple(
            one.model.content
            for one in self.result.proposals
            if isinstance(one.model, NarrativeAppend)
        )


@dataclass(slots=True)
class FinishedRuns:
    """Runs in execution order, those that were left out among them.

    Siblings of a layer are added together when all of them have ended, so that none of them sees
    another (spec/transactions.md 3.2). `deferred` are runs that the commit queues.
    """

    runs: list[FinishedRun] = field(default_factory=list)
    given: dict[str, GivenValue] = field(default_factory=dict)
    upstream: tuple[StagedProposal, ...] = ()
    band: int = 0
    deferred: "list[DeferredRun]" = field(default_factory=list)
    _latest: dict[str, FinishedRun] = field(default_factory=dict)

    @property
    def results(self) -> tuple[RuntimeResult, ...]:
        """The results in order; those of runs inside a run come right after it."""
        return tuple(
            result
            for run in self.runs
            for result in (run.result, *(nested.result for nested in run.nested))
        )

    def enter(self, layer: Sequence[ScheduledRun]) -> None:
        """Go on to the band of `layer`: its stage, or the followers of the present one."""
        for scheduled in layer:
            if scheduled.stage is not None:
                self.band = 2 * STAGES.index(scheduled.stage)
            elif scheduled.depth:
                self.band |= 1

    @property
    def stories(self) -> tuple[str, ...]:
        """What earlier stages have told; followers see the story of their own stage as well."""
        return tuple(
            text
            for run in self.runs
            if run.is_told_story and run.band < self.band
            for text in run.prose
        )

    def add(self, run: FinishedRun) -> None:
        """Take up one more run."""
        self.runs.append(run)
        runtime, result = run.runtime, run.result
        self._latest[runtime.runtime_id] = run
        self.given.pop(runtime.runtime_id, None)
        if run.outcome.is_usable and result.has_value:
            self.given[runtime.runtime_id] = GivenValue(
                runtime_id=runtime.runtime_id,
                value=result.value,
                contract=runtime.declaration.contract,
                schema=runtime.schemas.contract,
            )
        if result.proposals:
            self.upstream = (*self.upstream, *result.proposals)

    def cut_short(self, failure: RunFailure) -> None:
        """Let none of the runs count; each keeps its audit."""
        self.runs = [
            run
            if run.was_left_out or run.result.status == "failed"
            else replace(run, result=run.result.cut_short(failure))
            for run in self.runs
        ]

    def rests_on(
        self, declaration: RuntimeDeclaration, event: EmittedEvent | None
    ) -> tuple[HardDependency, ...]:
        """The runs up to now that one of `declaration` falls with (spec/transactions.md 4.3)."""
        found = [self._providers(one) for one in declaration.dependencies if one.gates]
        if event is not None:
            found.append(HardDependency(tuple(self._emitters(event.topic)), "any"))
        return tuple(one for one in found if one.run_ids)

    def _providers(self, dependency: Dependency) -> HardDependency:
        if dependency.scope != "turn":
            return HardDependency(())
        if dependency.runtime_id is not None:
            run = self._latest.get(dependency.runtime_id)
            return HardDependency(() if run is None else (run.result.run_id,))
        run_ids = tuple(
            run.result.run_id
            for run in self._latest.values()
            if run.runtime.declaration.contract == dependency.contract and run.outcome.is_usable
        )
        return HardDependency(run_ids, "every" if dependency.cardinality == "all" else "any")

    def _emitters(self, topic: str) -> Iterator[str]:
        for run in self.runs:
            if any(emitted == topic for emitted, _ in run.outcome.events):
                yield run.result.run_id
