"""What a player decides about a blocked setup runtime: to try it again, or to go on without it.

Neither moves the session's phase: that is for the commit of an execution (spec/execution.md 1.1).
"""

from collections.abc import Callable, Collection
from datetime import datetime

from covel_host.store.records import SessionRecord
from covel_host.store.session_clock import read_setup, write_clock
from covel_host.store.setup_states import SetupPending, SetupState
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.schedule_setup_records import retry, waive
from covel_host.turn.session_changes import (
    UNCHANGED,
    Changed,
    ChangePlace,
    ChangePorts,
    Unchanged,
    change_session,
)

WAIVED_WARNING = "The player went on without it."


async def retry_setup(
    ports: ChangePorts, session_id: str, runtime_id: str, *, setup_runtimes: Collection[str]
) -> Changed:
    """Let a blocked setup runtime run again, in its next generation; a pending one stays as it is.

    `setup_runtimes` are those of the session's packages: one that was never tried has no row.

    Raises:
        SetupNotBlockedError: it is done.
        RequestRefused: `setup-runtime-not-found`, or as `change_session`.
    """

    def decide(state: SetupState, at: datetime) -> SetupState:
        return state if isinstance(state, SetupPending) else retry(state)

    return await _decided(ports, session_id, runtime_id, setup_runtimes, decide)


async def waive_setup(
    ports: ChangePorts, session_id: str, runtime_id: str, *, setup_runtimes: Collection[str]
) -> Changed:
    """Count a blocked setup runtime as done, with a warning, though its work is missing.

    Raises:
        SetupNotBlockedError: it is pending or done.
        RequestRefused: `setup-runtime-not-found`, or as `change_session`.
    """

    def decide(state: SetupState, at: datetime) -> SetupState:
        return waive(state, warning=WAIVED_WARNING, now=at)

    return await _decided(ports, session_id, runtime_id, setup_runtimes, decide)


async def _decided(
    ports: ChangePorts,
    session_id: str,
    runtime_id: str,
    setup_runtimes: Collection[str],
    decide: Callable[[SetupState, datetime], SetupState],
) -> Changed:
    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        known = read_setup(transaction, session_id)
        state = known.get(runtime_id)
        if state is None:
            if runtime_id not in setup_runtimes:
                raise _not_found(session_id, runtime_id, {*known, *setup_runtimes})
            # Never tried, so pending; its version is for the first attempt to say.
            state = SetupPending(plugin_version="")
        decided = decide(state, place.at)
        if decided is state:
            return UNCHANGED
        write_clock(
            transaction,
            session_id,
            setup={runtime_id: decided},
            revision=place.revision,
            at=place.at,
        )
        return place.session

    return await change_session(ports, session_id, change)


def _not_found(session_id: str, runtime_id: str, known: Collection[str]) -> RequestRefused:
    named = ", ".join(map(repr, sorted(known))) or "none"
    return RequestRefused(
        f"The session {session_id!r} has no setup runtime {runtime_id!r}; it has: {named}.",
        code="setup-runtime-not-found",
    )
