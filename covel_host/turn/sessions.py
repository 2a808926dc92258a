"""The session an execution runs in: found, or made for it."""

from dataclasses import replace

from covel_host.store.records import SessionRecord
from covel_host.store.sessions import get_session, insert_session, update_session
from covel_host.turn.errors import RequestRefused
from covel_host.turn.ports import TurnPorts


async def session_for(ports: TurnPorts, session_id: str | None, *, plugin_id: str) -> SessionRecord:
    """The named session, or a new one, with `plugin_id` among its active packages.

    Raises:
        RequestRefused: there is no such session, or it is paused or ended.
    """
    if session_id is None:
        return await _new_session(ports, plugin_id)
    session = await ports.store.read(lambda reading: get_session(reading, session_id))
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
        )
    return await _with_package(ports, session, plugin_id)


async def _new_session(ports: TurnPorts, plugin_id: str) -> SessionRecord:
    now = ports.clock.now()
    session = SessionRecord(
        session_id=ports.ids.new("session"),
        incarnation=ports.ids.new("incarnation"),
        created_at=now,
        updated_at=now,
        locale=ports.locale,
        active_packages=(plugin_id,),
    )
    await ports.store.transaction(lambda transaction: insert_session(transaction, session))
    return session


async def _with_package(ports: TurnPorts, session: SessionRecord, plugin_id: str) -> SessionRecord:
    if plugin_id in session.active_packages:
        return session
    wider = replace(
        session,
        active_packages=(*session.active_packages, plugin_id),
        updated_at=ports.clock.now(),
    )
    await ports.store.transaction(lambda transaction: update_session(transaction, wider))
    return wider
