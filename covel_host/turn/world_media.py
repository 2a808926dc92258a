"""The media of a world as files and rows of its session (spec/media.md 2.5)."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

from covel_host.media.files import StoredFile
from covel_host.runtime.session_media import SessionMedia, let_use
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.worlds.plan import WorldPlan


@asynccontextmanager
async def stored_media(media: SessionMedia, plan: WorldPlan) -> AsyncIterator[Sequence[StoredFile]]:
    """The files of the plan, stored while the block writes the session that uses them.

    Files of a session that is not made are removed again.

    Raises:
        RequestRefused: `world-changed`: a file is no more what it was when it was checked.
        MediaUnusable: the media folder cannot be written.
    """
    try:
        async with media.importing(file.bytes for file in plan.media) as stored:
            for file, planned in zip(stored, plan.media, strict=True):
                if file.media_id != planned.media_id:
                    raise _changed(plan, planned.name)
            yield stored
    except OSError as error:
        raise _changed(plan, str(error)) from error


def write_media(
    transaction: Transaction,
    session_id: str,
    plan: WorldPlan,
    stored: Sequence[StoredFile],
    *,
    at: datetime,
) -> None:
    """The rows by which the session may use the files."""
    for file, planned in zip(stored, plan.media, strict=True):
        meta = {"worldId": plan.world_id, "filename": planned.name}
        let_use(transaction, file, {**meta}, session_id, plugin_id=None, at=at)


def _changed(plan: WorldPlan, what: str) -> RequestRefused:
    return RequestRefused(
        f"The world pack {plan.world_id!r} was changed while a session was made of it: {what}.",
        code="world-changed",
        hint="Try again.",
    )
