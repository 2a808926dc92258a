"""An exported session: everything once and in order, and nothing that is hidden."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.store import kernel_rows, session_data
from covel_host.store.dimensions import put_dimension
from covel_host.store.events import append_event
from covel_host.store.messages import append_messages
from covel_host.store.plugin_data import put_data
from covel_host.store.records import CommittedFrom, DimensionRecord, EventRecord
from covel_host.store.session_choices import put_model_override, put_setting_values
from covel_host.store.session_clock import TriggerLedgerRow, write_clock
from covel_host.store.sessions import insert_session
from covel_host.store.setup_states import SetupDone
from covel_host.store.store import Store
from covel_host.store.tool_calls import insert_tool_calls
from covel_host.store.transaction import Transaction
from covel_host.store.turns import put_turn
from covel_host.turn import session_export
from covel_host.turn.session_export import export_session
from tests.store.builders import at, data_key, message, options, session, tool_call, turn

SECRET = "the butler did it"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store.open(options(tmp_path))
    opened.transaction_now(lambda transaction: insert_session(transaction, session()))
    yield opened
    opened.close()


def export(store: Store, *concealed: str) -> dict[str, Any]:
    return store.read_now(
        lambda reading: export_session(reading, "s1", concealed=frozenset(concealed))
    )


def test_of_a_concealed_runtime_only_that_it_ran_is_told(store: Store) -> None:
    def result(runtime_id: str) -> dict[str, object]:
        return {
            "runtimeId": runtime_id,
            "status": "success",
            "durationMs": 5,
            "output": {"plot": SECRET},
            "text": SECRET,
            "reads": [SECRET],
        }

    def write(transaction: Transaction) -> None:
        results = [result("plotter"), {**result("teller"), "output": None, "text": "Hello."}]
        put_turn(transaction, turn(results=results, commit_status="committed", revision=1))
        calls = [
            tool_call(
                0, runtime_id="plotter", arguments=SECRET, result=SECRET, error={"x": SECRET}
            ),
            tool_call(1, runtime_id="teller"),
        ]
        insert_tool_calls(transaction, calls)
        shown = message("m1", runtime_id="teller")
        append_messages(transaction, [shown, message("m2", runtime_id="plotter", content=SECRET)])

    store.transaction_now(write)
    assert SECRET in str(export(store))
    document = export(store, "plotter")
    assert SECRET not in str(document)
    (one,) = document["turns"]
    assert one["results"][0] == {
        "runtimeId": "plotter",
        "status": "success",
        "durationMs": 5,
        "concealed": True,
    }
    assert one["results"][1]["text"] == "Hello."
    assert one["toolCalls"][0]["concealed"] is True
    assert one["toolCalls"][1]["arguments"] == {"value": "lamp"}


def test_dimensions_are_told_without_their_rules(store: Store) -> None:
    definition = {
        "name": "Tide",
        "schema": {"type": "integer"},
        "initialValue": 3,
        "rule": SECRET,
    }
    record = DimensionRecord(
        session_id="s1",
        dimension_id="tide",
        plugin_id="p",
        version=2,
        definition=definition,  # type: ignore[arg-type]
        value=4,
    )
    store.transaction_now(lambda transaction: put_dimension(transaction, record, revision=1))
    assert export(store)["dimensions"] == {
        "tide": {"name": "Tide", "schema": {"type": "integer"}, "value": 4, "version": 2}
    }


def test_the_record_has_clock_slots_and_settings(store: Store) -> None:
    done = SetupDone(plugin_version="1.0.0", completed_at=at())

    def write(transaction: Transaction) -> None:
        row = TriggerLedgerRow(runtime_id="a", runs=1, last_turn=1)
        write_clock(transaction, "s1", triggers=[row], setup={"a/s": done}, revision=1, at=at())
        put_model_override(transaction, "s1", "a", "fast", revision=1, at=at())
        put_setting_values(transaction, "s1", "a", {"mood": "wild"}, revision=1, at=at())

    store.transaction_now(write)
    document = export(store)
    found = document["session"]
    assert found["setupRuntimes"]["a/s"]["state"] == "done"
    assert found["runtimeModelOverrides"] == {"a": "fast"}
    assert found["pluginSettings"] == {"a": {"mood": "wild"}}
    assert document["pluginData"] == []


def test_long_lists_are_exported_whole_and_in_order(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(transaction: Transaction) -> None:
        for number in range(7):
            put_turn(transaction, turn(f"t{number}"))
            append_messages(transaction, [message(f"m{number}")])
            put_data(transaction, data_key(f"k{number}"), value_text="1", revision=1, at=at())
            source = CommittedFrom(
                session_id="s1",
                revision=1,
                turn_id="t1",
                plugin_id="p",
                runtime_id="r",
                proposal_id=f"x{number}",
                created_at=at(),
            )
            append_event(transaction, EventRecord(source=source, topic=f"e{number}", data={}))
            slot = f"s{number}"
            put_model_override(transaction, "s1", f"r{number}", slot, revision=1, at=at())

    store.transaction_now(write)
    whole = export(store)
    for module in (session_export, session_data, kernel_rows):
        monkeypatch.setattr(module, "MAX_LIMIT", 3)
    assert export(store) == whole
    for member, key, letter in (
        ("turns", "turnId", "t"),
        ("messages", "messageId", "m"),
        ("pluginData", "key", "k"),
        ("events", "topic", "e"),
    ):
        rows = whole[member]
        assert [row[key] for row in rows] == [f"{letter}{number}" for number in range(7)]
