"""A proposal committed in a transaction of its own: the gate of a turn's commit, and no turn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.proposals.at_once import NO_TURN, WriteAtOnce, WrittenAtOnce, commit_at_once
from covel_host.proposals.data_policies import NO_POLICIES
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import check_proposal
from covel_host.store.errors import SessionNotFoundError
from covel_host.store.events import list_events
from covel_host.store.plugin_data import get_data
from covel_host.store.sessions import get_revision, insert_session, require_session
from covel_host.store.snapshots import keep_snapshot, list_snapshots, session_at_revision
from covel_host.store.store import Store
from tests.store.builders import at, data_key, options, session


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


class Never:
    def problem(self, operations: Any, record: Any) -> str | None:
        return f"{operations[0]} is not allowed"


def write(store: Store, kind: str, payload: dict[str, Any], **changes: Any) -> WrittenAtOnce:
    proposal = check_proposal(
        {"type": kind, "payload": payload},
        proposal_id="proposal-1",
        plugin_id="echo-demo",
        runtime_id="",
        run_id="action-1",
    )
    members: dict[str, Any] = {
        "session_id": "s1",
        "incarnation": "incarnation-of-s1",
        "proposal": proposal,
        "policies": NO_POLICIES,
        "at": at(1),
    }
    request = WriteAtOnce(**{**members, **changes})
    return store.transaction_now(lambda transaction: commit_at_once(transaction, request))


def put(store: Store, value: Any, **changes: Any) -> WrittenAtOnce:
    return write(
        store, "plugin.data", {"namespace": "notes", "key": "lamp", "value": value}, **changes
    )


def superseded(store: Store) -> list[Any]:
    return store.read_now(
        lambda reading: reading._driver.execute(
            "SELECT version, valid_to, value FROM plugin_data_old"
        ).fetchall()
    )


def test_a_write_is_the_sessions_next_revision_and_belongs_to_no_turn(store: Store) -> None:
    written = put(store, 1)
    assert (written.revision, [event.type for event in written.events]) == (
        1,
        ["plugin-data.changed"],
    )
    assert written.events[0].turn_id == NO_TURN
    revision = store.read_now(lambda reading: get_revision(reading, "s1", 1))
    assert revision is not None
    assert revision.turn_id is None
    record = store.read_now(lambda reading: get_data(reading, data_key()))
    assert record is not None
    assert (record.value, record.version) == (1, 1)


def test_a_refused_write_changes_nothing(store: Store) -> None:
    put(store, 1)
    for change in ({"policies": {("echo-demo", "notes"): Never()}}, {}):
        value = 2 if change else {"id": "0" * 64, "mime": "image/png"}
        with pytest.raises(ProposalRefused) as refused:
            put(store, value, **change)
        assert refused.value.code in ("dataset-policy", "media-not-found")
    assert store.read_now(lambda reading: require_session(reading, "s1")).revision == 1


def test_a_session_of_another_incarnation_takes_no_write(store: Store) -> None:
    with pytest.raises(SessionNotFoundError):
        put(store, 1, incarnation="another")


def test_no_snapshot_is_taken_and_what_one_keeps_stays_readable(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    assert (superseded(store), store.read_now(lambda r: list_snapshots(r, "s1"))) == ([], [])
    store.transaction_now(
        lambda transaction: keep_snapshot(transaction, "s1", snapshot_id="kept", at=at())
    )
    put(store, 3)
    put(store, 4)
    assert superseded(store) == [(2, 3, "2")]
    assert store.read_now(lambda r: session_at_revision(r, "s1", 2)).revision == 2


def test_an_event_is_kept_without_a_turn(store: Store) -> None:
    written = write(store, "event.emit", {"topic": "lamp.lit", "data": {"n": 1}})
    assert [event.type for event in written.events] == ["event.emitted"]
    (event,) = store.read_now(lambda reading: list_events(reading, "s1"))
    assert (event.topic, event.source.revision) == ("lamp.lit", 1)
    assert (event.source.turn_id, event.source.runtime_id) == (NO_TURN, "")
