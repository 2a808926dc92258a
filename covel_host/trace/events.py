"""The two kinds of events as facts."""

from dataclasses import dataclass, field
from datetime import datetime

from plugin_sdk.values import JsonValue


# Not frozen: a run makes hundreds, and a frozen one takes ten times as long to make.
@dataclass(slots=True, kw_only=True)
class TraceEvent:
    """One step of a turn, stored with it; `data` is redacted, its keys are camelCase.

    `position` orders the events of a turn, from 0. `run_id` is the runtime run it belongs to
    (None: the turn itself), `parent_id` the run that started that run (None: the turn did).
    """

    type: str
    at: datetime
    turn_id: str
    position: int
    run_id: str | None = None
    parent_id: str | None = None
    data: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """What clients are told about a session after a commit (spec/protocol.md 3).

    `payload` has the camelCase members of the event's type.
    """

    type: str
    session_id: str
    turn_id: str
    payload: dict[str, JsonValue] = field(default_factory=dict)
