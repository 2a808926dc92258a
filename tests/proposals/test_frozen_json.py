"""Frozen JSON equals plain JSON, refuses every change, and copies to plain JSON."""

import copy
import json
import pickle
from collections.abc import MutableMapping, MutableSequence
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.json_text import json_copy
from covel_host.proposals.frozen_json import FrozenArray, FrozenObject, freeze, thawed

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=12,
)


def kinds(value: Any) -> set[type]:
    inner = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list)):
        return set()
    return {type(value)}.union(*map(kinds, inner))


@given(values)
def test_a_frozen_value_is_its_plain_one_but_for_its_types(value: Any) -> None:
    frozen = freeze(value)
    assert frozen == value
    assert kinds(frozen) <= {FrozenObject, FrozenArray}
    assert freeze(frozen) is frozen
    assert json.dumps(frozen) == json.dumps(value)
    for copied in (
        thawed(frozen),
        json_copy(frozen),
        copy.deepcopy(frozen),
        pickle.loads(pickle.dumps(frozen)),
    ):
        assert copied == value
        assert kinds(copied) <= {dict, list}


def test_freezing_shares_nothing_with_what_was_given() -> None:
    value: dict[str, Any] = {"list": [1]}
    frozen = freeze(value)
    value["list"].append(2)
    assert frozen == {"list": [1]}
    assert orjson.dumps(frozen) == b'{"list":[1]}'
    shallow = copy.copy(frozen)
    assert (type(shallow), type(shallow["list"])) == (dict, FrozenArray)
    assert type(copy.copy(frozen["list"])) is list


CHANGES_OF_OBJECTS: dict[str, tuple[Any, ...]] = {
    "__setitem__": ("a", 1),
    "__delitem__": ("a",),
    "__ior__": ({"b": 1},),
    "clear": (),
    "pop": ("a",),
    "popitem": (),
    "setdefault": ("b", 1),
    "update": ({"b": 1},),
}
CHANGES_OF_ARRAYS: dict[str, tuple[Any, ...]] = {
    "__setitem__": (0, 1),
    "__delitem__": (0,),
    "__iadd__": ([1],),
    "__imul__": (2,),
    "append": (1,),
    "clear": (),
    "extend": ([1],),
    "insert": (0, 1),
    "pop": (),
    "remove": (7,),
    "reverse": (),
    "sort": (),
}


def test_the_tables_hold_every_change_there_is() -> None:
    for plain, abstract, changes in (
        (dict, MutableMapping, CHANGES_OF_OBJECTS),
        (list, MutableSequence, CHANGES_OF_ARRAYS),
    ):
        named = {name for name in vars(abstract) if hasattr(plain, name)}
        reading = {name for base in abstract.__mro__[1:] for name in vars(base)}
        assert named - reading - {"__doc__", "__module__"} <= set(changes)


@pytest.mark.parametrize("name", CHANGES_OF_OBJECTS)
def test_an_object_refuses_every_change(name: str) -> None:
    frozen = freeze({"a": 7})
    with pytest.raises(TypeError, match="This JSON object cannot be changed"):
        getattr(frozen, name)(*CHANGES_OF_OBJECTS[name])
    assert frozen == {"a": 7}


@pytest.mark.parametrize("name", CHANGES_OF_ARRAYS)
def test_an_array_refuses_every_change(name: str) -> None:
    frozen = freeze([7])
    with pytest.raises(TypeError, match="This JSON array cannot be changed"):
        getattr(frozen, name)(*CHANGES_OF_ARRAYS[name])
    assert frozen == [7]
