"""`world-dimension-get` and `world-dimension-list`: the frozen snapshot, within a budget."""

from typing import Any

import pytest

from covel_host.proposals.world_view import WorldView
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.rules.dimensions import LEAST_TEXT_LIMIT, TEXT_LIMIT, VALUE_TEXT_LIMIT
from tests.support.tool_calls import ToolBench
from tests.support.worlds import TIDE, world_of
from tests.tools.builtin.calling import answer, called, error

REPUTATION = {
    "name": "Reputation",
    "schema": {"type": "integer", "minimum": 0},
    "value": 5,
    "version": 2,
}
WORLD = {"tide": TIDE, "reputation": REPUTATION}


def get(world: WorldView, *queries: Any) -> ToolCallResult:
    return called("world-dimension-get", {"queries": list(queries)}, ToolBench(world=world))


def test_a_value_comes_with_name_schema_and_version_and_nothing_private() -> None:
    result = get(world_of(dimensions=WORLD), {"dimension": "reputation"})
    assert result.content == {
        "results": [{"dimension": "reputation", "found": True, **REPUTATION}],
        "text": "reputation (v2) = 5",
    }
    assert answer(result) == {"summary": "reputation (v2) = 5"}


def test_queries_are_answered_in_order_each_by_itself() -> None:
    result = get(
        world_of(dimensions=WORLD),
        {"dimension": "tide", "path": "log", "offset": 5, "limit": 6},
        {"dimension": "tide", "path": "height[", "limit": None},
        {"dimension": "moon"},
    )
    assert answer(result)["summary"].split("\n")[0] == (
        'tide.log (v4) from offset 5 of 11 = "rising"'
    )
    found = result.content["results"]  # type: ignore[index,call-overload]
    assert [one["found"] for one in found] == [True, False, False]
    assert ("error" in found[1], "error" in found[2]) == (True, False)
    assert "known: tide, reputation" in answer(result)["summary"]


@pytest.mark.parametrize(
    ("queries", "path"),
    [
        ([], "queries"),
        ([{"dimension": "tide"}] * 21, "queries"),
        ([{"path": "x"}], "queries.0.dimension"),
        ([{"dimension": "tide", "limit": 0}], "queries.0.limit"),
        ([{"dimension": "tide", "offset": -1}], "queries.0.offset"),
        ([{"dimension": "tide", "limit": 2001}], "queries.0.limit"),
    ],
)
def test_questions_that_cannot_be_asked_are_refused(queries: list[Any], path: str) -> None:
    assert error(get(world_of(dimensions=WORLD), *queries)) == ("invalid-input", [path])


def test_long_values_are_cut_for_the_model_alone_and_say_so() -> None:
    chronicle = {**REPUTATION, "schema": {"type": "string"}, "value": "x" * 9_000}
    world = world_of(dimensions={"chronicle": chronicle})
    result = get(world, *[{"dimension": "chronicle"}] * 12)
    assert all(len(one["value"]) == 9_000 for one in result.content["results"])  # type: ignore[index,call-overload]
    lines = answer(result)["summary"].split("\n")
    assert f"[truncated: {VALUE_TEXT_LIMIT} of 9002 characters; use a narrower path" in lines[0]
    assert f"[truncated: {LEAST_TEXT_LIMIT} of 9002 characters" in lines[-1]
    notices = 12 * 150
    assert sum(map(len, lines)) < TEXT_LIMIT + 12 * LEAST_TEXT_LIMIT + notices


def test_a_page_of_a_long_value_is_not_cut() -> None:
    chronicle = {**REPUTATION, "schema": {"type": "string"}, "value": "x" * 9_000}
    world = world_of(dimensions={"chronicle": chronicle})
    [line] = answer(get(world, {"dimension": "chronicle", "limit": 2_000}))["summary"].split("\n")
    assert "from offset 0 of 9000, nextOffset 2000" in line
    assert "truncated" not in line


def test_the_list_tells_no_values_and_names_in_the_readers_language() -> None:
    result = called("world-dimension-list", {}, ToolBench(world=world_of(dimensions=WORLD)))
    assert result.content == {
        "dimensions": [
            {"id": "tide", "name": TIDE["name"], "type": "object", "version": 4},
            {"id": "reputation", "name": "Reputation", "type": "integer", "version": 2},
        ]
    }
    assert [one["name"] for one in answer(result)["data"]["dimensions"]] == ["Tide", "Reputation"]


def test_a_world_without_dimensions_lists_none() -> None:
    result = called("world-dimension-list", {}, ToolBench(world=world_of()))
    assert result.content == {"dimensions": []}


def test_reading_dimensions_is_no_recorded_read() -> None:
    world = world_of(dimensions=WORLD)
    get(world, {"dimension": "tide"})
    called("world-dimension-list", {}, ToolBench(world=world))
    assert world.reads.reads == ()
