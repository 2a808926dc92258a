"""Every media reference of a payload is one that the session may use."""

from typing import Any

import pytest

from covel_host.proposals.media_refs import MediaUse, media_uses
from covel_host.store.assets import add_media_ref, delete_session_assets, insert_asset
from covel_host.store.sessions import insert_session
from covel_host.store.store import Store
from tests.proposals.builders import (
    ASSET_ID,
    PAYLOADS,
    REF,
    asset,
    commit,
    committed,
    of_type,
    provided,
    refused,
    staged,
)
from tests.store.builders import at, session

OTHER = "b" * 64
USE = MediaUse(ASSET_ID, "image/png", 3)


@pytest.mark.parametrize(
    ("payload", "uses"),
    [
        (REF, {USE}),
        ({"a": [{"b": {"icon": REF, "again": REF}}]}, {USE}),
        (
            {**REF, "url": "x", "meta": {"inner": {**REF, "id": OTHER}}},
            {USE, MediaUse(OTHER, "image/png", 3)},
        ),
        ({"id": ASSET_ID, "mime": "image/png"}, {MediaUse(ASSET_ID, "image/png", None)}),
        (
            {"id": ASSET_ID, "mime": "image/png", "size": "3"},
            {MediaUse(ASSET_ID, "image/png", None)},
        ),
        ({"id": ASSET_ID}, set()),
        ({"id": ASSET_ID.upper(), "mime": "image/png"}, set()),
        ({"id": "npc-mira", "mime": "image/png"}, set()),
        ({"id": 7, "mime": "image/png"}, set()),
        ({"text": '{"mime": 1}'}, set()),
        ("mime", set()),
    ],
)
def test_references_are_found_at_any_depth(payload: Any, uses: set[MediaUse]) -> None:
    assert set(media_uses(payload)) == uses


REFERRING = [name for name, payload in PAYLOADS.items() if media_uses(payload)]


def test_the_types_of_these_tests_refer_to_media() -> None:
    assert REFERRING == ["ui.render", "asset.generate", "plugin.data"]


@pytest.mark.parametrize("type_name", REFERRING)
def test_an_asset_that_is_not_stored_is_refused(store: Store, type_name: str) -> None:
    assert refused(store, provided(proposals=(of_type(type_name),))).code == "media-not-found"


@pytest.mark.parametrize("type_name", REFERRING)
def test_an_asset_of_another_session_is_refused_until_it_is_shared(
    store: Store, type_name: str
) -> None:
    def foreign(transaction: Any) -> None:
        insert_session(transaction, session("s2"))
        insert_asset(transaction, asset(owner_session_id="s2"))

    store.transaction_now(foreign)
    execution = provided(proposals=(of_type(type_name),))
    assert refused(store, execution).code == "media-reference-forbidden"
    store.transaction_now(
        lambda t: add_media_ref(t, ASSET_ID, session_id="s1", plugin_id=None, at=at())
    )
    committed(store, execution)


@pytest.mark.parametrize("change", [{"mime": "image/jpeg"}, {"size": 4}])
def test_a_reference_says_what_the_asset_is(store: Store, change: dict[str, Any]) -> None:
    store.transaction_now(lambda t: insert_asset(t, asset()))
    value = {"icons": [REF, {**REF, **change}]}
    proposal = staged("plugin.data", namespace="n", key="k", value=value)
    assert refused(store, commit(proposals=(proposal,))).code == "media-reference-mismatch"


def test_references_are_checked_when_they_are_committed_not_when_staged(store: Store) -> None:
    store.transaction_now(lambda t: insert_asset(t, asset()))
    proposal = of_type("plugin.data")
    store.transaction_now(lambda t: delete_session_assets(t, "s1"))
    assert refused(store, commit(proposals=(proposal,))).code == "media-not-found"
