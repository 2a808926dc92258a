"""Runs beside a story fall alone; a story takes everything with it."""

from typing import Any

import pytest

from covel_host.proposals.commit import commit_execution
from covel_host.proposals.commit_units import HardDependency
from covel_host.proposals.plan import (
    CommitProgress,
    CommitReport,
    DroppedRun,
    HostWrites,
    RunWrites,
)
from covel_host.proposals.staged import StagedProposal
from covel_host.store.characters import every_character
from covel_host.store.dimension_settlements import every_settlement
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import list_data
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from covel_host.store.turns import get_turn
from tests.proposals.builders import (
    TIDE,
    commit,
    committed,
    contents,
    note,
    provided,
    refused,
    run,
    staged,
)
from tests.proposals.faults import commit_with_every_fault


def story(run_id: str = "told", number: int = 1, **changes: Any) -> RunWrites:
    told = staged("narrative.append", number, content="The lamp is lit.")
    return run(run_id, told, runtime_id="tale", **{"role": "story", **changes})


def bad(number: int = 9) -> StagedProposal:
    """A proposal that no commit takes."""
    return staged("plugin.data", number, namespace="_logs", key="k", value=1)


def on(*run_ids: str) -> tuple[HardDependency, ...]:
    return (HardDependency(run_ids),)


def execution(*runs: RunWrites, turn_id: str = "t1", **changes: Any) -> Any:
    results = tuple(
        {"runtimeId": each.runtime_id, "runId": each.run_id, "status": "success", "output": {}}
        for each in runs
    )
    return commit(turn_id, **{"runs": runs, "results": results, **changes})


def keys(store: Store) -> list[str]:
    records = store.read_now(lambda reading: list_data(reading, "s1", "echo-demo", "notes"))
    return [record.key for record in records]


def told(store: Store) -> list[str]:
    return [each.content for each in store.read_now(lambda reading: list_messages(reading, "s1"))]


def results_of(store: Store, turn_id: str = "t1") -> dict[str, Any]:
    turn = store.read_now(lambda reading: get_turn(reading, "s1", turn_id))
    assert turn is not None
    assert isinstance(turn.results, list)
    return {result["runId"]: result for result in turn.results}  # type: ignore[index, call-overload, misc]


def test_a_rejected_optional_run_falls_alone_beside_a_committed_story(store: Store) -> None:
    before, after = run("before", note("a")), run("after", note("c"))
    broken = run("broken", note("b"), bad(), runtime_id="aide")
    report = committed(store, execution(before, story(), broken, after))
    assert (told(store), keys(store)) == (["The lamp is lit."], ["a", "c"])
    [drop] = report.dropped
    assert (drop.run_id, drop.runtime_id, drop.code) == ("broken", "aide", "reserved-namespace")
    assert drop.because_of is None
    [failed] = report.failed
    assert (failed.proposal_id, failed.run_id, failed.runtime_id) == (
        "proposal-9",
        "broken",
        "aide",
    )
    assert [event.type for event in report.events] == [
        "plugin-data.changed",
        "narrative.completed",
        "plugin-data.changed",
    ]


def test_a_dropped_run_is_stored_as_failed_with_its_reason(store: Store) -> None:
    report = committed(store, execution(story(), run("broken", bad(), runtime_id="aide")))
    results = results_of(store)
    assert results["told"] == {
        "runtimeId": "tale",
        "runId": "told",
        "status": "success",
        "output": {},
    }
    assert results["broken"]["status"] == "failed"
    assert results["broken"]["error"] == {
        "code": "reserved-namespace",
        "message": report.failed[0].message,
    }
    turn = store.read_now(lambda reading: get_turn(reading, "s1", "t1"))
    assert turn is not None
    assert (turn.commit_status, turn.revision) == ("committed", 1)


def test_a_dropped_run_writes_no_journal_row(store: Store) -> None:
    aside = staged("narrative.append", 5, content="Aside.")
    committed(store, execution(story(), run("broken", aside, bad())))
    assert told(store) == ["The lamp is lit."]


@pytest.mark.parametrize("place", [0, 1, 2, 3])
def test_a_refused_story_rolls_everything_back(store: Store, place: int) -> None:
    runs = [run("a", note("a")), run("b", note("b")), run("c", note("c"))]
    runs.insert(place, story(proposals=(*story().proposals, bad())))
    error = refused(store, execution(*runs))
    assert [failed.run_id for failed in error.failed] == ["told"]


def test_what_failed_before_a_refused_story_is_told_too(store: Store) -> None:
    broken = run("broken", bad(8))
    error = refused(store, execution(broken, story(proposals=(bad(9),))))
    assert [failed.proposal_id for failed in error.failed] == ["proposal-8", "proposal-9"]


@pytest.mark.parametrize("role", ["other", "setup"])
def test_without_a_story_one_refusal_takes_everything(store: Store, role: Any) -> None:
    error = refused(store, execution(run("a", note("a")), run("b", bad(), role=role)))
    assert error.code == "reserved-namespace"


def test_a_refused_setup_run_takes_the_story_with_it(store: Store) -> None:
    refused(store, execution(run("setup", bad(), role="setup"), story()))


def test_a_refused_hard_upstream_takes_the_story_with_it(store: Store) -> None:
    refused(store, execution(run("up", bad()), story(rests_on=on("up"))))


def test_a_dropped_upstream_takes_its_hard_dependants_and_says_so(store: Store) -> None:
    first = run("first", bad(), runtime_id="first")
    second = run("second", note("b"), runtime_id="second", rests_on=on("first"))
    third = run("third", note("c"), runtime_id="third", rests_on=on("second"))
    free = run("free", note("d"))
    report = committed(store, execution(story(), first, second, third, free))
    assert keys(store) == ["d"]
    assert [(each.run_id, each.code, each.because_of) for each in report.dropped] == [
        ("first", "reserved-namespace", None),
        ("second", "upstream-dropped", "first"),
        ("third", "upstream-dropped", "second"),
    ]
    assert [failed.run_id for failed in report.failed] == ["first"]
    assert results_of(store)["third"]["droppedBecauseOf"] == "second"


def test_a_story_stands_while_one_of_its_providers_does(store: Store) -> None:
    needs_one = (HardDependency(("a", "b"), needs="any"),)
    told_on_one = story(rests_on=needs_one)
    report = committed(store, execution(run("a", bad()), run("b", note("b")), told_on_one))
    assert ([each.run_id for each in report.dropped], keys(store)) == (["a"], ["b"])


def test_a_story_falls_with_the_last_of_its_providers(store: Store) -> None:
    needs_one = (HardDependency(("a", "b"), needs="any"),)
    error = refused(store, execution(run("a", bad(7)), run("b", bad(8)), story(rests_on=needs_one)))
    assert [failed.proposal_id for failed in error.failed] == ["proposal-7", "proposal-8"]
    assert "'tale' rests on" in error.message


def test_the_hosts_own_writes_are_told_what_was_dropped(store: Store) -> None:
    seen: list[tuple[int, tuple[DroppedRun, ...]]] = []

    def write(transaction: Transaction, progress: CommitProgress) -> HostWrites:
        seen.append((progress.revision, progress.dropped))
        return HostWrites()

    report = committed(store, execution(story(), run("broken", bad()), extra_writes=write))
    assert seen == [(1, report.dropped)]


def test_one_unit_pays_no_savepoint(store: Store) -> None:
    def statements(*runs: RunWrites) -> list[str]:
        sent: list[str] = []

        def body(transaction: Transaction) -> None:
            transaction._driver.set_trace_callback(sent.append)
            commit_execution(transaction, execution(*runs))
            transaction._driver.set_trace_callback(None)
            raise _Enough

        with pytest.raises(_Enough):
            store.transaction_now(body)
        return [text.split()[0] for text in sent]

    assert "SAVEPOINT" not in statements(run("a", note("a")), run("b", note("b")))
    assert "SAVEPOINT" not in statements(story(), run("silent"))
    assert statements(story(), run("a", note("a"))).count("SAVEPOINT") == 1


class _Enough(Exception):
    """Ends a transaction that only looks."""


def test_two_writers_of_one_record_in_one_layer_end_in_execution_order(store: Store) -> None:
    report = committed(
        store, execution(story(), run("a", note("lamp", "a")), run("b", note("lamp", "b")))
    )
    assert report.dropped == ()
    [record] = store.read_now(lambda reading: list_data(reading, "s1", "echo-demo", "notes"))
    assert (record.value, record.version) == ("b", 1)


def test_two_writers_of_one_character_keep_both_their_fields(store: Store) -> None:
    schema = staged(
        "character.schema.set",
        types=["npc"],
        attributes=[
            {"id": name, "name": name, "type": "number", "category": "stats", "min": 0, "max": 9}
            for name in ("hp", "mp")
        ],
    )
    born = staged("character.upsert", 2, id="npc-mira", name="Mira", type="npc")
    committed(store, execution(run("setup", schema, born)))

    def patch(number: int, **fields: Any) -> StagedProposal:
        return staged(
            "character.upsert",
            number,
            id="npc-mira",
            name="Mira",
            type="npc",
            expectedVersion=1,
            fields=fields,
        )

    hurt, tired = run("a", patch(3, hp=3)), run("b", patch(4, mp=4))
    committed(store, execution(story(number=5), hurt, tired, turn_id="t2"))
    [mira] = store.read_now(lambda reading: every_character(reading, "s1"))
    assert (mira["fields"], mira["version"]) == ({"hp": 3, "mp": 4}, 3)


def test_an_update_that_no_longer_fits_costs_only_its_run(store: Store) -> None:
    grow = staged(
        "plugin.data.update",
        7,
        namespace="notes",
        key="lamp",
        ops=[{"op": "increment", "path": "/n", "by": 1}],
    )
    report = committed(
        store,
        execution(story(), run("a", note("lamp", {"n": "text"})), run("b", note("own"), grow)),
    )
    assert [(each.run_id, each.code) for each in report.dropped] == [("b", "type-mismatch")]
    assert keys(store) == ["lamp"]


# --- settlement debts ------------------------------------------------------------------------


def with_dimensions(store: Store, **definitions: Any) -> None:
    proposal = staged("dimension.initialize", definitions=definitions)
    committed(store, provided("t0", proposals=(proposal,)))


def receipts(store: Store) -> list[Any]:
    return store.read_now(lambda reading: every_settlement(reading, "s1"))


def tell(store: Store, *runs: RunWrites) -> CommitReport:
    return committed(store, provided("t1", runs=runs, logical_turn=4))


def test_a_committed_story_owes_a_settlement_of_the_dimensions_with_a_rule(store: Store) -> None:
    static = {name: value for name, value in TIDE.items() if name != "updateRule"}
    with_dimensions(store, tide=TIDE, fog=static)
    report = tell(store, story())
    [debt] = receipts(store)
    assert (debt.result_id, debt.turn_number, debt.source_turn_id) == ("told", 4, "t1")
    assert (debt.status, debt.version, debt.plugin_id) == ("pending-settlement", 1, "echo-demo")
    assert set(debt.frozen["definitions"]) == {"tide"}
    assert debt.frozen["readVersions"] == {"tide": 1}
    assert report.events[-1].type == "dimensions.settlement.changed"
    assert report.events[-1].payload["status"] == "pending-settlement"


def settlement(**changes: Any) -> StagedProposal:
    payload = {
        "updates": [{"id": "tide", "expectedVersion": 1, "value": 4}],
        "source": {"resultId": "told", "turnNumber": 4},
        "settlement": {"status": "settled"},
    }
    return staged("dimension.update", 6, **{**payload, **changes})


def test_a_settlement_in_the_same_commit_leaves_no_debt(store: Store) -> None:
    with_dimensions(store, tide=TIDE)
    tell(store, story(), run("tracker", settlement()))
    [receipt] = receipts(store)
    assert (receipt.status, receipt.version, receipt.frozen) == ("settled", 1, None)


def test_a_rejected_settlement_keeps_the_story_and_leaves_the_debt(store: Store) -> None:
    with_dimensions(store, tide=TIDE)
    stale = settlement(updates=[{"id": "tide", "expectedVersion": 7, "value": 4}])
    report = tell(store, story(), run("tracker", stale))
    assert told(store) == ["The lamp is lit."]
    assert [each.code for each in report.dropped] == ["dimension-version-conflict"]
    assert [receipt.status for receipt in receipts(store)] == ["pending-settlement"]


def test_the_debt_freezes_the_versions_that_the_story_was_told_on(store: Store) -> None:
    with_dimensions(store, tide=TIDE)
    moved = settlement(source=None, settlement=None)
    moved = staged(
        "dimension.update", 6, updates=[{"id": "tide", "expectedVersion": 1, "value": 4}]
    )
    tell(store, story(), run("clock", moved))
    [debt] = receipts(store)
    assert debt.frozen["readVersions"] == {"tide": 1}


def test_nothing_is_owed_without_a_rule_a_provider_or_a_story(store: Store) -> None:
    committed(store, commit("t5", runs=(story("told-5", 5),)))
    with_dimensions(store, tide={name: TIDE[name] for name in ("name", "schema", "initialValue")})
    committed(store, provided("t6", runs=(story("told-6", 6),)))
    more = staged("dimension.initialize", 7, definitions={"wind": TIDE})
    committed(store, provided("t7", proposals=(more,)))
    aside = run("aside", staged("narrative.append", 8, content="Aside."))
    committed(store, provided("t8", runs=(aside,)))
    assert receipts(store) == []


# --- faults ----------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", ["after", "refused"])
def test_a_fault_at_every_statement_of_a_commit_in_units_leaves_nothing(
    store: Store, fault: Any
) -> None:
    with_dimensions(store, tide=TIDE)
    runs = (run("a", note("a")), story(), run("b", note("b"), bad()), run("c", note("c")))
    committing = execution(*runs, dimension_provider_id="echo-demo")
    before = contents(store)

    def nothing_changed(after: int) -> None:
        assert contents(store) == before, after

    assert commit_with_every_fault(store, committing, nothing_changed, fault) > 20
    assert keys(store) == ["a", "c"]


def test_a_vetoed_run_falls_alone_beside_a_story_and_writes_nothing(store: Store) -> None:
    veto = note("b").refusal("proposal-vetoed", "a hook kept it from being committed: No.")
    vetoed = run("vetoed", note("b"), runtime_id="aide", veto=veto)
    report = committed(store, execution(story(), vetoed, run("after", note("c"))))
    assert (told(store), keys(store)) == (["The lamp is lit."], ["c"])
    assert [(drop.run_id, drop.code) for drop in report.dropped] == [("vetoed", "proposal-vetoed")]
    assert [failed.code for failed in report.failed] == ["proposal-vetoed"]


def test_a_veto_in_the_core_unit_ends_the_commit(store: Store) -> None:
    veto = note("b").refusal("proposal-vetoed", "a hook kept it from being committed: No.")
    error = refused(store, execution(story(veto=veto), run("after", note("c"))))
    assert error.code == "proposal-vetoed"
    assert (told(store), keys(store)) == ([], [])
