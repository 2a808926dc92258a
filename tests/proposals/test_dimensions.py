"""Dimensions: from the provider only, as one batch, against the versions that were read."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.schemas.dimension_values import check_dimension_value
from covel_host.store.dimension_settlements import (
    KEPT_RECEIPTS,
    every_settlement,
    get_settlement,
    put_settlement,
)
from covel_host.store.dimensions import every_dimension
from covel_host.store.records import SettlementRecord
from covel_host.store.sessions import delete_session, insert_session
from covel_host.store.store import Store
from plugin_sdk.rules.dimension_updates import plan_dimension_updates
from tests.proposals.builders import TIDE, commit, committed, provided, refused, staged
from tests.store.builders import session

NAMED = {
    "name": "Ferries",
    "schema": {
        "type": "object",
        "properties": {"mood": {"type": "string", "x-i18n": True}},
        "additionalProperties": {"type": "string", "x-i18n": True},
    },
    "initialValue": {"mood": {"en": "calm", "de": "ruhig"}, "north": {"de": "auf"}},
}


def initialize(number: int = 1, /, **definitions: Any) -> Any:
    return staged("dimension.initialize", number, definitions=definitions)


def update(number: int = 1, /, *changes: tuple[str, int, Any], **payload: Any) -> Any:
    updates = [
        {"id": name, "expectedVersion": version, "value": value} for name, version, value in changes
    ]
    return staged("dimension.update", number, updates=updates, **payload)


def tide(store: Store, **at: int) -> Any:
    found = store.read_now(lambda reading: every_dimension(reading, "s1", **at))
    return next(one for one in found if one.dimension_id == "tide")


@pytest.fixture
def adopted(store: Store) -> Store:
    committed(store, provided("t1", proposals=(initialize(tide=TIDE, fare={**TIDE, "name": "F"}),)))
    return store


def test_a_new_dimension_has_its_initial_value_and_version_one(store: Store) -> None:
    report = committed(store, provided(proposals=(initialize(tide=TIDE),)))
    entry = {"name": TIDE["name"], "schema": TIDE["schema"], "value": 2, "version": 1}
    assert [(event.type, event.payload) for event in report.events] == [
        (
            "dimensions.changed",
            {"providerPluginId": "echo-demo", "dimensions": {"tide": entry}},
        )
    ]
    assert tide(store).public() == entry
    assert tide(store).definition["updateRule"] == "Rises at night."


def test_translatable_values_are_stored_in_the_session_s_language(store: Store) -> None:
    store.transaction_now(lambda t: insert_session(t, session("s2", locale="de")))
    changes = {"session_id": "s2", "incarnation": "incarnation-of-s2"}
    for turn_id in ("t1", "t2"):
        committed(store, provided(turn_id, **changes, proposals=(initialize(ferries=NAMED),)))
    [record] = store.read_now(lambda reading: every_dimension(reading, "s2"))
    assert (record.value, record.version) == ({"mood": "ruhig", "north": "auf"}, 1)
    assert record.definition["initialValue"] == record.value


def test_the_same_definition_again_changes_nothing(adopted: Store) -> None:
    committed(adopted, provided("t2", proposals=(update(1, ("tide", 1, 9)),)))
    report = committed(adopted, provided("t3", proposals=(initialize(tide=TIDE),)))
    assert report.events == ()
    assert (tide(adopted).value, tide(adopted).version) == (9, 2)


@pytest.mark.parametrize(
    ("dimension_id", "definition", "code", "words"),
    [
        ("tide", {**TIDE, "initialValue": 3}, "dimension-definition-conflict", "'tide'"),
        ("Tide", TIDE, "proposal-invalid", "'Tide' is no dimension ID"),
        ("wind", {**TIDE, "initialValue": -1}, "proposal-invalid", "-1 is less than 0"),
        (
            "wind",
            {"name": "W", "schema": {"$ref": "#"}, "initialValue": 1},
            "proposal-invalid",
            "$ref",
        ),
    ],
)
def test_a_bad_definition_refuses_all_of_its_proposal(
    adopted: Store, dimension_id: str, definition: Any, code: str, words: str
) -> None:
    proposal = initialize(2, calm=TIDE, **{dimension_id: definition})
    error = refused(adopted, provided("t2", proposals=(proposal,)))
    assert error.code == code
    assert words in error.message


@pytest.mark.parametrize("provider", [None, "other-pack"])
@pytest.mark.parametrize("proposal", [initialize(5, wind=TIDE), update(5, ("tide", 1, 1))])
def test_only_the_provider_writes_dimensions(
    adopted: Store, proposal: Any, provider: str | None
) -> None:
    execution = commit("t2", proposals=(proposal,), dimension_provider_id=provider)
    error = refused(adopted, execution)
    assert error.code == "dimension-provider-required"
    assert repr(provider) in error.message or provider is None


def test_values_change_as_one_batch(adopted: Store) -> None:
    proposal = update(2, ("tide", 1, 5), ("fare", 1, 6))
    [event] = committed(adopted, provided("t2", proposals=(proposal,))).events
    dimensions: Any = event.payload["dimensions"]
    assert {name: (entry["value"], entry["version"]) for name, entry in dimensions.items()} == {
        "tide": (5, 2),
        "fare": (6, 2),
    }
    assert (tide(adopted).value, tide(adopted, revision=1).value) == (5, 2)


@pytest.mark.parametrize(
    "proposal",
    [
        update(2, ("fare", 1, 3), ("tide", 2, 5)),
        update(2, ("fare", 1, 3), readVersions={"tide": 7}),
        update(2, readVersions={"tide": 7}),
    ],
)
def test_one_stale_version_refuses_all_and_names_the_current_one(
    adopted: Store, proposal: Any
) -> None:
    error = refused(adopted, provided("t2", proposals=(proposal,)))
    assert error.code == "dimension-version-conflict"
    assert "'tide' is at version 1" in error.message


def test_the_second_writer_of_one_version_is_refused(adopted: Store) -> None:
    proposals = (update(1, ("tide", 1, 5)), update(2, ("tide", 1, 6)))
    error = refused(adopted, provided("t2", proposals=proposals))
    assert (error.code, error.failed[-1].proposal_id) == (
        "dimension-version-conflict",
        "proposal-2",
    )


@pytest.mark.parametrize(
    ("proposal", "code"),
    [
        (update(2, ("tide", 1, "high")), "proposal-invalid"),
        (update(2, ("tide", 1, None)), "proposal-invalid"),
        (update(2, ("tide", 1, 5), ("tide", 1, 5)), "proposal-invalid"),
        (update(2, ("wind", 1, 5)), "not-found"),
        (update(2, readVersions={"wind": 1}), "not-found"),
    ],
)
def test_what_does_not_fit_is_refused(adopted: Store, proposal: Any, code: str) -> None:
    assert refused(adopted, provided("t2", proposals=(proposal,))).code == code


def test_a_value_over_the_limits_is_refused(store: Store) -> None:
    anything = {"name": "A", "schema": {"type": ["array", "string"]}, "initialValue": []}
    committed(store, provided("t1", proposals=(initialize(any=anything),)))
    deep: Any = []
    for _ in range(40):
        deep = [deep]
    for value in (deep, [0] * 10_000, "x" * 262_144):
        proposal = update(2, ("any", 1, value))
        assert refused(store, provided("t2", proposals=(proposal,))).code == "proposal-invalid"


def test_a_planned_call_of_the_tool_commits(adopted: Store) -> None:
    snapshot = {"tide": tide(adopted).public()}
    call = {"updates": [{"id": "tide", "value": 8, "reason": "storm"}]}
    plan = plan_dimension_updates(call, snapshot=snapshot, check=check_dimension_value)
    proposal = staged("dimension.update", 2, updates=list(plan.updates))
    committed(adopted, provided("t2", proposals=(proposal,)))
    assert tide(adopted).value == 8


# Settlements

SOURCE = {"resultId": "result-1", "turnNumber": 1}


def owe(store: Store, **changes: Any) -> None:
    values: dict[str, Any] = {
        "session_id": "s1",
        "result_id": "result-1",
        "plugin_id": "echo-demo",
        "turn_number": 1,
        "source_turn_id": "t1",
        "version": 1,
        "status": "pending-settlement",
        "frozen": {"definitions": {}, "readVersions": {"tide": 1}},
    }
    record = SettlementRecord(**{**values, **changes})
    store.transaction_now(lambda t: put_settlement(t, record, revision=1))


def settle(number: int = 2, /, *changes: Any, status: str = "settled", **payload: Any) -> Any:
    members = {"source": SOURCE, "settlement": {"status": status}, **payload}
    return update(number, *changes, **members)


def test_values_and_receipt_are_stored_together(adopted: Store) -> None:
    owe(adopted)
    report = committed(adopted, provided("t2", proposals=(settle(2, ("tide", 1, 5)),)))
    settlement = {"source": SOURCE, "sourceTurnId": "t1", "version": 2, "status": "settled"}
    changed, settled = report.events
    assert changed.payload["settlement"] == settlement
    assert (settled.type, settled.payload) == (
        "dimensions.settlement.changed",
        {"providerPluginId": "echo-demo", **settlement},
    )
    receipt = adopted.read_now(lambda reading: get_settlement(reading, "s1", "result-1"))
    assert receipt is not None
    assert (receipt.status, receipt.frozen) == ("settled", None)
    assert tide(adopted).last_source == SOURCE


def test_no_change_is_a_receipt_and_checks_the_versions_read(adopted: Store) -> None:
    owe(adopted)
    stale = settle(2, status="no-change", readVersions={"tide": 4})
    assert refused(adopted, provided("t2", proposals=(stale,))).code == "dimension-version-conflict"
    good = settle(2, status="no-change", readVersions={"tide": 1})
    [event] = committed(adopted, provided("t2", proposals=(good,))).events
    assert event.payload["status"] == "no-change"


def test_a_receipt_is_final(adopted: Store) -> None:
    committed(adopted, provided("t2", proposals=(settle(2, ("tide", 1, 5)),)))
    again = settle(3, ("tide", 2, 6))
    error = refused(adopted, provided("t3", proposals=(again,)))
    assert error.code == "dimension-already-settled"


@pytest.mark.parametrize(
    "proposal",
    [
        settle(2, source=None),
        settle(2, ("tide", 1, 5), status="no-change"),
        settle(2, source={"resultId": "result-1", "turnNumber": 9}),
    ],
)
def test_a_settlement_that_names_no_debt_rightly_is_refused(adopted: Store, proposal: Any) -> None:
    owe(adopted)
    assert refused(adopted, provided("t2", proposals=(proposal,))).code == "proposal-invalid"


def test_an_edit_without_a_settlement_leaves_the_debt(adopted: Store) -> None:
    owe(adopted)
    committed(adopted, provided("t2", proposals=(update(2, ("tide", 1, 5)),)))
    receipt = adopted.read_now(lambda reading: get_settlement(reading, "s1", "result-1"))
    assert receipt is not None
    assert receipt.status == "pending-settlement"


def test_the_newest_receipts_and_every_debt_are_kept(store: Store) -> None:
    owe(store, result_id="debt", turn_number=0)
    for number in range(KEPT_RECEIPTS + 5):
        owe(store, result_id=f"r{number}", turn_number=number, status="settled", frozen=None)
    kept = store.read_now(lambda reading: every_settlement(reading, "s1"))
    assert [record.result_id for record in kept] == [
        "debt",
        *(f"r{number}" for number in range(5, KEPT_RECEIPTS + 5)),
    ]


# Any order of batches

batches = st.lists(
    st.dictionaries(
        st.sampled_from(["tide", "fare", "wind"]),
        st.tuples(st.integers(0, 2), st.integers(-1, 5)),
        max_size=3,
    ),
    max_size=6,
)


@given(commits=st.lists(batches, max_size=3))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_commit_writes_all_of_its_batches_or_none(
    store: Store, commits: list[list[dict[str, tuple[int, int]]]]
) -> None:
    """Versions are given as how far behind the current one they are; values below 0 never fit."""

    def fresh(transaction: Any) -> None:
        delete_session(transaction, "s1")
        insert_session(transaction, session())

    store.transaction_now(fresh)
    committed(store, provided("t0", proposals=(initialize(tide=TIDE, fare=TIDE),)))
    expected = {"tide": (2, 1), "fare": (2, 1)}
    for turn, staged_batches in enumerate(commits, 1):
        wanted, is_good, proposals = dict(expected), True, []
        for number, batch in enumerate(staged_batches, 1):
            changes = []
            for name, (behind, value) in batch.items():
                version = wanted[name][1] if name in wanted else 1
                changes.append((name, version - behind, value))
                is_good = is_good and name in wanted and behind == 0 and value >= 0
            proposals.append(update(number, *changes))
            wanted |= {
                name: (value, version + 1) for name, version, value in changes if name in wanted
            }
        execution = provided(f"t{turn}", proposals=tuple(proposals))
        if is_good:
            committed(store, execution)
            expected = wanted
        else:
            refused(store, execution)
        records = store.read_now(lambda reading: every_dimension(reading, "s1"))
        assert {one.dimension_id: (one.value, one.version) for one in records} == expected
