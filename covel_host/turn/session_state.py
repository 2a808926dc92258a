"""Everything that decides what may run in a session, as one record (spec/execution.md 1.1)."""

from collections.abc import Mapping
from dataclasses import dataclass

from covel_host.store.records import SeatRecord, SessionRecord
from covel_host.store.seats import every_seat
from covel_host.store.session_choices import read_model_overrides
from covel_host.store.session_clock import SessionClock, read_clock
from covel_host.store.sessions import require_session
from covel_host.store.setup_states import setup_state_json
from covel_host.store.transaction import Reading
from covel_host.turn.session_export_rows import session_row
from covel_host.turn.session_settings import SessionSettings, read_session_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """A session as it is.

    `session` has status, phase, count, locale, packages and incarnation; `model_slots` are the
    slots that players chose, by runtime ID; `settings` what players and the world set.
    """

    session: SessionRecord
    clock: SessionClock
    seats: tuple[SeatRecord, ...]
    model_slots: Mapping[str, str]
    settings: SessionSettings


def read_session_state(reading: Reading, session_id: str) -> SessionState:
    """The session as it is.

    Raises:
        SessionNotFoundError: there is no such session.
    """
    return SessionState(
        session=require_session(reading, session_id),
        clock=read_clock(reading, session_id),
        seats=tuple(every_seat(reading, session_id)),
        model_slots=read_model_overrides(reading, session_id),
        settings=read_session_settings(reading, session_id),
    )


def session_state_json(state: SessionState) -> dict[str, object]:
    """The record as it is shown; seats stand elsewhere."""
    session = state.session
    return {
        **session_row(session),
        "setupRuntimes": {
            runtime_id: setup_state_json(setup) for runtime_id, setup in state.clock.setup.items()
        },
        "runtimeModelOverrides": dict(state.model_slots),
        "pluginSettings": {name: dict(values) for name, values in state.settings.player.items()},
    }
