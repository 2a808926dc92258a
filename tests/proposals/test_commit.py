"""An execution is committed as a whole or not at all."""

from dataclasses import replace
from typing import Any

import pytest

from covel_host.proposals.commit import failure_events, record_failure
from covel_host.proposals.errors import CommitRefused
from covel_host.proposals.plan import CommitProgress, HostWrites
from covel_host.store.errors import RowConflictError, ScopeConflictError, SessionNotFoundError
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import get_data_at, list_data, put_data
from covel_host.store.sessions import (
    delete_session,
    get_revision,
    insert_session,
    list_sessions,
    require_session,
)
from covel_host.store.store import Store
from covel_host.store.tool_calls import list_tool_calls
from covel_host.store.traces import list_trace
from covel_host.store.transaction import Reading, Transaction
from covel_host.store.turns import get_turn, list_turns, put_turn
from tests.proposals.builders import FINISHED, commit, committed, full_commit, note, run, staged
from tests.proposals.faults import Interrupted, commit_with_every_fault
from tests.store.builders import at, data_key, session, turn


def everything(store: Store) -> list[Any]:
    """All rows of the session, and of its first two turns."""

    def body(reading: Reading) -> list[Any]:
        return [
            list_sessions(reading),
            list_turns(reading, "s1"),
            list_messages(reading, "s1"),
            [list_data(reading, "s1", "echo-demo", name) for name in ("notes", "other", "extra")],
            [list_tool_calls(reading, "s1", turn_id) for turn_id in ("t1", "t2")],
            [list_trace(reading, "s1", turn_id) for turn_id in ("t1", "t2")],
            [get_revision(reading, "s1", revision) for revision in (1, 2)],
            reading._driver.execute("SELECT * FROM logical_turns").fetchall(),
            reading._driver.execute("SELECT * FROM plugin_data_old").fetchall(),
        ]

    return store.read_now(body)


def test_everything_of_an_execution_is_there_after_its_commit(store: Store) -> None:
    report = committed(store, full_commit())
    assert (report.revision, report.is_counted) == (1, True)
    assert report.session == store.read_now(lambda reading: require_session(reading, "s1"))
    assert report.session.completed_player_turns == 1

    sessions, turns, messages, data, calls, trace, revisions, *_ = everything(store)
    assert sessions[0].revision == 1
    assert [(item.commit_status, item.revision) for item in turns] == [("committed", 1)]
    assert turns[0].results == [{"runtimeId": "echo-demo", "runId": "run-1", "status": "success"}]
    assert [(item.message_id, item.role, item.content) for item in messages] == [
        ("said-t1", "user", "Light the lamp."),
        ("message-1", "assistant", "The lamp is lit."),
    ]
    assert {item.revision for item in messages} == {1}
    assert [[record.key for record in part] for part in data] == [["lamp"], ["b"], []]
    assert [len(part) for part in calls] == [2, 0]
    assert [event.type for event in trace[0]] == ["turn.started", "tool.calling"]
    assert revisions[0].state["completedPlayerTurns"] == 1
    assert revisions[0].committed_at == FINISHED


def test_the_report_holds_the_events_to_send_in_execution_order(store: Store) -> None:
    events = committed(store, full_commit()).events
    assert [event.type for event in events] == [
        "narrative.completed",
        "plugin-data.changed",
        "plugin-data.changed",
        "plugin-data.changed",
    ]
    assert events[0].payload == {
        "content": "The lamp is lit.",
        "kind": "narrative",
        "messageId": "message-1",
        "runtimeId": "echo-demo",
        "pluginId": "echo-demo",
    }
    assert events[3].payload == {
        "pluginId": "echo-demo",
        "changes": [{"namespace": "notes", "key": "a", "value": None, "operation": "delete"}],
    }
    assert {(event.session_id, event.turn_id) for event in events} == {("s1", "t1")}


def test_narrative_segments_are_kept_with_the_message(store: Store) -> None:
    segments = [{"text": "Once.", "kind": "narration"}]
    proposal = staged("narrative.append", content="Once.", segments=segments)
    committed(store, commit(proposals=(proposal,)))
    message = store.read_now(lambda reading: list_messages(reading, "s1"))[0]
    assert message.data == {"segments": segments}
    assert (message.plugin_id, message.runtime_id, message.kind) == (
        "echo-demo",
        "echo-demo",
        "narrative",
    )


def test_a_failure_after_any_statement_leaves_nothing(store: Store) -> None:
    committed(store, full_commit("t1"))
    before = everything(store)
    execution = full_commit("t2")

    def nothing_changed(after: int) -> None:
        assert everything(store) == before, after

    statements = commit_with_every_fault(store, execution, nothing_changed)
    assert statements > 10
    assert everything(store) != before


def test_a_refused_proposal_rolls_everything_back_and_is_named(store: Store) -> None:
    bad = staged("plugin.data", 7, namespace="_logs", key="k", value=1)
    execution = replace(full_commit(), runs=(*full_commit().runs, run("run-2", bad)))
    before = everything(store)
    with pytest.raises(CommitRefused) as refused:
        committed(store, execution)
    error = refused.value
    assert error.code == "reserved-namespace"
    assert everything(store) == before
    [event] = failure_events(execution, error.failed)
    assert event.payload == {
        "proposalId": "proposal-7",
        "proposalType": "plugin.data",
        "runtimeId": "echo-demo",
        "pluginId": "echo-demo",
        "code": "reserved-namespace",
        "error": error.message,
    }


def test_a_failed_execution_keeps_its_audit_and_nothing_else(store: Store) -> None:
    def fail(transaction: Transaction) -> None:
        record_failure(transaction, full_commit(), code="value-too-large", message="Too large.")

    store.transaction_now(fail)
    sessions, turns, messages, data, calls, trace, *_ = everything(store)
    assert (sessions[0].revision, sessions[0].completed_player_turns) == (0, 0)
    assert [(item.commit_status, item.revision) for item in turns] == [("failed", None)]
    assert turns[0].failure == {"code": "value-too-large", "message": "Too large."}
    assert (messages, data) == ([], [[], [], []])
    assert (len(calls[0]), len(trace[0])) == (2, 2)


def test_a_pending_turn_is_settled_by_its_commit(store: Store) -> None:
    store.transaction_now(lambda transaction: put_turn(transaction, turn()))
    committed(store, full_commit())
    stored = store.read_now(lambda reading: get_turn(reading, "s1", "t1"))
    assert stored is not None
    assert (stored.commit_status, stored.sequence) == ("committed", 1)


def test_a_turn_is_committed_once(store: Store) -> None:
    committed(store, commit())
    before = everything(store)
    with pytest.raises(RowConflictError, match="committed already"):
        committed(store, commit(proposals=(note(),)))
    with pytest.raises(RowConflictError, match="committed already"):
        store.transaction_now(
            lambda transaction: record_failure(transaction, commit(), code="x", message="y")
        )
    assert everything(store) == before


@pytest.mark.parametrize("origin", ["continuation", "manual", "background", "recursive"])
def test_only_a_player_s_execution_counts(store: Store, origin: str) -> None:
    report = committed(store, commit(origin=origin))
    assert (report.revision, report.is_counted) == (1, False)
    assert report.session.completed_player_turns == 0


def test_a_turn_that_waits_counts_when_it_goes_on(store: Store) -> None:
    def waits(transaction: Transaction, progress: CommitProgress) -> HostWrites:
        return HostWrites(holds_turn_open=True)

    begun = committed(store, commit("t1", extra_writes=waits))
    assert (begun.is_counted, begun.session.completed_player_turns) == (False, 0)
    resumed = commit("t2", origin="resume", logical_turn_id="t1")
    assert committed(store, resumed).session.completed_player_turns == 1


def test_a_logical_turn_counts_once_however_often_it_is_committed(store: Store) -> None:
    counted = [
        committed(store, commit(turn_id, logical_turn_id=logical)).is_counted
        for turn_id, logical in (("t1", "t1"), ("t2", "t1"), ("t3", "t3"))
    ]
    assert counted == [True, False, True]
    stored = store.read_now(lambda reading: require_session(reading, "s1"))
    assert (stored.completed_player_turns, stored.revision) == (2, 3)


def test_each_commit_is_a_revision_that_can_be_read_back(store: Store) -> None:
    for number, value in enumerate(["old", "new"], start=1):
        committed(store, commit(f"t{number}", proposals=(note("lamp", value),)))

    def values(reading: Reading) -> list[Any]:
        records = [get_data_at(reading, data_key(), revision=number) for number in (0, 1, 2)]
        return [None if record is None else record.value for record in records]

    assert store.read_now(values) == [None, "old", "new"]


def test_the_phase_changes_with_the_commit_and_only_then(store: Store) -> None:
    assert committed(store, commit("t1", phase="setup")).session.phase == "setup"
    assert committed(store, commit("t2")).session.phase == "setup"
    assert committed(store, commit("t3", phase="playing")).session.phase == "playing"


def test_extra_writes_share_the_transaction_and_the_revision(store: Store) -> None:
    def write(transaction: Transaction, progress: CommitProgress) -> HostWrites:
        key, revision = data_key("k", namespace="extra"), progress.revision
        put_data(transaction, key, value_text=str(revision), revision=revision, at=at())
        return HostWrites()

    def fail(transaction: Transaction, progress: CommitProgress) -> HostWrites:
        write(transaction, progress)
        raise Interrupted

    committed(store, commit("t1", extra_writes=write))
    assert everything(store)[3][2][0].value == 1
    before = everything(store)
    with pytest.raises(Interrupted):
        committed(store, commit("t2", extra_writes=fail, proposals=(note(),)))
    assert everything(store) == before


def test_a_taken_message_id_rolls_the_commit_back(store: Store) -> None:
    committed(store, full_commit("t1"))
    before = everything(store)
    stolen = replace(full_commit("t2"), messages=full_commit("t1").messages)
    with pytest.raises(ScopeConflictError):
        committed(store, stolen)
    assert everything(store) == before


def test_a_session_that_was_deleted_or_replaced_takes_no_late_commit(store: Store) -> None:
    def replace_session(transaction: Transaction) -> None:
        delete_session(transaction, "s1")
        insert_session(transaction, session(incarnation="second"))

    store.transaction_now(replace_session)
    before = everything(store)
    with pytest.raises(SessionNotFoundError, match="created anew"):
        committed(store, full_commit())
    assert everything(store) == before
    store.transaction_now(lambda transaction: delete_session(transaction, "s1"))
    with pytest.raises(SessionNotFoundError, match="does not exist"):
        committed(store, full_commit())


def test_a_batch_that_fails_half_way_leaves_nothing(store: Store) -> None:
    items = [{"namespace": name, "key": "k", "value": 1} for name in ("notes", "_logs")]
    with pytest.raises(CommitRefused):
        committed(store, commit(proposals=(staged("plugin.data.batch", items=items),)))
    assert everything(store)[3] == [[], [], []]


def test_an_update_is_applied_to_the_record_as_it_is_at_commit(store: Store) -> None:
    grow = staged(
        "plugin.data.update",
        namespace="notes",
        key="lamp",
        ops=[{"op": "increment", "path": "/n", "by": 2}],
    )
    committed(store, commit("t1", proposals=(note("lamp", {"n": 1}), grow, grow)))
    report = committed(store, commit("t2", proposals=(grow,)))
    assert report.events[0].payload["changes"] == [
        {"namespace": "notes", "key": "lamp", "value": {"n": 7}, "operation": "set"}
    ]
    before = everything(store)
    with pytest.raises(CommitRefused) as refused:
        committed(store, commit("t3", proposals=(note("lamp", {"n": "text"}), grow)))
    assert refused.value.code == "type-mismatch"
    assert everything(store) == before
