"""Where two JSON values differ."""

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.json_differences import json_differences
from plugin_sdk.values import JsonValue

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab/~", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text("ab/~", max_size=2), inner, max_size=3)
    ),
    max_leaves=8,
)


def typed(value: Any) -> Any:
    """The value so that `true` is not equal to `1`."""
    if isinstance(value, dict):
        return {name: typed(item) for name, item in value.items()}
    if isinstance(value, list):
        return [typed(item) for item in value]
    return (type(value).__name__, value)


@given(VALUES)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert list(json_differences(value, copy.deepcopy(value))) == []


@given(VALUES, VALUES)
def test_values_without_differences_are_equal(then: Any, now: Any) -> None:
    assert (list(json_differences(then, now)) == []) == (typed(then) == typed(now))


@given(VALUES, VALUES)
def test_differences_go_both_ways(then: Any, now: Any) -> None:
    turned = {"added": "missing", "missing": "added", "changed": "changed"}
    forth = {(one.path, one.change) for one in json_differences(then, now)}
    back = {(one.path, turned[one.change]) for one in json_differences(now, then)}
    assert forth == back


def test_places_are_pointers() -> None:
    then: JsonValue = {"a/b": [1, 2], "c~": True, "d": "x"}
    now: JsonValue = {"a/b": [1, 3, 4], "c~": 1, "e": "x"}
    assert [(one.path, one.change, one.then, one.now) for one in json_differences(then, now)] == [
        ("/a~1b/1", "changed", 2, 3),
        ("/a~1b/2", "added", None, 4),
        ("/c~0", "changed", True, 1),
        ("/d", "missing", "x", None),
        ("/e", "added", None, "x"),
    ]
