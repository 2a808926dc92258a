"""What an execution hands to its commit, and what the commit hands back."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from covel_host.proposals.commit_units import HardDependency, RunRole
from covel_host.proposals.data_policies import NO_POLICIES, DataPolicies
from covel_host.proposals.errors import FailedProposal, ProposalRefused
from covel_host.proposals.staged import StagedProposal
from covel_host.schemas.compiled import CompiledSchema
from covel_host.store.records import (
    MessageRole,
    MessageSource,
    SessionPhase,
    SessionRecord,
    ToolCallRecord,
    TurnOrigin,
)
from covel_host.store.snapshots import AUTO_SNAPSHOTS_KEPT
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent, TraceEvent
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A journal message of the host itself, such as what the player wrote.

    `may_be_posted` says that the ID came with the request: a message the player posted under it
    is adopted (`inputMessageId`, spec/transactions.md 9).
    """

    message_id: str
    source: MessageSource
    role: MessageRole
    content: str
    created_at: datetime
    kind: str | None = None
    plugin_id: str | None = None
    runtime_id: str | None = None
    data: dict[str, JsonValue] = field(default_factory=dict)
    may_be_posted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportWrite:
    """An output to be kept under `name` for later executions (`io.output.recordAs`).

    `schema` is the output schema as it was captured when the run started. A declared export
    without one rolls the whole execution back (spec/transactions.md 4.4).
    """

    name: str
    value: JsonValue
    schema: CompiledSchema | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWrites:
    """What one run that succeeded or was skipped wants written; its proposals stand in order.

    `veto` is the refusal of one of them from before the commit: the run is dropped for it.
    """

    run_id: str
    plugin_id: str
    runtime_id: str
    proposals: tuple[StagedProposal, ...] = ()
    export: ExportWrite | None = None
    role: RunRole = "other"
    rests_on: tuple[HardDependency, ...] = ()
    veto: ProposalRefused | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedRun:
    """A run that was left out of a commit; nothing of it was written.

    `because_of` is the dropped run it rested on, None when a proposal of its own was refused.
    """

    run_id: str
    runtime_id: str
    code: str
    message: str
    because_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LostExport:
    """An export that could not be stored; everything else of its run was."""

    run_id: str
    runtime_id: str
    name: str
    code: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitProgress:
    """What the host's own writes are told: the new revision, and the runs that are not in it."""

    revision: int
    dropped: tuple[DroppedRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWrites:
    """What the host's own writes say of the commit.

    `dropped` are runs that turned out to have failed, `events` are sent after the commit. With
    `holds_turn_open` the logical turn is not counted yet.
    """

    dropped: tuple[DroppedRun, ...] = ()
    events: tuple[SessionEvent, ...] = ()
    holds_turn_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionCommit:
    """One execution, complete: everything its transaction writes (spec/transactions.md 4.1).

    `results` are the results of all runs as stored, failed ones included, each with its `runId`;
    `runs` those that may commit, in execution order. `messages` come before the narrative of the
    runs. `phase` is the session's new phase, None to leave it. `dimension_provider_id` is the
    package that alone may write dimensions, None when the session has none; `policies` those of
    the data sets. `extra_writes` are the host's own writes, made in the transaction after the runs
    and their exports. `counts_turn` says whether an execution of a player, or one that goes on
    with it, counts as a turn; setup does not.
    """

    session_id: str
    incarnation: str
    turn_id: str
    origin: TurnOrigin
    logical_turn_id: str
    logical_turn: int
    started_at: datetime
    finished_at: datetime
    duration_ms: int
    parent_turn_id: str | None = None
    results: tuple[JsonObject, ...] = ()
    messages: tuple[NewMessage, ...] = ()
    runs: tuple[RunWrites, ...] = ()
    tool_calls: tuple[ToolCallRecord, ...] = ()
    trace: tuple[TraceEvent, ...] = ()
    phase: SessionPhase | None = None
    dimension_provider_id: str | None = None
    policies: DataPolicies = field(default_factory=lambda: NO_POLICIES)
    auto_snapshots_kept: int = AUTO_SNAPSHOTS_KEPT
    extra_writes: Callable[[Transaction, CommitProgress], HostWrites] | None = None
    counts_turn: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitReport:
    """What was committed: the session after it, and the events to send now that it is stored.

    `is_counted` says whether this commit raised `completed_player_turns`. `failed` are the
    proposals that were refused, the reason of the first of `dropped`.
    """

    turn_id: str
    revision: int
    session: SessionRecord
    is_counted: bool
    events: tuple[SessionEvent, ...]
    dropped: tuple[DroppedRun, ...] = ()
    failed: tuple[FailedProposal, ...] = ()
    lost_exports: tuple[LostExport, ...] = ()
