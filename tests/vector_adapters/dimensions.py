"""`dimensions.json`: queries with paths and pages, and updates."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema_rs

from plugin_sdk.errors import ToolError
from plugin_sdk.rules.dimension_updates import plan_dimension_updates
from plugin_sdk.rules.dimensions import query_dimension_snapshot
from tests.vector_adapters.comparing import refusal_of, same_json
from tests.vector_adapters.world_tools import dimensions_read, dimensions_refused


def check_get(vector: dict[str, Any]) -> None:
    """By the pure rule, and then by the real tool in a stored session."""
    snapshot, queries = vector["dimensions"], vector["queries"]
    if "error" in vector:
        error = refusal_of(lambda: query_dimension_snapshot(snapshot, queries), ToolError)
        assert error.code == vector["error"]
        assert dimensions_refused(snapshot, queries) == vector["error"]
        return
    reading = query_dimension_snapshot(snapshot, queries)
    check_reading(reading.results, reading.text, vector)
    check_reading(*dimensions_read(snapshot, queries), vector)


def check_reading(results: Sequence[Mapping[str, Any]], text: str, vector: dict[str, Any]) -> None:
    if "results" in vector:
        assert len(results) == len(vector["results"])
        for result, expected in zip(results, vector["results"], strict=True):
            check_result(result, expected)
    assert not vector.get("no_error") or not any("error" in one for one in results)
    for key, value in vector.get("entry", {}).items():
        assert same_json(results[0][key], value), results[0]
    assert text == vector.get("text", text)
    for part in vector.get("text_includes", ()):
        assert part in text
    for part in vector.get("text_excludes", ()):
        assert part not in text


def check_result(result: Mapping[str, Any], expected: dict[str, Any]) -> None:
    for key, value in expected.items():
        if key == "error":
            assert bool(result.get("error")) is value, result
        else:
            assert key in result, result
            assert same_json(result[key], value), result
    assert ("page" in result) is ("page" in expected), result


def check_update(vector: dict[str, Any]) -> None:
    expect, snapshot = vector["expect"], vector["dimensions"]
    before = copy.deepcopy(snapshot)

    def plan() -> Any:
        return plan_dimension_updates(
            vector["call"],
            snapshot=snapshot,
            check=schema_problems,
            narrative=vector.get("narrative", True),
            settled=vector.get("settled", False),
            clock=clock_of(vector.get("clock", {})),
        )

    if "error" in expect:
        error = refusal_of(plan, ToolError)
        assert error.code == expect["error"], error.message
        for part in expect.get("mentions", ()):
            assert part in error.message
    else:
        check_planned(plan(), expect)
    assert same_json(snapshot, before), "the snapshot was changed"


def check_planned(planned: Any, expect: dict[str, Any]) -> None:
    for language, text in expect.get("model", {}).items():
        assert planned.summary(language) == text
    for member in ("updateCount", "alreadySettled"):
        if member in expect:
            assert same_json(planned.content[member], expect[member]), planned.content
    staged = {update["id"]: update for update in planned.updates}
    if "updates" in expect:
        values = {update["id"]: update["value"] for update in expect["updates"]}
        assert same_json({key: update["value"] for key, update in staged.items()}, values), staged
    for key, texts in expect.get("reason_includes", {}).items():
        for part in texts:
            assert part in staged[key]["reason"]


def clock_of(clock: dict[str, Any]) -> dict[str, Any] | None:
    """The summary of a settled clock; the vectors only say whether it is bound and moved."""
    if not clock.get("bound"):
        return None
    return {
        "display": "Day 1, 09:30",
        "unit": "minute",
        "elapsedThisTurn": 10 if clock.get("moved") else 0,
        "elapsedSinceStart": 90,
    }


def schema_problems(schema: Mapping[str, Any], value: Any) -> Sequence[str]:
    validator = jsonschema_rs.validator_for(dict(schema))
    return [error.message for error in validator.iter_errors(value)]


CHECKS = {"get": check_get, "update": check_update}
