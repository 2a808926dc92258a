"""The view of one record under staged writes, and the limit of one value."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.proposals import EventEmit, Proposal, parse_proposal
from plugin_sdk.rules.data_ops import DataOpError
from plugin_sdk.rules.plugin_data import (
    MAX_PLUGIN_DATA_VALUE_BYTES,
    OverlaidValue,
    StoredValue,
    apply_plugin_data_proposal,
    overlay_plugin_data_value,
    plugin_data_size_problem,
    plugin_data_value_bytes,
)

NOTHING = StoredValue(exists=False)


def proposal(proposal_type: str, **payload: Any) -> Proposal:
    return parse_proposal({"type": proposal_type, "payload": payload})


def written(value: Any, *, namespace: str = "notes", key: str = "gate") -> Proposal:
    return proposal("plugin.data", namespace=namespace, key=key, value=value)


def batch(*items: dict[str, Any]) -> Proposal:
    return proposal("plugin.data.batch", items=list(items))


DELETED = proposal("plugin.data.delete", namespace="notes", key="gate")
ADDED = proposal(
    "plugin.data.update",
    namespace="notes",
    key="gate",
    ops=[{"op": "increment", "path": "/n", "by": 1}],
)


@pytest.mark.parametrize(
    ("proposals", "stored", "seen"),
    [
        ([], NOTHING, OverlaidValue(False, False)),
        ([], StoredValue(True, 4), OverlaidValue(False, True, 4)),
        ([written(1, key="pier")], StoredValue(True, 4), OverlaidValue(False, True, 4)),
        ([written(1, namespace="other")], NOTHING, OverlaidValue(False, False)),
        ([EventEmit(topic="bell.rung")], NOTHING, OverlaidValue(False, False)),
        ([written({"n": 1})], NOTHING, OverlaidValue(True, True, {"n": 1})),
        ([written({"n": 1}), ADDED, ADDED], NOTHING, OverlaidValue(True, True, {"n": 3})),
        ([ADDED], StoredValue(True, {"n": 7}), OverlaidValue(True, True, {"n": 8})),
        ([DELETED], StoredValue(True, 4), OverlaidValue(True, False)),
        ([DELETED, written(5)], StoredValue(True, 4), OverlaidValue(True, True, 5)),
        ([written(None)], StoredValue(True, 4), OverlaidValue(True, False)),
        (
            [
                batch(
                    {"namespace": "notes", "key": "gate", "value": 1},
                    {"namespace": "notes", "key": "pier", "value": 2},
                    {"namespace": "notes", "key": "gate", "value": 3},
                )
            ],
            NOTHING,
            OverlaidValue(True, True, 3),
        ),
        (
            [proposal("plugin.data.update", namespace="notes", key="gate", ops=[{"op": "delete"}])],
            StoredValue(True, 4),
            OverlaidValue(True, False),
        ),
    ],
)
def test_the_view_of_one_key(
    proposals: list[Proposal], stored: StoredValue, seen: OverlaidValue
) -> None:
    assert overlay_plugin_data_value(proposals, "notes", "gate", stored) == seen


def test_operations_that_do_not_fit_never_enter_a_view() -> None:
    assert overlay_plugin_data_value([ADDED], "notes", "gate", NOTHING) == OverlaidValue(
        False, False
    )
    with pytest.raises(DataOpError):
        apply_plugin_data_proposal(ADDED, "notes", "gate", NOTHING)


def test_the_view_shares_nothing_with_what_was_given() -> None:
    stored = StoredValue(True, {"rows": [1]})
    seen = overlay_plugin_data_value([], "notes", "gate", stored)
    seen.value["rows"].append(2)  # type: ignore[index,union-attr,call-overload]
    assert stored.value == {"rows": [1]}


WRITES = st.sampled_from([written({"n": 1}), written(2), DELETED, ADDED, written(1, key="pier")])


@given(st.lists(WRITES, max_size=5), st.lists(WRITES, max_size=5))
def test_a_view_of_a_view_is_the_view_of_both(first: list[Proposal], then: list[Proposal]) -> None:
    whole = overlay_plugin_data_value([*first, *then], "notes", "gate", NOTHING)
    half = overlay_plugin_data_value(first, "notes", "gate", NOTHING)
    rest = overlay_plugin_data_value(then, "notes", "gate", StoredValue(half.exists, half.value))
    assert (whole.exists, whole.value) == (rest.exists, rest.value)
    assert whole.hit == (half.hit or rest.hit)


def test_size_is_counted_in_bytes_of_compact_json() -> None:
    assert plugin_data_value_bytes({"a": ["灯", 1]}) == len('{"a":["灯",1]}'.encode())


def test_the_limit_itself_is_allowed() -> None:
    fits = "x" * (MAX_PLUGIN_DATA_VALUE_BYTES - 2)
    assert plugin_data_size_problem("notes", "gate", fits) is None
    assert plugin_data_size_problem("notes", "gate", fits + "x") == (
        "The value for notes/gate is 262145 bytes; the limit for one value is 262144 bytes. Split "
        "it over several keys, or keep only what later turns read."
    )
