"""The clock of a session: its phase, what it counted, which runtimes ran and which are set up.

Phase and count stand in the session's row, moved by `advance_session`; the trigger ledger and the
setup states are rows of the host, versioned like plugin data. One commit writes all of them
(spec/execution.md 1.1, 1.3, 3.2).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from covel_host.store.kernel_rows import KernelRows
from covel_host.store.records import SessionPhase
from covel_host.store.sessions import require_session
from covel_host.store.setup_states import SetupState, setup_state_json, setup_state_of
from covel_host.store.snapshots import session_at_revision
from covel_host.store.transaction import Reading, Transaction

_TRIGGERS = KernelRows("triggers", "runs")
_SETUP = KernelRows("setup", "states")


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerLedgerRow:
    """The committed runs of one runtime, and the logical turn of the last one."""

    runtime_id: str
    runs: int
    last_turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionClock:
    """The clock as one revision left it; `triggers` and `setup` by runtime ID.

    A runtime that never ran has no row, and neither has a setup runtime that was never tried.
    """

    phase: SessionPhase
    completed_player_turns: int
    triggers: Mapping[str, TriggerLedgerRow] = field(default_factory=dict)
    setup: Mapping[str, SetupState] = field(default_factory=dict)


def read_clock(reading: Reading, session_id: str, *, revision: int | None = None) -> SessionClock:
    """The clock of the session, or as `revision` left it.

    Raises:
        SessionNotFoundError: there is no such session.
        RevisionNotKeptError: nothing keeps `revision` readable.
    """
    if revision is None:
        session = require_session(reading, session_id)
    else:
        session = session_at_revision(reading, session_id, revision)
    return SessionClock(
        phase=session.phase,
        completed_player_turns=session.completed_player_turns,
        triggers=read_triggers(reading, session_id, revision=revision),
        setup=read_setup(reading, session_id, revision=revision),
    )


def read_triggers(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> dict[str, TriggerLedgerRow]:
    """The trigger ledger by runtime ID."""
    return {
        runtime_id: _trigger(runtime_id, value)
        for runtime_id, value in _TRIGGERS.every(reading, session_id, revision=revision)
    }


def read_setup(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> dict[str, SetupState]:
    """The states of setup runtimes by runtime ID."""
    return {
        runtime_id: setup_state_of(value)
        for runtime_id, value in _SETUP.every(reading, session_id, revision=revision)
    }


def write_clock(
    transaction: Transaction,
    session_id: str,
    *,
    triggers: Iterable[TriggerLedgerRow] = (),
    setup: Mapping[str, SetupState] | None = None,
    revision: int,
    at: datetime,
) -> None:
    """Set the given rows as `revision`; rows that are not named stay as they are.

    `revision` is the one that the transaction makes. A settlement after a commit names the
    session's own: it belongs to what that commit was.

    Raises:
        RowConflictError: the session does not exist; at the next use of the transaction.
    """
    rows: dict[str, Any] = {
        row.runtime_id: {"runs": row.runs, "lastTurn": row.last_turn} for row in triggers
    }
    _TRIGGERS.put(transaction, session_id, rows, revision=revision, at=at)
    states: dict[str, Any] = {
        runtime_id: setup_state_json(state) for runtime_id, state in (setup or {}).items()
    }
    _SETUP.put(transaction, session_id, states, revision=revision, at=at)


def _trigger(runtime_id: str, value: Any) -> TriggerLedgerRow:
    return TriggerLedgerRow(runtime_id=runtime_id, runs=value["runs"], last_turn=value["lastTurn"])
