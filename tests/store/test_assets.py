"""What is known of media files: the first writer wins, sessions share by reference."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.store.assets import (
    add_media_ref,
    get_asset,
    insert_asset,
    may_use_asset,
    record_owner,
)
from covel_host.store.errors import RowConflictError
from covel_host.store.records import MediaAssetRecord
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from tests.store.builders import START, at, options, session

A, B = "a" * 64, "b" * 64


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    for session_id in ("s1", "s2"):
        opened.transaction_now(
            lambda transaction: insert_session(transaction, session(session_id))  # noqa: B023
        )
    yield opened
    opened.close()


def asset(media_id: str = A, **changes: Any) -> MediaAssetRecord:
    values: dict[str, Any] = {
        "media_id": media_id,
        "mime": "image/png",
        "size_bytes": 3,
        "created_at": START,
    }
    return MediaAssetRecord(**{**values, **changes})


def insert(store: Store, record: MediaAssetRecord) -> MediaAssetRecord:
    return store.transaction_now(lambda transaction: insert_asset(transaction, record))


def usable(store: Store, session_id: str) -> bool:
    return store.read_now(lambda reading: may_use_asset(reading, A, session_id=session_id))


def share(store: Store, session_id: str, media_id: str = A) -> None:
    store.transaction_now(
        lambda transaction: add_media_ref(
            transaction, media_id, session_id=session_id, plugin_id="echo-demo", at=at()
        )
    )


def test_the_first_metadata_of_a_content_wins(store: Store) -> None:
    first = asset(meta={"kind": "sprite"}, owner_session_id="s1", owner_plugin_id="echo-demo")
    assert insert(store, first) == first
    later = asset(meta={"kind": "cover"}, owner_session_id="s2", created_at=at(5))
    assert insert(store, later) == first
    assert store.read_now(lambda reading: get_asset(reading, A)) == first
    assert store.read_now(lambda reading: get_asset(reading, B)) is None


def test_the_first_owner_wins(store: Store) -> None:
    insert(store, asset())

    def own(session_id: str) -> bool:
        return store.transaction_now(
            lambda t: record_owner(t, A, session_id=session_id, plugin_id="echo-demo")
        )

    assert (own("s1"), own("s2")) == (True, False)
    assert (usable(store, "s1"), usable(store, "s2")) == (True, False)


def test_a_reference_lets_a_session_use_an_asset_without_owning_it(store: Store) -> None:
    insert(store, asset(owner_session_id="s1"))
    share(store, "s2")
    share(store, "s2")
    assert (usable(store, "s1"), usable(store, "s2")) == (True, True)


def test_a_reference_to_nothing_is_refused(store: Store) -> None:
    with pytest.raises(RowConflictError):
        share(store, "s1", B)


def test_a_deleted_session_leaves_the_asset_to_the_others(store: Store) -> None:
    insert(store, asset(owner_session_id="s1"))
    share(store, "s2")
    store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
    kept = store.read_now(lambda reading: get_asset(reading, A))
    assert kept is not None
    assert kept.owner_session_id is None
    assert usable(store, "s2")
