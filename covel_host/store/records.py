"""The rows as facts, one frozen class per table (spec/storage.md 2).

Fields hold fresh values: changing a mutable member of a record changes no row.
"""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from plugin_sdk.values import JsonValue

SessionStatus = Literal["active", "paused", "ended"]
SessionPhase = Literal["setup", "playing"]
TurnOrigin = Literal["player", "continuation", "manual", "background", "recursive", "resume"]
CommitStatus = Literal["pending", "committed", "failed"]
MessageSource = Literal["player", "runtime", "tool", "system", "player-input"]
MessageRole = Literal["user", "assistant", "system", "tool"]
ToolCallStatus = Literal["completed", "failed", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """One session; `revision` counts its commits, 0 when nothing was committed yet.

    `incarnation` tells a session from a later one that was given the same ID.
    """

    session_id: str
    incarnation: str
    created_at: datetime
    updated_at: datetime
    world_id: str | None = None
    status: SessionStatus = "active"
    phase: SessionPhase = "playing"
    completed_player_turns: int = 0
    revision: int = 0
    locale: str = "en"
    active_packages: tuple[str, ...] = ()
    metadata: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRevision:
    """What one commit left behind: the turn that made it and the session's clock after it.

    `state` has `status`, `phase`, `completedPlayerTurns`, `locale`, `activePackages`.
    """

    session_id: str
    revision: int
    turn_id: str | None
    committed_at: datetime
    state: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """One execution's result; `revision` is set exactly when it was committed.

    `logical_turn` is the number fixed at the start, `logical_turn_id` what retries of the same
    turn share. `failure` has `code` and `message`. `sequence` is given by the store, from 1.
    """

    session_id: str
    turn_id: str
    origin: TurnOrigin
    logical_turn_id: str
    logical_turn: int
    commit_status: CommitStatus
    started_at: datetime
    parent_turn_id: str | None = None
    revision: int | None = None
    results: JsonValue = None
    failure: dict[str, JsonValue] | None = None
    finished_at: datetime | None = None
    duration_ms: int | None = None
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageRecord:
    """One message of the committed journal; `sequence` is given by the store, from 1."""

    message_id: str
    session_id: str
    turn_id: str
    revision: int
    source: MessageSource
    role: MessageRole
    content: str
    created_at: datetime
    kind: str | None = None
    plugin_id: str | None = None
    runtime_id: str | None = None
    data: dict[str, JsonValue] = field(default_factory=dict)
    sequence: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallRecord:
    """The audit of one tool call; `position` orders the calls of a turn, from 0.

    `arguments` is what the function got, or the model's raw text where it could not be read.
    `error` has `code` and `message`.
    """

    session_id: str
    turn_id: str
    position: int
    call_id: str
    plugin_id: str
    runtime_id: str
    tool_name: str
    status: ToolCallStatus
    arguments: JsonValue
    started_at: datetime
    duration_ms: int
    run_id: str | None = None
    result: JsonValue = None
    error: dict[str, JsonValue] | None = None
    approval: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceRecord:
    """One trace event of a turn; `position` orders the events of a turn, from 0."""

    session_id: str
    turn_id: str
    position: int
    type: str
    at: datetime
    run_id: str | None
    parent_id: str | None
    data: dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginDataRecord:
    """One record of a package; `version` is the revision that wrote it."""

    session_id: str
    plugin_id: str
    namespace: str
    key: str
    version: int
    value: JsonValue
    created_at: datetime
    updated_at: datetime
