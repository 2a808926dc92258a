"""The facts of one execution: what it holds from its start to its end."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.dataset_policies import dataset_policies
from covel_host.catalog.generation import Generation
from covel_host.proposals.data_policies import DataPolicies
from covel_host.runtime.run import SingleCall
from covel_host.runtime.suspension import ResumedRun, RunScene
from covel_host.store.records import SessionRecord, TurnOrigin
from covel_host.store.suspensions import SuspensionRecord
from covel_host.turn.freezing import FrozenSession
from covel_host.turn.job_lease import JobLease
from covel_host.turn.schedule_types import Situation
from covel_host.turn.services import session_generations
from covel_host.turn.session_runtimes import SessionRuntime, SessionRuntimes
from covel_host.turn.turn_clock import TurnClock
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerInput:
    """What a player sent along; without a `message` nobody spoke.

    Under `message_id` the player may have posted the message before. `seat_id` is the seat that
    acts, None for the default one.
    """

    message: str | None = None
    message_id: str | None = None
    seat_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Continued:
    """The suspension that an execution goes on from.

    `logical_turn_id` and `counts_turn` are those of the execution that began it; `is_last` says
    that nothing else of that logical turn waits.
    """

    record: SuspensionRecord
    run: ResumedRun
    logical_turn_id: str
    counts_turn: bool
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTarget:
    """The job that an execution does: held by `lease`, run with what `scene` froze."""

    lease: JobLease
    scene: RunScene


@dataclass(frozen=True, slots=True)
class ManualTarget:
    """The one runtime that an execution is for, and what it was given.

    A person started it by hand, with `call` as one tool call; or it goes on from a suspension; or
    it is a job.
    """

    runtime: SessionRuntime
    payload: JsonValue
    call: SingleCall | None = None
    continued: Continued | None = None
    job: JobTarget | None = None

    @property
    def scene(self) -> RunScene | None:
        """What was frozen for it at an earlier time."""
        if self.continued is not None:
            return self.continued.run.scene
        return None if self.job is None else self.job.scene


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionFacts:
    """What an execution holds from its start to its end; nothing of it is read again.

    `catalog` is leased for that time, `runtimes` are those that may run. `policies` are those of
    the data sets of every package that may write, at staging and at commit. `slot` is the model
    slot that the caller wants in place of the runtimes' own. With `is_start` only unfinished setup
    runtimes run. `parent_turn_id` is the execution that this one continues. `is_new_session` says
    that the session was made for it. `paused` are the packages set aside after repeated errors,
    `unsettled` the jobs whose end was waited for in vain.
    """

    origin: TurnOrigin
    catalog: Catalog
    session: SessionRecord
    frozen: FrozenSession
    runtimes: SessionRuntimes
    clock: TurnClock
    policies: DataPolicies
    turn_id: str
    started_at: datetime
    input: PlayerInput = field(default_factory=PlayerInput)
    target: ManualTarget | None = None
    slot: str | None = None
    is_start: bool = False
    is_new_session: bool = False
    parent_turn_id: str | None = None
    paused: frozenset[str] = frozenset()
    unsettled: tuple[str, ...] = ()

    @property
    def continued(self) -> Continued | None:
        """The suspension that the execution goes on from."""
        return None if self.target is None else self.target.continued

    @property
    def job(self) -> JobTarget | None:
        """The job that the execution does."""
        return None if self.target is None else self.target.job

    @property
    def is_by_hand(self) -> bool:
        """Whether a person or a job of its own started it, which moves no clock."""
        return self.target is not None and self.target.continued is None

    @property
    def logical_turn(self) -> int:
        """Committed player turns + 1 as the execution first began (spec/execution.md 2.2)."""
        if self.target is not None and self.target.scene is not None:
            return self.target.scene.logical_turn
        return self.session.completed_player_turns + 1

    @property
    def logical_turn_id(self) -> str:
        """The turn that counts: that of the execution which began it."""
        return self.turn_id if self.continued is None else self.continued.logical_turn_id

    @property
    def counts_turn(self) -> bool:
        """Whether the logical turn counts once nothing of it waits any more."""
        if self.continued is not None:
            return self.continued.counts_turn
        return self.origin == "player" and self.session.phase == "playing" and not self.is_start

    @property
    def situation(self) -> Situation:
        """What scheduling reads of the session."""
        target = self.target
        return Situation(
            logical_turn=self.logical_turn,
            phase=self.session.phase,
            setup_states=self.clock.setup_states,
            ledger=self.clock.ledger,
            manual_runtime_id=None if target is None else target.runtime.runtime_id,
        )


def policies_of(
    catalog: Catalog, session: SessionRecord, more: Iterable[Generation] = ()
) -> DataPolicies:
    """The policies of the data sets that an execution of the session can write.

    Through services every package of the session may be written.
    """
    return dataset_policies([*more, *session_generations(catalog, session)])
