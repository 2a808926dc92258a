"""A session is deleted once it is quiet, told about once, and finished when it was interrupted."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from covel_host.cli.session_desk import Desk
from covel_host.media.claims import claimed
from covel_host.media.files import MediaFiles
from covel_host.runtime import media_sweep
from covel_host.store.errors import SessionNotFoundError
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import delete_session as delete_rows
from covel_host.store.sessions import get_session, insert_session
from covel_host.turn.session_deletion import Deleted, delete_session
from tests.store.builders import session
from tests.support.session_desks import at_desk


class Told:
    """Keeps which sessions it is told of; fails as often as it is asked to."""

    def __init__(self, *failures: Exception) -> None:
        self.sessions: list[SessionRecord] = []
        self._failures = list(failures)

    async def __call__(self, ended: SessionRecord) -> None:
        self.sessions.append(ended)
        if self._failures:
            raise self._failures.pop()


@pytest.mark.parametrize("status", ["active", "paused", "ended"])
def test_a_session_of_any_status_is_marked_told_and_gone(tmp_path: Path, status: str) -> None:
    told = Told()

    async def body(desk: Desk) -> Deleted:
        return await delete_session(desk, "s1", media=MediaFiles(tmp_path / "m"), tell=told)

    deleted, after = at_desk(tmp_path, body, status=status)
    assert deleted == Deleted("s1", media=0, files=0)
    assert after is None
    (marked,) = told.sessions
    assert marked.status == ("ended" if status == "ended" else "paused")
    assert "deleting" in marked.metadata


def test_an_interrupted_deletion_is_finished_without_telling_again(tmp_path: Path) -> None:
    told = Told(RuntimeError("the process dies here"))

    async def body(desk: Desk) -> None:
        with pytest.raises(RuntimeError):
            await delete_session(desk, "s1", media=MediaFiles(tmp_path / "m"), tell=told)
        assert await desk.store.read(lambda reading: get_session(reading, "s1")) is not None
        await delete_session(desk, "s1", media=MediaFiles(tmp_path / "m"), tell=told)

    _, after = at_desk(tmp_path, body)
    assert after is None
    assert len(told.sessions) == 1


def test_a_deletion_waits_for_the_turn_that_runs(tmp_path: Path) -> None:
    told = Told()

    async def body(desk: Desk) -> bool:
        async with desk.session_locks.held("s1"):
            deleting = asyncio.ensure_future(
                delete_session(desk, "s1", media=MediaFiles(tmp_path / "m"), tell=told)
            )
            await asyncio.sleep(0)
            found = await desk.store.read(lambda reading: get_session(reading, "s1"))
            waited = found == session() and not told.sessions
        await deleting
        return waited

    waited, after = at_desk(tmp_path, body)
    assert waited
    assert after is None


def test_a_session_that_was_made_anew_meanwhile_is_left_alone(tmp_path: Path) -> None:
    async def body(desk: Desk) -> None:
        async def replaced(ended: SessionRecord) -> None:
            await desk.store.transaction(lambda transaction: delete_rows(transaction, "s1"))
            again = session(incarnation="another")
            await desk.store.transaction(lambda transaction: insert_session(transaction, again))

        with pytest.raises(SessionNotFoundError, match="created anew"):
            await delete_session(desk, "s1", media=MediaFiles(tmp_path / "m"), tell=replaced)

    _, after = at_desk(tmp_path, body)
    assert after == session(incarnation="another")


def test_a_media_folder_in_use_keeps_files_for_the_next_deletion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = MediaFiles(tmp_path / "m")
    left = files.put(b"\x89PNG\r\n\x1a\n" + b"\x00" * 30).media_id

    async def body(desk: Desk) -> list[int | None]:
        await desk.store.transaction(lambda transaction: insert_session(transaction, session("s2")))
        monkeypatch.setattr(media_sweep, "claimed", partial(claimed, limit_s=0.01))
        outcomes = []
        async with claimed(files.root):
            outcomes.append((await delete_session(desk, "s1", media=files, tell=Told())).files)
        outcomes.append((await delete_session(desk, "s2", media=files, tell=Told())).files)
        return outcomes

    outcomes, _ = at_desk(tmp_path, body)
    assert outcomes == [None, 1]
    assert not files.exists(left)
