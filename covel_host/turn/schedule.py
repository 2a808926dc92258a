"""What runs next in one execution (spec/execution.md 3; seed: 去重的范围).

`Schedule` is driven step by step: ask for the next layer, run it, hand in how each run ended, and
ask again until nothing is left.

    schedule = Schedule(declarations, situation)
    while layer := schedule.next_layer():
        schedule.settle({run.runtime_id: outcome_of(run) for run in layer})

It never awaits and has no clock: equal declarations and outcomes give equal schedules. Cost is
linear in runtimes, declared dependencies and runs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from covel_host.manifest.schedule import Stage
from covel_host.turn.schedule_events import EventChain
from covel_host.turn.schedule_gates import Gates
from covel_host.turn.schedule_hazards import effects_conflicts, split_by_effects
from covel_host.turn.schedule_layers import order_layers
from covel_host.turn.schedule_selection import select_runtimes, subscribers_by_topic
from covel_host.turn.schedule_types import (
    STAGES,
    DetachedInForeground,
    EmittedEvent,
    EventDelivery,
    Hazard,
    Job,
    RunOutcome,
    RuntimeDeclaration,
    ScheduledRun,
    Situation,
    Skip,
)

_Layer = tuple[ScheduledRun, ...]


class Schedule:
    """The runs of one execution, layer by layer.

    Stages come one after the other, with a barrier between them; followers of the events of a layer
    run after it and before the next layer of the stage, depth by depth (spec/decisions.md 5).

    `selected` are the IDs that `select_runtimes` gave, after hooks dropped or reordered some; their
    order is the order inside a layer. With `effects_policy` `strict`, runtimes of one layer whose
    effects conflict run one after the other; `warn` only reports them.
    """

    def __init__(
        self,
        declarations: Iterable[RuntimeDeclaration],
        situation: Situation,
        *,
        selected: Sequence[str] | None = None,
        effects_policy: Literal["warn", "strict"] = "warn",
    ) -> None:
        self._declarations = {d.runtime_id: d for d in declarations}
        self._situation = situation
        self._effects_policy = effects_policy
        self._subscribers = subscribers_by_topic(self._declarations.values())
        self._gates = Gates(self._declarations.values(), situation)
        self._open: _Layer = ()
        self._parts: deque[_Layer] = deque()
        self._depth_layers: deque[_Layer] = deque()
        self._stage_layers: deque[_Layer] = deque()
        self._skips: list[Skip] = []
        self._jobs: list[Job] = []
        self._hazards: list[Hazard] = []
        self._deliveries: list[tuple[EmittedEvent, list[str]]] = []
        self._open_deliveries: dict[str, list[str]] = {}
        self._chain = EventChain()
        for event in situation.pending_events:
            self._chain.put(event)
        if selected is None:
            selected = select_runtimes(self._declarations.values(), situation)
        self._plan([self._declarations[runtime_id] for runtime_id in selected])

    @property
    def skips(self) -> tuple[Skip, ...]:
        """Selected runtimes that did not run, in the order in which that was decided.

        `setup-session-cycle` asks the caller to block the runtime; the other reasons hold for this
        execution only.
        """
        return tuple(self._skips)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """Runs to queue in the commit of this execution."""
        return tuple(self._jobs)

    @property
    def hazards(self) -> tuple[Hazard, ...]:
        """What the trace reports as `scheduling.hazard`."""
        return tuple(self._hazards)

    @property
    def deliveries(self) -> tuple[EventDelivery, ...]:
        """Events that started at least one subscriber in the turn, in the order of emission."""
        return tuple(EventDelivery(event, tuple(to)) for event, to in self._deliveries if to)

    def next_layer(self) -> tuple[ScheduledRun, ...]:
        """The runs to start together now; empty when the execution has nothing left to run.

        Raises:
            ValueError: The layer before is not settled yet.
        """
        if self._open:
            raise ValueError(f"The layer {_ids(self._open)} is not settled; call settle() first.")
        while not self._parts:
            planned = self._next_planned()
            if planned is None:
                return ()
            self._parts.extend(self._admit(planned))
        self._open = self._parts.popleft()
        for run in self._open:
            self._gates.note_start(run.runtime_id)
            if run.event is not None:
                self._open_deliveries[run.event.topic].append(run.runtime_id)
        return self._open

    def settle(self, outcomes: Mapping[str, RunOutcome]) -> None:
        """Take up how every run of the open layer ended.

        Raises:
            ValueError: `outcomes` are not those of the open layer.
        """
        if outcomes.keys() != {run.runtime_id for run in self._open}:
            raise ValueError(
                f"The outcomes are of {sorted(outcomes)}, the open layer is {_ids(self._open)}. "
                "Hand in one outcome for each of its runs."
            )
        for run in self._open:
            outcome = outcomes[run.runtime_id]
            self._gates.record(self._declarations[run.runtime_id], outcome)
            self._hazards.extend(self._chain.gather(run.runtime_id, outcome))
        self._open = ()

    def _plan(self, members: Sequence[RuntimeDeclaration]) -> None:
        """Sort the selected runtimes into stages, and those that run as jobs of their own out."""
        by_stage: dict[Stage | None, list[RuntimeDeclaration]] = {}
        for declaration in members:
            if self._situation.manual_runtime_id is not None and declaration.background:
                self._jobs.append(Job(declaration.runtime_id, "manual"))
            else:
                by_stage.setdefault(declaration.stage, []).append(declaration)
        self._stages = deque(by_stage[stage] for stage in (*STAGES, None) if stage in by_stage)
        self._detached = self._find_detached(members)

    def _find_detached(self, members: Sequence[RuntimeDeclaration]) -> set[str]:
        """Detached runtimes that the turn need not wait for (spec/execution.md 9.2)."""
        if self._situation.manual_runtime_id is not None:
            return set()
        consumers = _consumers(members)
        detached = set()
        for declaration in members:
            if not declaration.detached:
                continue
            consumer = consumers.get(declaration.runtime_id) or consumers.get(declaration.contract)
            if consumer is None:
                detached.add(declaration.runtime_id)
            else:
                self._hazards.append(DetachedInForeground(declaration.runtime_id, consumer))
        return detached

    def _next_planned(self) -> _Layer | None:
        """The next layer by order alone: followers first, then the stage, then the next stage."""
        while True:
            if self._depth_layers:
                return self._depth_layers.popleft()
            if events := self._chain.take():
                self._depth_layers.extend(self._order(self._match(events)))
            elif self._stage_layers:
                self._chain = EventChain()
                return self._stage_layers.popleft()
            elif self._stages:
                members = self._stages.popleft()
                self._stage_layers.extend(
                    self._order(
                        {d.runtime_id: ScheduledRun(d.runtime_id, d.stage) for d in members}
                    )
                )
            else:
                return None

    def _match(self, events: Iterable[EmittedEvent]) -> dict[str, ScheduledRun]:
        """The followers of one depth; background subscribers become jobs instead."""
        followers = {}
        self._open_deliveries = {}
        for event in events:
            started: list[str] = []
            self._open_deliveries[event.topic] = started
            self._deliveries.append((event, started))
            for declaration in self._subscribers.get(event.topic, ()):
                if not self._gates.allows_follower(declaration):
                    continue
                if declaration.background:
                    self._queue(declaration, event)
                else:
                    followers[declaration.runtime_id] = ScheduledRun(
                        declaration.runtime_id, None, self._chain.depth, event
                    )
        return {runtime_id: followers[runtime_id] for runtime_id in sorted(followers)}

    def _queue(self, declaration: RuntimeDeclaration, event: EmittedEvent) -> None:
        if reason := self._gates.before_ordering(declaration):
            self._skips.append(Skip(declaration.runtime_id, reason))
        else:
            self._gates.note_start(declaration.runtime_id)
            self._jobs.append(Job(declaration.runtime_id, "event", event))

    def _order(self, runs: Mapping[str, ScheduledRun]) -> list[_Layer]:
        """The runs of one stage or depth in layers, without those that cannot take part."""
        members = []
        for runtime_id in runs:
            declaration = self._declarations[runtime_id]
            self._gates.expect(declaration)
            if reason := self._gates.before_ordering(declaration):
                self._skips.append(Skip(runtime_id, reason))
            else:
                members.append(declaration)
        ordered = order_layers(members)
        self._skips.extend(Skip(runtime_id, "dependency-cycle") for runtime_id in ordered.in_cycle)
        return [tuple(runs[runtime_id] for runtime_id in layer) for layer in ordered.layers]

    def _admit(self, planned: _Layer) -> list[_Layer]:
        """The runs of a layer that its gates let start, in parts that run one after the other."""
        admitted: dict[str, ScheduledRun] = {}
        for run in planned:
            if reason := self._gates.before_start(self._declarations[run.runtime_id]):
                self._skips.append(Skip(run.runtime_id, reason))
            elif run.runtime_id in self._detached:
                self._jobs.append(Job(run.runtime_id, "stage"))
            else:
                admitted[run.runtime_id] = run
        declarations = [self._declarations[runtime_id] for runtime_id in admitted]
        self._hazards.extend(effects_conflicts(declarations))
        if self._effects_policy == "strict":
            parts = split_by_effects(declarations)
            return [tuple(admitted[runtime_id] for runtime_id in part) for part in parts]
        return [tuple(admitted.values())] if admitted else []


def _consumers(members: Iterable[RuntimeDeclaration]) -> dict[str | None, str]:
    """By runtime ID and by contract, the first foreground runtime that reads its result."""
    consumers: dict[str | None, str] = {}
    for declaration in members:
        for dependency in declaration.dependencies:
            if dependency.kind != "after" and not declaration.detached:
                source = dependency.runtime_id or dependency.contract
                consumers.setdefault(source, declaration.runtime_id)
    consumers.pop(None, None)
    return consumers


def _ids(layer: _Layer) -> list[str]:
    return [run.runtime_id for run in layer]
