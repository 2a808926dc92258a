"""Dimensions: queries with paths and pages, updates (vectors: dimensions.json)."""

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugin_sdk.errors import ToolError, ToolValidationError
from plugin_sdk.proposals import parse_proposal
from plugin_sdk.rules.dimension_derived import (
    derived_paths,
    hide_derived_schema,
    hide_derived_value,
)
from plugin_sdk.rules.dimension_paths import (
    PathChangeError,
    PathSyntaxError,
    look_up,
    parse_change_path,
    parse_read_path,
    set_at,
)
from plugin_sdk.rules.dimension_updates import plan_dimension_updates
from plugin_sdk.rules.dimensions import (
    VALUE_TEXT_LIMIT,
    list_dimensions,
    query_dimension_snapshot,
    take_page,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


def check(schema: Mapping[str, Any], value: Any) -> Sequence[str]:
    engine = jsonschema_rs.validator_for(dict(schema))
    return [error.message for error in engine.iter_errors(value)]


def accept(schema: Mapping[str, Any], value: Any) -> Sequence[str]:
    return []


def dimension(value: Any, schema: Any = None, version: int = 1) -> dict[str, Any]:
    return {"name": "D", "schema": schema or {}, "value": value, "version": version}


def plan(call: Any, snapshot: Any, *, checks: Callable[..., Any] = check, **options: Any) -> Any:
    return plan_dimension_updates(call, snapshot=snapshot, check=checks, **options)


# Paths


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        ("", ()),
        ("durability", ("durability",)),
        ("regions[0].name", ("regions", "0", "name")),
        ("[0][1]", ("0", "1")),
        ("regions.0.name", ("regions", "0", "name")),
        ("call-0614.first name", ("call-0614", "first name")),
        ("/", ("",)),
        ("/a~1b/c~0d/~01", ("a/b", "c~d", "~1")),
    ],
)
def test_a_path_is_read(path: str, segments: tuple[str, ...]) -> None:
    assert parse_read_path(path) == segments


@pytest.mark.parametrize(
    "path", ["a..b", ".a", "a.", "a[", "a[]", "a[x]", "a]b", "[0]a", "a.[0]", "[-1]", "/a~", "[１]"]
)
def test_a_path_that_cannot_be_read_says_so(path: str) -> None:
    with pytest.raises(PathSyntaxError, match="path"):
        parse_read_path(path)


@pytest.mark.parametrize("segment", ["01", "-1", "1e0", "9" * 5000, "", "length"])
def test_only_a_plain_index_reaches_into_an_array(segment: str) -> None:
    assert look_up([1, 2], (segment,)) == (False, None)


@given(JSON, st.text(max_size=12))
def test_a_look_up_of_any_path_answers_or_is_a_syntax_error(value: Any, path: str) -> None:
    try:
        segments = parse_read_path(path)
    except PathSyntaxError:
        return
    found, part = look_up(value, segments)
    assert found or part is None


@pytest.mark.parametrize(
    ("path", "value", "segments"),
    [
        ("a/b.c", {}, ("a", "b", "c")),
        ("/a/b", {}, ("a", "b")),
        ("rooms[0]/name", {"rooms": []}, ("rooms", "0", "name")),
        ("pier/mill.state", {"pier/mill": {}}, ("pier/mill", "state")),
        ("pier/mill", {"pier": {}}, ("pier", "mill")),
        ("Dr. Lin.mood", {"Dr. Lin": {}}, ("Dr. Lin", "mood")),
        ("a.b", {"a.b": 1, "a": {"b": 2}}, ("a", "b")),
        ("ports.pier/mill", {"ports": {"pier/mill": 1}}, ("ports", "pier/mill")),
        ("/home.lit", {"/home": {}}, ("/home", "lit")),
    ],
)
def test_the_path_of_a_change_is_read_against_the_value(
    path: str, value: Any, segments: tuple[str, ...]
) -> None:
    assert parse_change_path(path, value) == segments


@pytest.mark.parametrize("path", ["", "/", "a//b", "a..b", "a.", "[0]a", "a[x]", "a.__proto__.b"])
def test_a_change_path_that_cannot_be_read_says_so(path: str) -> None:
    with pytest.raises(PathSyntaxError):
        parse_change_path(path, {})


def test_objects_on_the_way_are_made_and_arrays_may_grow_by_one() -> None:
    value: Any = {"log": ["a"]}
    set_at(value, ("calls", "new", "status"), "open")
    set_at(value, ("log", "1"), "b")
    assert value == {"log": ["a", "b"], "calls": {"new": {"status": "open"}}}


@pytest.mark.parametrize("segments", [("log", "3"), ("log", "x"), ("tally", "x"), ("none", "x")])
def test_a_change_below_a_scalar_or_past_an_array_is_refused(segments: tuple[str, ...]) -> None:
    with pytest.raises(PathChangeError):
        set_at({"log": ["a"], "tally": 1, "none": None}, segments, 0)


@given(JSON, st.lists(st.sampled_from(["a", "b", "0", "c d"]), min_size=1, max_size=4), JSON)
def test_what_a_change_sets_is_found_there(root: Any, segments: list[str], value: Any) -> None:
    try:
        set_at(root, tuple(segments), value)
    except PathChangeError:
        return
    assert look_up(root, tuple(segments)) == (True, value)


# Pages and texts


@given(
    st.text() | st.lists(st.integers()) | st.dictionaries(st.text(max_size=3), st.integers()),
    st.integers(1, 5),
)
def test_pages_tile_the_value(value: Any, limit: int) -> None:
    parts, offset = [], 0
    while offset is not None:
        page: Any = take_page(value, offset, limit)
        assert page["total"] == len(value)
        assert len(page["value"]) <= limit
        parts.append(page["value"])
        offset = page.get("nextOffset")
    if isinstance(value, dict):
        assert [item for part in parts for item in part.items()] == list(value.items())
    else:
        assert [item for part in parts for item in part] == list(value)


def test_a_scalar_has_no_page() -> None:
    [result] = query_dimension_snapshot(
        {"tide": dimension(2)}, [{"dimension": "tide", "limit": 1}]
    ).results
    assert "page" not in result


def test_an_unknown_dimension_is_not_found_and_the_model_reads_the_known_ones() -> None:
    reading = query_dimension_snapshot({"tide": dimension(2)}, [{"dimension": "mood"}])
    assert reading.results == [{"dimension": "mood", "found": False}]
    assert reading.text == "mood: no such dimension (known: tide)"


def test_lines_name_path_page_and_what_is_missing() -> None:
    snapshot = {"queue": dimension(["a", "b", "c"], version=4)}
    queries = [
        {"dimension": "queue", "path": "[1]"},
        {"dimension": "queue", "path": "/2"},
        {"dimension": "queue", "path": "size"},
        {"dimension": "queue", "path": "[", "limit": 1},
        {"dimension": "queue", "offset": 1, "limit": 1},
    ]
    lines = query_dimension_snapshot(snapshot, queries).text.splitlines()
    assert lines[:3] == [
        'queue[1] (v4) = "b"',
        'queue/2 (v4) = "c"',
        "queue.size (v4): not found",
    ]
    assert lines[3].startswith("queue[: The path '[' cannot be read")
    assert lines[4] == 'queue (v4) from offset 1 of 3, nextOffset 2 = ["b"]'


def test_a_long_value_is_cut_with_a_notice_for_the_model_only() -> None:
    text = "x" * (VALUE_TEXT_LIMIT + 50)
    reading = query_dimension_snapshot({"log": dimension(text)}, [{"dimension": "log"}])
    assert reading.results[0]["value"] == text
    assert "truncated: 4000 of 4052 characters" in reading.text
    assert len(reading.text) < len(text) + 100


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"dimension": 1},
        {"dimension": "tide", "path": 1},
        {"dimension": "tide", "offset": -1},
        {"dimension": "tide", "offset": True},
        {"dimension": "tide", "limit": 2001},
        {"dimension": "tide", "limit": 1.5},
        "tide",
    ],
)
def test_a_malformed_query_is_invalid_input(query: Any) -> None:
    with pytest.raises(ToolValidationError, match=r"queries\.0"):
        query_dimension_snapshot({"tide": dimension(2)}, [query])


def test_the_list_holds_no_values() -> None:
    snapshot = {"tide": dimension(2, {"type": "integer"}), "any": dimension(1, version=7)}
    assert list_dimensions(snapshot) == {
        "dimensions": [
            {"id": "tide", "name": "D", "type": "integer", "version": 1},
            {"id": "any", "name": "D", "version": 7},
        ]
    }


# Updates


def test_an_update_carries_the_version_that_was_read_and_its_reason() -> None:
    result = plan(
        {"updates": [{"id": "tide", "value": 3, "reason": " storm ", "expectedVersion": 1}]},
        {"tide": dimension(2, version=9)},
    )
    assert result.updates == ({"id": "tide", "expectedVersion": 9, "value": 3, "reason": "storm"},)


def test_planned_updates_are_a_valid_proposal() -> None:
    result = plan({"updates": [{"id": "tide", "value": 3}]}, {"tide": dimension(2)})
    payload = {"updates": list(result.updates)}
    assert parse_proposal({"type": "dimension.update", "payload": payload}).payload() == payload


def test_summaries_are_written_in_both_instruction_languages() -> None:
    snapshot = {"tide": dimension(2)}
    one = plan({"updates": [{"id": "tide", "value": 3}]}, snapshot)
    none = plan({"updates": []}, snapshot)
    settled = plan({"updates": "ignored"}, snapshot, settled=True)
    assert [result.summary("zh") for result in (one, none, settled)] == [
        "维度已更新：1 项改动。",
        "未记录改动。",
        "本回合的维度已结算。",
    ]
    assert one.summary("en") == "Dimensions updated: 1 change(s)."


@pytest.mark.parametrize(
    "updates",
    [
        None,
        {},
        [1],
        [{"value": 1}],
        [{"id": "", "value": 1}],
        [{"id": "tide", "value": 1, "reason": 2}],
        [{"id": "tide", "changes": {}}],
        [{"id": "tide", "changes": [{"path": "a"}]}],
        [{"id": "tide", "changes": [{"path": 1, "value": 1}]}],
        [{"id": "tide", "changes": [{"path": "a", "value": 1}]}],
        [{"id": "tide", "value": 1, "updates": [{"id": "x"}]}],
        [{"id": "tide", "value": 1}, {"id": "tide", "value": 1}],
        [{"id": "tide", "changes": [{"path": "", "value": 1}, {"path": "a", "value": 1}]}],
        [{"id": f"d{n}", "value": 1} for n in range(65)],
    ],
)
def test_a_malformed_call_is_invalid_input(updates: Any) -> None:
    snapshot = {"tide": dimension(2)} | {f"d{n}": dimension(1) for n in range(65)}
    with pytest.raises(ToolValidationError):
        plan({"updates": updates}, snapshot)


def test_empty_changes_beside_a_value_say_nothing() -> None:
    result = plan({"updates": [{"id": "tide", "value": 1, "changes": []}]}, {"tide": dimension(2)})
    assert result.content == {"updateCount": 1}


def test_a_row_taken_for_a_dimension_is_told_its_path() -> None:
    snapshot = {"map": dimension({"rooms": {"cellar": {"lit": False}}})}
    with pytest.raises(ToolError) as caught:
        plan({"updates": [{"id": "cellar", "value": {}}]}, snapshot)
    assert caught.value.code == "not-found"
    assert "'map', at the path 'rooms.cellar'" in caught.value.message


def test_every_value_that_does_not_fit_is_named() -> None:
    snapshot = {key: dimension(1, {"type": "integer"}) for key in ("tide", "wind", "fog")}
    updates = [{"id": "tide", "value": "a"}, {"id": "wind", "value": 2}, {"id": "fog", "value": []}]
    with pytest.raises(ToolValidationError) as caught:
        plan({"updates": updates}, snapshot)
    assert [problem.path for problem in caught.value.details] == ["tide", "fog"]


def test_the_clock_message_names_time_and_missing_dimensions_within_its_limit() -> None:
    clock = {"display": "Day 2", "unit": "hour", "elapsedThisTurn": -3, "elapsedSinceStart": 21}
    snapshot = {f"dimension-{n}": dimension(1) for n in range(200)}
    with pytest.raises(ToolValidationError) as caught:
        plan({"followsClock": ["dimension-7"], "updates": []}, snapshot, clock=clock)
    for text in ("dimension-7", "Day 2", "-3 hour", "21 hour"):
        assert text in caught.value.message
    with pytest.raises(ToolValidationError) as caught:
        plan({"followsClock": list(snapshot), "updates": []}, snapshot, clock=clock)
    assert len(caught.value.message) == 1900
    assert caught.value.message.endswith("…")


def test_a_wholly_derived_dimension_never_follows_the_clock_by_hand() -> None:
    clock = {"display": "Day 2", "unit": "hour", "elapsedThisTurn": 1, "elapsedSinceStart": 1}
    schema = {"type": "integer", "x-derive": {"source": "clock.elapsedSinceStart"}}
    call = {
        "followsClock": ["age"],
        "updates": [
            {"id": "age", "changes": [{"path": "x.y", "value": 9}, {"path": "z", "value": 1}]}
        ],
    }
    result = plan(call, {"age": dimension(3, schema)}, clock=clock)
    assert result.updates[0]["value"] == 3


DERIVED_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "oil": {"type": "integer"},
        "lamp": {
            "type": "object",
            "properties": {"hours": {"type": "integer", "x-derive": {}}, "lit": {}},
        },
    },
    "required": ["oil", "lamp"],
}


def test_derived_fields_are_found_and_hidden() -> None:
    assert derived_paths(DERIVED_SCHEMA) == (("lamp", "hours"),)
    value = {"oil": 1, "lamp": {"hours": 3, "lit": True}}
    assert hide_derived_value(DERIVED_SCHEMA, value) == {"oil": 1, "lamp": {"lit": True}}
    assert value["lamp"] == {"hours": 3, "lit": True}
    shown: Any = hide_derived_schema(DERIVED_SCHEMA)
    assert shown["properties"]["lamp"]["properties"] == {"lit": {}}
    assert shown["required"] == ["oil", "lamp"]
    assert hide_derived_schema({"x-derive": {}}) is None
    root_derived = {"properties": {"a": {"x-derive": {}}, "b": {}}, "required": ["a", "b"]}
    assert (hide_derived_schema(root_derived) or {})["required"] == ["b"]


def test_a_derived_field_that_is_not_there_yet_is_not_written_by_a_model() -> None:
    snapshot = {"d": dimension({"oil": 1, "lamp": {}}, DERIVED_SCHEMA)}
    value = {"oil": 2, "lamp": {"hours": 99, "lit": False}}
    result = plan({"updates": [{"id": "d", "value": value}]}, snapshot)
    assert result.updates[0]["value"] == {"oil": 2, "lamp": {"lit": False}}


def test_a_model_cannot_drop_a_derived_field_with_the_object_around_it() -> None:
    schema = {**DERIVED_SCHEMA, "required": ["oil"]}
    snapshot = {"d": dimension({"oil": 1, "lamp": {"hours": 3, "lit": True}}, schema)}
    result = plan({"updates": [{"id": "d", "value": {"oil": 2}}]}, snapshot)
    assert result.updates[0]["value"] == {"oil": 2, "lamp": {"hours": 3}}


ENTRIES = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["a", "b", "nowhere"])},
        optional={
            "value": JSON,
            "changes": st.lists(
                st.fixed_dictionaries(
                    {"path": st.sampled_from(["", "x", "x.y", "x/0", "[0]", "constructor"])},
                    optional={"value": JSON},
                ),
                max_size=2,
            ),
            "reason": st.text(max_size=3),
        },
    ),
    max_size=4,
)


@given(JSON, ENTRIES)
def test_a_plan_changes_neither_call_nor_snapshot_and_shares_nothing(
    value: Any, updates: Any
) -> None:
    snapshot = {"a": dimension(value), "b": dimension({"x": [1]}, DERIVED_SCHEMA)}
    before = copy.deepcopy((snapshot, updates))
    try:
        result = plan({"updates": updates}, snapshot, checks=accept)
    except ToolError:
        assert (snapshot, updates) == before
        return
    for update in result.updates:
        if isinstance(update["value"], dict):
            update["value"]["added"] = True
        if isinstance(update["value"], list):
            update["value"].append("added")
    assert (snapshot, updates) == before


@given(JSON, ENTRIES)
def test_each_dimension_is_updated_at_most_once(value: Any, updates: Any) -> None:
    snapshot = {"a": dimension(value), "b": dimension({"x": [1]})}
    try:
        result = plan({"updates": updates}, snapshot, checks=accept)
    except ToolError:
        return
    ids = [update["id"] for update in result.updates]
    assert len(ids) == len(set(ids))
    assert result.content == {"updateCount": len(ids)}
