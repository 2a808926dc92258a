"""A session deleted with everything that only it holds (spec/api.md 3.2).

First it is marked, so that nothing runs in it any more; then its hooks are told; then its rows go
in one transaction, and the files of its media after them. A deletion that was interrupted is
finished by the next one, which tells no hook again.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from covel_host.media.errors import MediaUnusable
from covel_host.media.files import MediaFiles
from covel_host.runtime.media_sweep import sweep_media
from covel_host.store.assets import delete_session_assets
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import delete_session as delete_rows
from covel_host.store.sessions import require_session, update_session
from covel_host.store.transaction import Transaction
from covel_host.turn.session_changes import ChangePorts
from covel_host.turn.session_locks import session_held
from covel_host.turn.session_metadata import DELETING, is_deleting

TellEnd: TypeAlias = Callable[[SessionRecord], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Deleted:
    """What went: the session, media that no other one holds, and files that nothing named.

    `files` is None when the media folder could not be cleaned; a later deletion does it.
    """

    session_id: str
    media: int
    files: int | None


async def delete_session(
    ports: ChangePorts, session_id: str, *, media: MediaFiles, tell: TellEnd
) -> Deleted:
    """Delete the session, whatever its status; `tell` tells its hooks that it is over.

    Raises:
        SessionNotFoundError: there is no such session.
        ExecutionLockTakenError: another process is executing on this database.
    """
    session, is_first = await _marked(ports, session_id)
    if is_first:
        await tell(session)
    async with session_held(ports, session_id):
        count = await ports.store.transaction(lambda transaction: _delete(transaction, session))
    files = None
    with suppress(MediaUnusable):
        files = await sweep_media(media, ports.store)
    return Deleted(session_id, count, files)


async def _marked(ports: ChangePorts, session_id: str) -> tuple[SessionRecord, bool]:
    at = ports.clock.now()

    def mark(transaction: Transaction) -> tuple[SessionRecord, bool]:
        session = require_session(transaction, session_id)
        if is_deleting(session):
            return session, False
        marked = replace(
            session,
            status="ended" if session.status == "ended" else "paused",
            metadata={**session.metadata, DELETING: True},
            updated_at=at,
        )
        update_session(transaction, marked)
        return marked, True

    async with session_held(ports, session_id):
        return await ports.store.transaction(mark)


def _delete(transaction: Transaction, session: SessionRecord) -> int:
    require_session(transaction, session.session_id, incarnation=session.incarnation)
    count = delete_session_assets(transaction, session.session_id)
    delete_rows(transaction, session.session_id)
    return count
