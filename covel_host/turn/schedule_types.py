"""The facts that scheduling is decided from, and the facts it hands out (spec/execution.md 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from covel_host.manifest.schedule import Cardinality, Stage, TriggerType
from covel_host.runtime.run_status import RunStatus
from covel_host.store.records import SessionPhase
from covel_host.store.setup_states import SetupProgress
from plugin_sdk.values import JsonValue

STAGES: tuple[Stage, ...] = get_args(Stage)
"""Stages in running order; a barrier stands between two of them (spec/execution.md 3.1)."""

SkipReason: TypeAlias = Literal[
    "setup-incomplete",
    "setup-session-cycle",
    "dependency-cycle",
    "dimension-snapshot-unavailable",
    "need-unmet",
    "input-unmet",
    "session-need-unmet",
]
"""Why a selected runtime does not run."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """When a runtime is selected; numbers count logical turns (spec/manifest.md 5.2)."""

    kind: TriggerType = "auto"
    interval: int = 1
    topic: str | None = None
    start_turn: int = 0
    max_runs: int | None = None
    cooldown_turns: int = 0


@dataclass(frozen=True, slots=True)
class Dependency:
    """One entry of `needs`, `after` or the turn-scoped `io.inputs`.

    Exactly one of `runtime_id` and `contract` is set. `kind` decides whether a missing success
    holds the runtime back: `need` and `required-input` do, `after` and `input` only order.
    """

    kind: Literal["need", "after", "input", "required-input"]
    runtime_id: str | None = None
    contract: str | None = None
    cardinality: Cardinality = "one"
    scope: Literal["turn", "session"] = "turn"

    @property
    def gates(self) -> bool:
        """Whether the runtime is skipped when this dependency gives no usable result."""
        return self.kind in ("need", "required-input")


@dataclass(frozen=True, slots=True)
class RuntimeDeclaration:
    """What scheduling reads of one runtime's manifest.

    `contract` is the output contract; `reads` and `writes` name effect resources.
    """

    runtime_id: str
    plugin_id: str
    stage: Stage | None = None
    trigger: Trigger = Trigger()
    dependencies: tuple[Dependency, ...] = ()
    contract: str | None = None
    is_story: bool = False
    background: bool = False
    detached: bool = False
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    parallel_safe: bool = False


@dataclass(frozen=True, slots=True)
class CommittedRuns:
    """One runtime's row of the trigger ledger: committed runs and the turn of the last one."""

    runs: int
    last_turn: int


@dataclass(frozen=True, slots=True)
class EmittedEvent:
    """A domain event with the runtime that sent it; `None` for one that came with the request."""

    topic: str
    data: JsonValue
    emitted_by: str | None = None


@dataclass(frozen=True, slots=True)
class Situation:
    """The frozen state of a session that one execution is planned on.

    A setup runtime without an entry in `setup_states` counts as pending. `pending_events` are
    events that the execution starts with, such as one sent from a panel.
    """

    logical_turn: int
    phase: SessionPhase = "playing"
    setup_states: Mapping[str, SetupProgress] = field(default_factory=dict)
    ledger: Mapping[str, CommittedRuns] = field(default_factory=dict)
    manual_runtime_id: str | None = None
    pending_events: tuple[EmittedEvent, ...] = ()

    def setup_state(self, runtime_id: str) -> SetupProgress:
        """The committed progress of one setup runtime."""
        return self.setup_states.get(runtime_id, "pending")


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """How one run ended.

    `explicit_skip` marks a `skipped` that the guard or handler chose: its fields count as output
    (spec/execution.md 4). `completes_setup` is the explicit signal of a setup runtime.
    """

    status: RunStatus = "success"
    events: tuple[tuple[str, JsonValue], ...] = ()
    explicit_skip: bool = False
    completes_setup: bool = False

    @property
    def is_usable(self) -> bool:
        """Whether consumers may build on this result."""
        return self.status == "success" or (self.status == "skipped" and self.explicit_skip)

    @property
    def publishes_events(self) -> bool:
        """Whether the events count; those of failed and suspended runs are dropped."""
        return self.status in ("success", "skipped")


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """One run to start now. `depth` is 0 for stage runtimes and counts up along event chains."""

    runtime_id: str
    stage: Stage | None
    depth: int = 0
    event: EmittedEvent | None = None


@dataclass(frozen=True, slots=True)
class Skip:
    """A selected runtime that does not run."""

    runtime_id: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class Job:
    """A run to queue in the commit of this execution (spec/execution.md 9.1)."""

    runtime_id: str
    activation: Literal["stage", "manual", "event"]
    event: EmittedEvent | None = None


@dataclass(frozen=True, slots=True)
class EventDelivery:
    """An event that reached subscribers within the turn, in the order they ran."""

    event: EmittedEvent
    to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventPayloadDropped:
    """A payload that is not delivered because its topic was already taken (seed: 去重的范围).

    `runtime_id` is the emitter of the dropped payload.
    """

    topic: str
    runtime_id: str
    code: Literal["event-payload-dropped"] = "event-payload-dropped"


@dataclass(frozen=True, slots=True)
class EffectsConflict:
    """Runtimes of one layer whose declared effects meet in one resource (spec/execution.md 3.4)."""

    resource: str
    runtime_ids: tuple[str, ...]
    code: Literal["effects-conflict"] = "effects-conflict"


@dataclass(frozen=True, slots=True)
class DetachedInForeground:
    """A detached runtime that runs in the turn, because `consumer_id` reads its result there."""

    runtime_id: str
    consumer_id: str
    code: Literal["detached-in-foreground"] = "detached-in-foreground"


Hazard: TypeAlias = EventPayloadDropped | EffectsConflict | DetachedInForeground
