"""The media of a world: bytes and rows of its session, or neither."""

import asyncio
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from covel_host.media.files import MediaFiles
from covel_host.store.assets import get_asset, may_use_asset
from covel_host.store.errors import StoreError
from covel_host.store.plugin_data import list_data
from covel_host.store.sessions import list_sessions
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.world_sessions import (
    WorldRefused,
    WorldSession,
    WorldSessionRequest,
    new_world_session,
)
from covel_host.worlds.pack_media import MediaFile
from tests.proposals.faults import FailingDriver, Fault, Interrupted
from tests.support.hosts import opened
from tests.turn.test_world_sessions import make, package, stored
from tests.worlds.packs import sources, write_pack

PNG = b"\x89PNG\r\n\x1a\n"
MEDIA_ID = sha256(PNG).hexdigest()
ART = {
    "kind": "media",
    "path": "media/art",
    "to": "media",
    "key": "filename",
    "indexTo": "contract:art@1",
}


def gallery(home: Path) -> None:
    """A package that indexes media."""
    data = {"art": {"schema": "note.json", "version": 1, "accepts": ["art@1"]}}
    package(home, "gallery", contributes={"data": data})


def painted(folder: Path, data: bytes = PNG) -> Path:
    people = {"kind": "json", "path": "people.json", "to": "characters"}
    lore = {"kind": "json", "path": "lore.json", "to": "lorebook"}
    root = write_pack(
        folder,
        files={
            "data/world.data.yaml": sources(art=ART, people=people, lore=lore),
            "people.json": [{"id": "me", "name": "Me", "type": "player"}],
            "lore.json": [{"id": "mud", "content": "Mud."}],
        },
        characterSchema={"types": ["npc"], "attributes": []},
        pluginPolicy={"requested": ["gallery"]},
    )
    (root / "media" / "art").mkdir(parents=True)
    (root / "media" / "art" / "quay.png").write_bytes(data)
    return root


def media_files(home: Path) -> list[str]:
    return sorted(MediaFiles(home / "media").ids())


def test_a_session_gets_the_media_of_its_world(tmp_path: Path) -> None:
    gallery(tmp_path)
    begun = make(tmp_path, painted(tmp_path))
    session_id = begun.session.session_id
    assert (begun.counts["media"], begun.counts["records"]) == (1, 1)
    assert MediaFiles(tmp_path / "media").read(MEDIA_ID) == PNG

    def read(reading: Any) -> Any:
        rows = list_data(reading, session_id, "gallery", "art")
        usable = may_use_asset(reading, MEDIA_ID, session_id=session_id)
        return get_asset(reading, MEDIA_ID), rows, usable

    asset, [row], usable = stored(tmp_path, read)
    assert usable
    assert (asset.mime, asset.owner_session_id, asset.owner_plugin_id) == (
        "image/png",
        session_id,
        None,
    )
    assert asset.meta == {"worldId": "reed-bank", "filename": "media/art/quay.png"}
    ref = {"id": MEDIA_ID, "mime": "image/png", "size": len(PNG)}
    assert (row.key, row.value) == ("quay.png", {"filename": "quay.png", "ref": ref})


def test_two_sessions_of_a_world_use_one_file(tmp_path: Path) -> None:
    gallery(tmp_path)
    pack = painted(tmp_path)
    ids = [make(tmp_path, pack).session.session_id for _ in range(2)]
    assert media_files(tmp_path) == [MEDIA_ID]
    for session_id in ids:
        assert stored(
            tmp_path,
            lambda reading, one=session_id: may_use_asset(reading, MEDIA_ID, session_id=one),
        )


def test_a_faulty_file_makes_no_session(tmp_path: Path) -> None:
    gallery(tmp_path)
    with pytest.raises(WorldRefused) as refused:
        make(tmp_path, painted(tmp_path, b"#!/bin/sh"))
    assert [found.name for found in refused.value.diagnostics] == ["world-media"]
    assert (media_files(tmp_path), stored(tmp_path, list_sessions)) == ([], [])


@pytest.mark.parametrize("change", [lambda _: PNG + b"changed", lambda path: path.read_bytes()])
def test_a_file_that_changes_on_the_way_makes_no_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], bytes]
) -> None:
    gallery(tmp_path)
    pack = painted(tmp_path)
    monkeypatch.setattr(MediaFile, "bytes", lambda file: change(file.path.with_name("gone.png")))
    with pytest.raises(RequestRefused) as refused:
        make(tmp_path, pack)
    assert refused.value.code == "world-changed"
    assert (media_files(tmp_path), stored(tmp_path, list_sessions)) == ([], [])


def failing(home: Path, pack: Path, *, at: int, fault: Fault) -> WorldSession | None:
    """A session made on a store whose connection fails at the statement `at`; None if it failed."""

    async def main() -> WorldSession | None:
        async with opened(home) as host:
            store = host.ports.store
            whole = store.transaction

            async def faulty(body: Callable[[Any], Any]) -> Any:
                def inner(transaction: Any) -> Any:
                    driver = FailingDriver(transaction._driver, at=at, fault=fault)
                    faulted = Transaction(driver, transaction._dialect)
                    done = body(faulted)
                    faulted.flush()
                    return done

                return await whole(inner)

            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(Store, "transaction", lambda _, body: faulty(body))
                try:
                    return await new_world_session(WorldSessionRequest(pack=pack), host.ports)
                except (Interrupted, StoreError):
                    return None

    return asyncio.run(main())


@pytest.mark.parametrize("fault", ["refused", "after"])
def test_a_fault_at_any_statement_leaves_no_session_and_no_file(
    tmp_path: Path, fault: Fault
) -> None:
    gallery(tmp_path)
    pack = painted(tmp_path)
    for at in range(1, 100):
        begun = failing(tmp_path, pack, at=at, fault=fault)
        if begun is not None:
            break
        assert stored(tmp_path, list_sessions) == []
        assert media_files(tmp_path) == []
    assert at > 12
    assert media_files(tmp_path) == [MEDIA_ID]


def test_a_failed_session_takes_no_file_from_another_one(tmp_path: Path) -> None:
    gallery(tmp_path)
    pack = painted(tmp_path)
    begun = make(tmp_path, pack)
    assert failing(tmp_path, pack, at=3, fault="refused") is None
    assert media_files(tmp_path) == [MEDIA_ID]
    assert [one.session_id for one in stored(tmp_path, list_sessions)] == [begun.session.session_id]


def test_a_session_that_is_given_up_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gallery(tmp_path)
    pack = painted(tmp_path)
    whole = MediaFiles.put

    async def main() -> None:
        async with opened(tmp_path) as host:
            working = asyncio.ensure_future(host.open_world(WorldSessionRequest(pack=pack)))
            loop = asyncio.get_running_loop()

            def put(files: MediaFiles, data: bytes, **options: Any) -> Any:
                loop.call_soon_threadsafe(working.cancel)
                return whole(files, data, **options)

            monkeypatch.setattr(MediaFiles, "put", put)
            with pytest.raises(asyncio.CancelledError):
                await working

    asyncio.run(main())
    assert (media_files(tmp_path), stored(tmp_path, list_sessions)) == ([], [])
