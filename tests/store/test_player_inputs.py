"""Rows of accepted answers, and the audit of what comes from outside a turn."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from covel_host.store.errors import RowConflictError, SessionNotFoundError
from covel_host.store.outside_inputs import (
    begin_outside_input,
    end_outside_input,
    list_outside_inputs,
)
from covel_host.store.player_inputs import (
    append_player_input,
    find_player_input,
    last_player_input,
    list_player_inputs,
)
from covel_host.store.records import CommittedFrom, OutsideInputRecord, PlayerInputRecord
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from tests.store.builders import START, at, options, session


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


def answer(number: int, *, seconds: int = 0, input_id: str | None = None) -> PlayerInputRecord:
    return PlayerInputRecord(
        source=CommittedFrom(
            session_id="s1",
            revision=number,
            turn_id="t1",
            plugin_id="echo-demo",
            runtime_id="echo-demo",
            proposal_id="proposal-1",
            created_at=at(seconds),
        ),
        input_id=input_id or f"input-{number}",
        interaction_id=f"form-{number}",
        values={"n": number, "text": "早安"},
        narrative=f"Answer {number}.",
    )


def add(store: Store, *records: PlayerInputRecord) -> None:
    for record in records:
        store.transaction_now(
            lambda transaction: append_player_input(transaction, record)  # noqa: B023
        )


def test_an_answer_is_found_by_its_question_and_read_in_order(store: Store) -> None:
    add(store, answer(1), answer(2))
    found = store.read_now(lambda reading: find_player_input(reading, "s1", "t1", "form-2"))
    assert found is not None
    assert replace(found, source=answer(2).source) == answer(2)
    assert store.read_now(lambda reading: find_player_input(reading, "s1", "t2", "form-2")) is None
    every = store.read_now(lambda reading: list_player_inputs(reading, "s1"))
    assert [record.input_id for record in every] == ["input-1", "input-2"]
    early = store.read_now(lambda reading: list_player_inputs(reading, "s1", at_revision=1))
    assert [record.input_id for record in early] == ["input-1"]


def test_a_question_has_one_answer(store: Store) -> None:
    add(store, answer(1))
    with pytest.raises(RowConflictError) as conflict:
        add(store, replace(answer(1), input_id="other", values={}))
    assert conflict.value.code == "player-input-conflict"


def test_the_last_answer_is_the_latest_by_time_ties_by_id(store: Store) -> None:
    def last(revision: int) -> str | None:
        found = store.read_now(lambda r: last_player_input(r, "s1", at_revision=revision))
        return None if found is None else found.input_id

    assert last(9) is None
    add(store, answer(1, seconds=5), answer(2, input_id="b"), answer(3, input_id="a"))
    assert last(9) == "input-1"
    add(store, answer(4, seconds=9, input_id="b2"), answer(5, seconds=9, input_id="a2"))
    assert [last(revision) for revision in (1, 3, 4, 5)] == ["input-1", "input-1", "b2", "b2"]


def outside(number: int) -> OutsideInputRecord:
    return OutsideInputRecord(
        session_id="s1",
        input_id=f"action-{number}",
        type="rpc-call",
        source="player",
        channel="cli",
        target="put",
        payload={"n": number},
        started_at=START,
        plugin_id="echo-demo",
        metadata={"runtimeId": "echo-demo"},
    )


def test_an_outside_input_is_numbered_when_it_begins_and_ended_once(store: Store) -> None:
    numbers = [
        store.transaction_now(lambda t: begin_outside_input(t, outside(number)))  # noqa: B023
        for number in (1, 2, 3)
    ]
    assert numbers == [1, 2, 3]
    store.transaction_now(
        lambda t: end_outside_input(
            t, "s1", "action-2", outcome="completed", duration_ms=5, result={"ok": True}
        )
    )
    store.transaction_now(
        lambda t: end_outside_input(
            t, "s1", "action-3", outcome="failed", duration_ms=7, error={"code": "internal"}
        )
    )
    first, second, third = store.read_now(lambda reading: list_outside_inputs(reading, "s1"))
    assert first == replace(outside(1), sequence=1)
    assert (second.outcome, second.result, second.duration_ms) == ("completed", {"ok": True}, 5)
    assert (third.outcome, third.error, third.result) == ("failed", {"code": "internal"}, None)
    page = store.read_now(lambda reading: list_outside_inputs(reading, "s1", limit=1, before=3))
    assert [record.input_id for record in page] == ["action-2"]


def test_both_go_with_their_session_and_none_come_without(store: Store) -> None:
    add(store, answer(1))
    store.transaction_now(lambda t: begin_outside_input(t, outside(1)))
    store.transaction_now(lambda t: delete_session(t, "s1"))
    assert store.read_now(lambda reading: list_player_inputs(reading, "s1")) == []
    assert store.read_now(lambda reading: list_outside_inputs(reading, "s1")) == []
    with pytest.raises(SessionNotFoundError):
        store.transaction_now(lambda t: begin_outside_input(t, outside(1)))
