"""The session an execution runs in: found, or made for it."""

from collections.abc import Sequence
from dataclasses import replace

from covel_host.store.records import SessionRecord
from covel_host.store.sessions import get_session, insert_session, update_session
from covel_host.store.store import Store
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.ports import TurnPorts
from covel_host.turn.session_metadata import brought_back
from covel_host.turn.session_phase import first_phase


async def needed_packages(ports: TurnPorts, request: ManualRequest) -> tuple[str, ...]:
    """The packages that `request` runs with: its own, and those of its session."""
    wanted = (request.plugin_id, *request.packages)
    session_id = request.session_id
    if session_id is None:
        return wanted
    session = await ports.store.read(lambda reading: get_session(reading, session_id))
    return wanted if session is None else (*wanted, *session.active_packages)


async def session_for(
    ports: TurnPorts, session_id: str | None, *, packages: Sequence[str]
) -> SessionRecord:
    """The named session, or a new one, with `packages` among its active ones.

    Raises:
        RequestRefused: there is no such session, or it is paused or ended.
    """
    if session_id is None:
        return await new_session(ports, tuple(dict.fromkeys(packages)))
    session = await active_session(ports.store, session_id)
    return await _with_packages(ports, session, packages)


async def active_session(store: Store, session_id: str) -> SessionRecord:
    """The named session, which is one that things may happen in.

    Raises:
        RequestRefused: there is no such session, or it is paused or ended.
    """
    session = await store.read(lambda reading: get_session(reading, session_id))
    if session is None:
        raise RequestRefused(
            f"There is no session {session_id!r}.",
            code="session-not-found",
            hint="See: covel sessions list",
        )
    if session.status != "active":
        raise RequestRefused(
            f"The session {session_id!r} is {session.status}; nothing runs in it.",
            code="session-not-active",
            hint=f"Let it go on: covel sessions resume {session_id}"
            if session.status == "paused"
            else f"Go on from it in a new one: covel sessions fork {session_id}",
        )
    return session


async def new_session(ports: TurnPorts, packages: tuple[str, ...]) -> SessionRecord:
    """A new session with those active packages, in the host's locale."""
    now = ports.clock.now()
    session = SessionRecord(
        session_id=ports.ids.new("session"),
        incarnation=ports.ids.new("incarnation"),
        created_at=now,
        updated_at=now,
        locale=ports.locale,
        active_packages=packages,
        phase=first_phase(ports.catalogs.current, packages),
    )
    await ports.store.transaction(lambda transaction: insert_session(transaction, session))
    return session


async def _with_packages(
    ports: TurnPorts, session: SessionRecord, packages: Sequence[str]
) -> SessionRecord:
    active = tuple(dict.fromkeys((*session.active_packages, *packages)))
    if active == session.active_packages:
        return session
    # Whoever runs a package in the session wants it there, also one that was taken out.
    wider = replace(
        brought_back(session, packages), active_packages=active, updated_at=ports.clock.now()
    )
    await ports.store.transaction(lambda transaction: update_session(transaction, wider))
    return wider
