"""What the database holds of sessions, read beside any writer."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from covel_host.settings import Settings
from covel_host.store.errors import StoreError
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.messages import list_messages, list_turn_messages
from covel_host.store.options import StoreOptions
from covel_host.store.outside_inputs import list_outside_inputs
from covel_host.store.package_failures import PackageFailures, read_package_failures
from covel_host.store.reader import StoreReader
from covel_host.store.records import (
    MessageRecord,
    OutsideInputRecord,
    SeatRecord,
    SessionRecord,
    ToolCallRecord,
    TraceRecord,
    TurnRecord,
)
from covel_host.store.seats import every_seat
from covel_host.store.sessions import list_sessions, require_session
from covel_host.store.tool_calls import list_tool_calls
from covel_host.store.traces import list_trace
from covel_host.store.transaction import Reading
from covel_host.store.turns import get_turn, list_turns
from covel_host.turn.shown_turns import shown_calls, shown_turn

SHOWN = 100
"""The newest messages and turns that are shown of a session."""
LAST = "last"
"""What people call the session that changed last, and the newest turn of one."""


class TurnNotFound(StoreError):
    """The session has no such turn."""

    def __init__(self, session_id: str, turn_id: str) -> None:
        super().__init__(
            f"The session {session_id!r} has no turn {turn_id!r}.",
            code="turn-not-found",
            hint=f"See: covel sessions show {session_id}",
        )


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """One turn with its calls; `trace` is empty unless the turn is shown in full."""

    turn: TurnRecord
    calls: tuple[ToolCallRecord, ...]
    trace: tuple[TraceRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """A session with its newest messages, turns and outside inputs, oldest first.

    `traced` is the turn that is shown in full: the one asked for, else the newest. `inputs` came
    from outside every turn, such as RPC calls, `seats` say who plays whom, and `failures` which
    packages failed in their last turns; a view of one turn has none of these.
    """

    session: SessionRecord
    messages: tuple[MessageRecord, ...]
    turns: tuple[TurnFacts, ...]
    traced: TurnFacts | None
    inputs: tuple[OutsideInputRecord, ...] = ()
    seats: tuple[SeatRecord, ...] = ()
    failures: tuple[PackageFailures, ...] = ()


def read_sessions(settings: Settings, *, limit: int) -> list[SessionRecord]:
    """At most `limit` sessions, last changed first; none when there is no database yet.

    Raises:
        StoreError: the database cannot be read.
    """
    with _reader(settings) as reader:
        return reader.read_now(lambda reading: list_sessions(reading, limit=limit))


def read_session(settings: Settings, session_id: str, *, turn_id: str | None) -> SessionFacts:
    """One session, all of it from one committed state; with `turn_id` only that turn of it.

    Raises:
        SessionNotFoundError: there is no such session.
        TurnNotFound: it has no such turn.
        StoreError: the database cannot be read.
    """
    with _reader(settings) as reader:
        if turn_id is None:
            return reader.read_now(lambda reading: _newest(reading, session_id))
        return reader.read_now(lambda reading: _one_turn(reading, session_id, turn_id))


@contextlib.contextmanager
def _reader(settings: Settings) -> Iterator[StoreReader]:
    reader = StoreReader.open(StoreOptions(path=settings.database))
    try:
        yield reader
    finally:
        reader.close()


def _newest(reading: Reading, session_id: str) -> SessionFacts:
    session = require_session(reading, session_id)
    messages = tuple(list_messages(reading, session_id, limit=SHOWN))
    inputs = tuple(list_outside_inputs(reading, session_id, limit=SHOWN))
    seats = tuple(every_seat(reading, session_id))
    failures = tuple(read_package_failures(reading, session_id).values())
    newest_first = list_turns(reading, session_id, limit=SHOWN)
    if not newest_first:
        return SessionFacts(session, messages, (), None, inputs, seats, failures)
    traced = _traced(reading, newest_first[0])
    older = [_turn(reading, turn) for turn in reversed(newest_first[1:])]
    return SessionFacts(session, messages, (*older, traced), traced, inputs, seats, failures)


def _one_turn(reading: Reading, session_id: str, turn_id: str) -> SessionFacts:
    session = require_session(reading, session_id)
    turn = get_turn(reading, session_id, turn_id)
    if turn is None:
        raise TurnNotFound(session_id, turn_id)
    traced = _traced(reading, turn)
    messages = list_turn_messages(reading, session_id, turn_id, limit=MAX_LIMIT)
    return SessionFacts(session, tuple(messages), (traced,), traced)


def _turn(reading: Reading, turn: TurnRecord) -> TurnFacts:
    calls = list_tool_calls(reading, turn.session_id, turn.turn_id)
    return TurnFacts(shown_turn(turn), tuple(shown_calls(turn, calls)))


def _traced(reading: Reading, turn: TurnRecord) -> TurnFacts:
    names = (turn.session_id, turn.turn_id)
    calls = list_tool_calls(reading, *names, limit=MAX_LIMIT)
    return TurnFacts(
        shown_turn(turn),
        tuple(shown_calls(turn, calls)),
        tuple(list_trace(reading, *names, limit=MAX_LIMIT)),
    )


def session_meant(reading: Reading, wanted: str) -> str:
    """The ID of the session that `wanted` names; `last` is the one that changed last.

    Raises:
        SessionNotFoundError: there is none.
    """
    newest = list_sessions(reading, limit=1) if wanted == LAST else []
    return newest[0].session_id if newest else require_session(reading, wanted).session_id
