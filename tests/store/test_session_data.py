"""What may be shown of a session's plugin data, and the media that a session holds."""

from pathlib import Path

import pytest

from covel_host.store.assets import (
    add_media_ref,
    delete_session_assets,
    get_asset,
    insert_asset,
    list_session_assets,
)
from covel_host.store.plugin_data import put_data
from covel_host.store.records import MediaAssetRecord
from covel_host.store.session_data import every_shown_record
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from tests.store.builders import at, data_key, options, session


def test_hidden_and_host_rows_are_not_shown_whatever_their_names(tmp_path: Path) -> None:
    shown = [("a-pack", "notes"), ("a_pack", "x_y"), ("zed", "a%")]
    hidden = [
        ("__kernel:triggers", "runs"),
        ("a-pack", "_hidden.plot"),
        ("a-pack", "_logs"),
        ("zed", "_"),
    ]
    store = Store.open(options(tmp_path))

    def write(transaction: Transaction) -> None:
        insert_session(transaction, session())
        for plugin_id, namespace in [*hidden, *shown]:
            for key in ("k1", "k2"):
                place = data_key(key, plugin_id=plugin_id, namespace=namespace)
                put_data(transaction, place, value_text="1", revision=1, at=at())

    store.transaction_now(write)
    found = store.read_now(
        lambda reading: [
            (one.plugin_id, one.namespace, one.key) for one in every_shown_record(reading, "s1")
        ]
    )
    store.close()
    assert found == [(*place, key) for place in shown for key in ("k1", "k2")]


@pytest.mark.parametrize("gone", ["s1", "s2"])
def test_media_go_with_their_last_session_and_not_before(tmp_path: Path, gone: str) -> None:
    store = Store.open(options(tmp_path))
    owners = {"own": gone, "used": gone, "lent": "other", "free": None, "stray": None}
    refs = [("used", gone), ("used", "other"), ("lent", gone), ("free", gone)]

    def write(transaction: Transaction) -> None:
        for session_id in (gone, "other"):
            insert_session(transaction, session(session_id))
        for media_id, owner in owners.items():
            insert_asset(
                transaction,
                MediaAssetRecord(
                    media_id=media_id,
                    mime="image/png",
                    size_bytes=1,
                    created_at=at(),
                    owner_session_id=owner,
                ),
            )
        for media_id, session_id in refs:
            add_media_ref(transaction, media_id, session_id=session_id, plugin_id=None, at=at())

    store.transaction_now(write)
    held = store.read_now(lambda reading: list_session_assets(reading, gone))
    assert [asset.media_id for asset in held] == ["free", "lent", "own", "used"]
    paged = store.read_now(
        lambda reading: list_session_assets(reading, gone, limit=1, after="lent")
    )
    assert [asset.media_id for asset in paged] == ["own"]

    def delete(transaction: Transaction) -> int:
        count = delete_session_assets(transaction, gone)
        delete_session(transaction, gone)
        return count

    assert store.transaction_now(delete) == 2
    left = store.read_now(
        lambda reading: [name for name in owners if get_asset(reading, name) is not None]
    )
    store.close()
    assert left == ["used", "lent", "stray"]
