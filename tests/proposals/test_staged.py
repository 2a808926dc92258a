"""The gate: one check for every proposal, whatever it came from."""

from datetime import UTC, datetime
from typing import Any

import pytest

from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal, check_proposal
from plugin_sdk.proposals import NarrativeAppend, PluginData


def check(proposal: Any) -> StagedProposal:
    return check_proposal(
        proposal, proposal_id="proposal-1", plugin_id="p", runtime_id="p/r", run_id="run-1"
    )


def refusal(proposal: Any) -> ProposalRefused:
    with pytest.raises(ProposalRefused) as refused:
        check(proposal)
    assert refused.value.proposal_id == "proposal-1"
    return refused.value


def test_a_model_and_its_description_pass_alike() -> None:
    model = PluginData(namespace="notes", key="lamp", value={"lit": [True, None]})
    described = {"type": "plugin.data", "payload": model.payload()}
    assert check(model) == check(described)
    assert check(NarrativeAppend(content="Once.")).payload == {"content": "Once."}


def test_the_payload_is_a_copy() -> None:
    value = {"list": [1]}
    payload = {"namespace": "notes", "key": "lamp", "value": value}
    checked = check({"type": "plugin.data", "payload": payload})
    value["list"].append(2)
    assert checked.payload["value"] == {"list": [1]}


def test_dates_become_texts() -> None:
    payload = {"namespace": "n", "key": "k", "value": datetime(2026, 1, 1, tzinfo=UTC)}
    assert check({"type": "plugin.data", "payload": payload}).payload["value"] == (
        "2026-01-01T00:00:00+00:00"
    )


@pytest.mark.parametrize(
    "proposal",
    [
        {},
        {"type": "plugin.data"},
        {"type": "state.patch", "payload": {}},
        {"type": ["plugin.data"], "payload": {}},
        {"type": "plugin.data", "payload": []},
        {"type": "plugin.data", "payload": {"namespace": "n", "key": "k"}},
        {"type": "plugin.data", "payload": {"namespace": "", "key": "k", "value": 1}},
        {"type": "plugin.data", "payload": {"namespace": "n", "key": "", "value": 1}},
        {"type": "plugin.data", "payload": {"namespace": "n", "key": 1, "value": 1}},
        {"type": "plugin.data", "payload": {"namespace": "n", "key": "k", "value": 1, "x": 1}},
        {"type": "plugin.data.batch", "payload": {"items": []}},
        {"type": "narrative.append", "payload": {"content": ""}},
        {"type": "event.emit", "payload": {"topic": "t", "data": [1]}},
        {"type": "plugin.data.update", "payload": {"namespace": "n", "key": "k", "ops": ["set"]}},
        {"type": "ui.render", "payload": {"parts": []}},
        {"type": "ui.render", "payload": {}},
        {"type": "narrative.append", "payload": {"content": "a", "segments": "b"}},
    ],
)
def test_a_payload_that_does_not_fit_its_type_is_invalid(proposal: Any) -> None:
    assert refusal(proposal).code == "proposal-invalid"


def test_a_copy_is_made_only_of_what_json_keeps_as_it_is() -> None:
    value = {"tuple": (1, 2.5), "big": 2**70, "nested": [{"ok": None}], "text": "\u2028ü"}
    payload = {"namespace": "n", "key": "k", "value": value}
    copy = check({"type": "plugin.data", "payload": payload}).payload["value"]
    assert copy == {"tuple": [1, 2.5], "big": 2**70, "nested": [{"ok": None}], "text": "\u2028ü"}


def circle() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), object(), {1, 2}, b"bytes", circle(), "lone \ud800", ["\udfff"]],
    ids=["nan", "infinity", "object", "set", "bytes", "circle", "surrogate", "inner-surrogate"],
)
def test_a_value_that_json_cannot_store_is_invalid(value: Any) -> None:
    payload = {"namespace": "n", "key": "k", "value": value}
    assert refusal({"type": "plugin.data", "payload": payload}).code == "proposal-invalid"


def test_a_model_made_without_validation_is_checked_too() -> None:
    for wrong in (
        {"namespace": "", "value": 1},
        {"namespace": "n", "value": object()},
        {"namespace": "n", "value": [float("inf")]},
        {"namespace": "n", "value": ({1},)},
        {"value": 1},
    ):
        unchecked = PluginData.model_construct(key="k", **wrong)
        refused = refusal(unchecked)
        assert (refused.code, refused.proposal_type) == ("proposal-invalid", "plugin.data")
