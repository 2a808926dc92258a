"""A package that is turned on again begins anew where it was set aside (spec/decisions.md 4)."""

from covel_host.cli.in_session import read_store
from covel_host.cli.session_desk import Desk, at_desk
from covel_host.settings import Settings
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.package_failures import read_package_failures
from covel_host.store.sessions import list_sessions
from covel_host.store.transaction import Reading
from covel_host.turn.package_pauses import unpause_package


def unpause_everywhere(settings: Settings, plugin_id: str) -> tuple[str, ...]:
    """The sessions in which failures of the package were counted, and are no more.

    Sessions that have ended stay as they are.

    Raises:
        StoreError: the database cannot be used.
    """
    if not settings.database.exists():
        return ()

    def failing(reading: Reading) -> tuple[str, ...]:
        return tuple(
            session.session_id
            for session in list_sessions(reading, limit=MAX_LIMIT)
            if session.status != "ended"
            and plugin_id in read_package_failures(reading, session.session_id)
        )

    session_ids = read_store(settings, failing)

    async def unpause(desk: Desk) -> None:
        for session_id in session_ids:
            await unpause_package(desk, session_id, plugin_id)

    if session_ids:
        at_desk(settings, session_ids[0], unpause)
    return session_ids
