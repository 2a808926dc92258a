"""Reserved namespaces, the size of a value, and operations, on every way of writing."""

from typing import Any

import pytest

from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.plugin_data_rules import (
    ABSENT,
    DataChange,
    changed_record,
    data_writes,
    needs_current,
)
from covel_host.proposals.staged import StagedProposal
from plugin_sdk.rules.plugin_data import MAX_PLUGIN_DATA_VALUE_BYTES, StoredValue
from tests.proposals.builders import note, staged

LARGEST = "x" * (MAX_PLUGIN_DATA_VALUE_BYTES - 2)
"""A text whose JSON form, quotes included, has exactly the limit."""


def changes(proposal: StagedProposal, current: StoredValue = ABSENT) -> list[DataChange]:
    return [changed_record(proposal, write, current) for write in data_writes(proposal)]


def refusal(proposal: StagedProposal, current: StoredValue = ABSENT) -> ProposalRefused:
    with pytest.raises(ProposalRefused) as refused:
        changes(proposal, current)
    assert refused.value.proposal_type == proposal.type
    assert refused.value.message.startswith("Plugin 'echo-demo': ")
    return refused.value


def update(*ops: Any) -> StagedProposal:
    return staged("plugin.data.update", namespace="notes", key="lamp", ops=list(ops))


@pytest.mark.parametrize("namespace", ["_jobs", "_logs", "_hidden.notes", "_anything", "_"])
def test_a_reserved_namespace_is_refused_on_every_way(namespace: str) -> None:
    item = {"namespace": namespace, "key": "k", "value": 1}
    good = {"namespace": "notes", "key": "k", "value": 1}
    place = {"namespace": namespace, "key": "k"}
    for proposal in (
        staged("plugin.data", **item),
        staged("plugin.data.batch", items=[good, item]),
        staged("plugin.data.delete", **place),
        staged("plugin.data.update", **place, ops=[{"op": "delete"}]),
    ):
        refused = refusal(proposal)
        assert refused.code == "reserved-namespace"
        assert repr(namespace) in refused.message


def test_the_largest_value_passes_and_one_byte_more_does_not() -> None:
    assert changes(note(value=LARGEST))[0].text == f'"{LARGEST}"'
    refused = refusal(note("lamp", LARGEST + "x"))
    assert refused.code == "value-too-large"
    assert "The value for notes/lamp is 262145 bytes; the limit for one value is 262144 bytes." in (
        refused.message
    )


def test_bytes_are_counted_not_characters() -> None:
    third = (MAX_PLUGIN_DATA_VALUE_BYTES - 2) // 3
    assert changes(note(value="灯" * third))
    assert refusal(note(value="灯" * (third + 1))).code == "value-too-large"


def test_a_large_item_refuses_its_batch() -> None:
    items = [{"namespace": "n", "key": str(n), "value": "x" * n} for n in (1, 300_000)]
    assert refusal(staged("plugin.data.batch", items=items)).code == "value-too-large"


def test_an_update_is_measured_after_its_operations() -> None:
    grow = update({"op": "append", "path": "/list", "value": "x" * 1_000})
    almost = StoredValue(exists=True, value={"list": ["x" * 262_000]})
    assert refusal(grow, almost).code == "value-too-large"
    shrink = update({"op": "remove", "path": "/list"})
    assert changes(shrink, almost) == [DataChange("notes", "lamp", "{}", {})]


def test_an_operation_that_does_not_fit_is_refused_with_its_code_and_place() -> None:
    refused = refusal(update({"op": "set", "value": {}}, {"op": "remove", "path": "/a"}))
    assert refused.code == "path-not-found"
    assert "notes/lamp: ops[1]:" in refused.message
    assert refusal(update({"op": "wish"})).code == "invalid-op"


def test_only_updates_need_the_current_record() -> None:
    assert not needs_current(data_writes(note())[0])
    assert needs_current(data_writes(update({"op": "delete"}))[0])


def test_writing_null_removes_the_record() -> None:
    assert changes(note(value=None)) == [DataChange("notes", "lamp", None, None)]


def test_integers_of_any_size_are_kept() -> None:
    assert changes(note(value=10**40))[0].text == str(10**40)


def test_other_kinds_write_no_records() -> None:
    assert data_writes(staged("narrative.append", content="Once.")) == ()
