"""Exports: numbered per producer and name, kept with their revision, lost alone."""

from typing import Any

import pytest

from covel_host.proposals.plan import ExportWrite
from covel_host.schemas.compiled import compile_schema
from covel_host.store.errors import StoreError
from covel_host.store.exports import get_export
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.records import ExportRecord
from covel_host.store.snapshots import keep_snapshot
from covel_host.store.store import Store
from tests.proposals.builders import (
    FINISHED,
    commit,
    committed,
    contents,
    exports,
    note,
    refused,
    run,
)
from tests.proposals.faults import Interrupted, commit_failing
from tests.proposals.test_commit_runs import bad, execution, keys, story

ANY = compile_schema(True)
NUMBER = compile_schema({"type": "integer"})


def export(value: Any = 1, *, name: str = "clock", schema: Any = ANY) -> ExportWrite:
    return ExportWrite(name=name, value=value, schema=schema)


def exporting(value: Any = 1, *, run_id: str = "run-1", **changes: Any) -> Any:
    return run(run_id, note("a"), runtime_id="clock", export=export(value, **changes))


def shown(store: Store, session_id: str = "s1", revision: int | None = None) -> ExportRecord | None:
    return store.read_now(
        lambda reading: get_export(reading, session_id, "clock", "clock", revision=revision)
    )


def test_an_export_is_there_for_later_executions_and_numbered(store: Store) -> None:
    for number, value in enumerate(["dawn", None, {"hour": 3}], start=1):
        committed(store, commit(f"t{number}", runs=(exporting(value, run_id=f"run-{number}"),)))
    record = shown(store)
    assert record is not None
    assert (record.number, record.revision, record.value) == (3, 3, {"hour": 3})
    assert (record.turn_id, record.run_id, record.created_at) == ("t3", "run-3", FINISHED)
    earlier = [shown(store, revision=revision) for revision in range(4)]
    assert [None if each is None else (each.number, each.value) for each in earlier] == [
        None,
        (1, "dawn"),
        (2, None),
        (3, {"hour": 3}),
    ]


def test_names_and_producers_are_numbered_apart(store: Store) -> None:
    tide = run("run-2", runtime_id="tide", export=export(5))
    other = run("run-3", runtime_id="clock", export=export(6, name="alarm"))
    committed(store, commit("t1", runs=(exporting(1), tide, other)))
    committed(store, commit("t2", runs=(exporting(2),)))
    found = store.read_now(lambda reading: exports(reading))
    assert [(each.producer_id, each.name, each.number, each.value) for each in found] == [
        ("clock", "alarm", 1, 6),
        ("clock", "clock", 2, 2),
        ("tide", "clock", 1, 5),
    ]


def test_an_export_without_a_captured_schema_rolls_everything_back(store: Store) -> None:
    before = contents(store)
    error = refused(store, execution(story(), exporting(schema=None)))
    assert (error.code, error.failed) == ("export-schema-missing", ())
    assert "'clock'" in error.message
    assert contents(store) == before


@pytest.mark.parametrize(
    ("value", "schema", "code", "words"),
    [
        (object(), ANY, "export-invalid", "cannot be stored as JSON"),
        (float("nan"), ANY, "export-invalid", "cannot be stored as JSON"),
        ("text", NUMBER, "export-invalid", "does not fit its schema"),
        ("x" * 262_144, ANY, "value-too-large", "262146 bytes"),
    ],
)
def test_an_export_that_cannot_be_stored_costs_only_itself(
    store: Store, value: Any, schema: Any, code: str, words: str
) -> None:
    good = run("run-2", runtime_id="tide", export=export(5))
    report = committed(store, commit("t1", runs=(exporting(value, schema=schema), good)))
    [lost] = report.lost_exports
    assert (lost.run_id, lost.runtime_id, lost.name, lost.code) == (
        "run-1",
        "clock",
        "clock",
        code,
    )
    assert words in lost.message
    assert (report.dropped, keys(store)) == ((), ["a"])
    found = store.read_now(lambda reading: exports(reading))
    assert [each.producer_id for each in found] == ["tide"]


def test_a_dropped_run_exports_nothing(store: Store) -> None:
    dropped = run("run-2", bad(), runtime_id="clock", export=export(schema=None))
    report = committed(store, execution(story(), dropped))
    assert ([each.run_id for each in report.dropped], shown(store)) == (["run-2"], None)


def test_a_refused_statement_of_an_export_costs_only_the_export(store: Store) -> None:
    execution_of = commit("t1", runs=(exporting(),))
    lost_at = []
    for at in range(1, 40):
        try:
            report, sent = commit_failing(store, execution_of, at=at, fault="refused")
        except Exception:
            assert contents(store)["turns"] == []
            continue
        if sent < at:
            break
        lost_at.append(at)
        assert [each.code for each in report.lost_exports] == ["store-failed"]
        assert (shown(store), keys(store)) == (None, ["a"])
        break
    assert lost_at


def test_an_interruption_inside_an_export_leaves_nothing(store: Store) -> None:
    before = contents(store)
    execution_of = commit("t1", runs=(exporting(),))
    for at in range(1, 10):
        with pytest.raises((Interrupted, StoreError)):
            commit_failing(store, execution_of, at=at)
        assert contents(store) == before


def test_a_fork_and_a_snapshot_show_the_exports_of_their_revision(store: Store) -> None:
    for number in (1, 2, 3):
        committed(store, commit(f"t{number}", runs=(exporting(number),)))
        if number == 1:
            store.transaction_now(
                lambda transaction: keep_snapshot(
                    transaction, "s1", snapshot_id="first", at=FINISHED
                )
            )
    new = ForkIds(session_id="s2", incarnation="second", snapshot_id="fork")
    store.transaction_now(
        lambda transaction: fork_session(transaction, "s1", 1, new=new, at=FINISHED)
    )
    copy = shown(store, "s2")
    assert copy is not None
    assert (copy.number, copy.value, copy.revision) == (1, 1, 1)
    again = commit("u1", session_id="s2", incarnation="second", runs=(exporting("new"),))
    committed(store, again)
    newest = shown(store, "s2")
    assert newest is not None
    assert (newest.number, newest.value) == (2, "new")
    original = shown(store)
    assert original is not None
    assert original.value == 3


def test_superseded_exports_that_nothing_keeps_are_pruned(store: Store) -> None:
    for number in range(1, 6):
        committed(store, commit(f"t{number}", runs=(exporting(number),), auto_snapshots_kept=2))
    assert [row[1] for row in contents(store)["runtime_exports_old"]] == [5]
