"""What an execution hands to its commit, and what the commit hands back."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from covel_host.proposals.staged import StagedProposal
from covel_host.store.records import (
    MessageRole,
    MessageSource,
    SessionPhase,
    SessionRecord,
    ToolCallRecord,
    TurnOrigin,
)
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent, TraceEvent
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A journal message of the host itself, such as what the player wrote."""

    message_id: str
    source: MessageSource
    role: MessageRole
    content: str
    created_at: datetime
    kind: str | None = None
    plugin_id: str | None = None
    runtime_id: str | None = None
    data: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionCommit:
    """One execution, complete: everything its transaction writes (spec/transactions.md 4.1).

    `messages` come before the narrative of the proposals. `proposals` stand in execution order.
    `phase` is the session's new phase, None to leave it. `dimension_provider_id` is the package
    that alone may write dimensions, None when the session has none. `extra_writes` are the host's
    own writes; it is called in the transaction with the new revision, after the proposals.
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
    results: JsonValue = None
    messages: tuple[NewMessage, ...] = ()
    proposals: tuple[StagedProposal, ...] = ()
    tool_calls: tuple[ToolCallRecord, ...] = ()
    trace: tuple[TraceEvent, ...] = ()
    phase: SessionPhase | None = None
    dimension_provider_id: str | None = None
    extra_writes: Callable[[Transaction, int], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitReport:
    """What was committed: the session after it, and the events to send now that it is stored.

    `is_counted` says whether this commit raised `completed_player_turns`.
    """

    turn_id: str
    revision: int
    session: SessionRecord
    is_counted: bool
    events: tuple[SessionEvent, ...]
