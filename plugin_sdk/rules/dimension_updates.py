"""One `update-dimensions` call: tidied, checked, and turned into complete values.

Seed: update-dimensions. Nothing is staged by a refused call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from plugin_sdk.errors import (
    FIX_FIELDS_HINT,
    FieldProblem,
    ToolError,
    ToolValidationError,
    problems_message,
)
from plugin_sdk.rules._json import JsonObject, is_array, is_number, json_copy, json_text, shorten
from plugin_sdk.rules.dimension_derived import derived_paths, restore_derived
from plugin_sdk.rules.dimension_entries import DimensionEntry, tidy_entries
from plugin_sdk.rules.dimension_paths import (
    PathChangeError,
    PathSyntaxError,
    Segments,
    parse_change_path,
    set_at,
    write_path,
)
from plugin_sdk.values import JsonValue

SchemaCheck: TypeAlias = Callable[[JsonObject, JsonValue], Sequence[str]]
"""`check(schema, value)`: what is wrong with the value, one sentence each; empty when it fits."""

CLOCK_MESSAGE_LIMIT = 1_900
_KNOWN_IDS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class DimensionPlan:
    """What one `update-dimensions` call comes to.

    `updates` are those of the `dimension.update` payload: `{id, expectedVersion, value, reason?}`
    with complete values that share nothing with the snapshot. A call without changes has none and
    is still to be staged, because its receipt checks the versions read. `already_settled`: nothing
    is to be staged.
    """

    updates: tuple[dict[str, JsonValue], ...] = ()
    already_settled: bool = False

    @property
    def content(self) -> dict[str, JsonValue]:
        """The tool's result for code."""
        if self.already_settled:
            return {"alreadySettled": True}
        return {"updateCount": len(self.updates)}

    def summary(self, instruction: Literal["en", "zh"]) -> str:
        """What the model reads, in the instruction language."""
        chinese = instruction == "zh"
        if self.already_settled:
            settled = "This turn's dimensions were already settled."
            return "本回合的维度已结算。" if chinese else settled
        if not self.updates:
            return "未记录改动。" if chinese else "No change recorded."
        count = len(self.updates)
        return (
            f"维度已更新：{count} 项改动。"
            if chinese
            else f"Dimensions updated: {count} change(s)."
        )


def plan_dimension_updates(
    call: JsonObject,
    *,
    snapshot: Mapping[str, JsonObject],
    check: SchemaCheck,
    narrative: bool = True,
    settled: bool = False,
    clock: JsonObject | None = None,
) -> DimensionPlan:
    """The outcome of the call over the frozen dimensions.

    Args:
        call: `{followsClock?: [id], updates: [{id, value | changes, reason?}]}`; other members are
            ignored.
        snapshot: Dimensions by ID: `{schema, value, version}` and more.
        check: Checks a complete value against its dimension's schema.
        narrative: Whether the narrative that this turn settles is bound.
        settled: Whether this source was settled before.
        clock: The `summary` of the settled world clock, `{display, unit, elapsedThisTurn,
            elapsedSinceStart}`; None when no clock is bound.

    Raises:
        ToolError: `unavailable` without a narrative; `not-found` for an ID that is no dimension.
        ToolValidationError: Everything else that is wrong; `details` where it concerns values.
    """
    if not narrative:
        message = "update-dimensions works only on the narrative of a turn, and none is bound."
        raise ToolError("unavailable", message)
    if settled:
        return DimensionPlan(already_settled=True)
    entries, confirmed = tidy_entries(call.get("updates"))
    for entry in entries:
        if entry.dimension_id not in snapshot:
            raise _unknown(entry.dimension_id, snapshot)
    mentioned = confirmed | {entry.dimension_id for entry in entries}
    _assert_clock_followed(call.get("followsClock"), mentioned, snapshot, clock)
    values = [_new_value(entry, snapshot[entry.dimension_id]) for entry in entries]
    _assert_values_fit(entries, values, snapshot, check)
    return DimensionPlan(tuple(map(_update, entries, values, _versions(entries, snapshot))))


def _new_value(entry: DimensionEntry, dimension: JsonObject) -> JsonValue:
    """The complete value the entry asks for, clock-derived fields as they are now."""
    current = dimension["value"]
    derived = derived_paths(dimension["schema"])
    if entry.changes is None:
        return restore_derived(json_copy(entry.value), current, derived)
    value = json_copy(current)
    for number, change in enumerate(entry.changes):
        where = f"Dimension {entry.dimension_id!r}, changes[{number}]"
        try:
            segments = parse_change_path(change.path, value)
            if not _is_derived(segments, derived):
                set_at(value, segments, json_copy(change.value))
        except (PathSyntaxError, PathChangeError) as error:
            raise ToolValidationError(f"{where}: {error}", hint=FIX_FIELDS_HINT) from error
    return restore_derived(value, current, derived)


def _is_derived(segments: Segments, derived: Sequence[Segments]) -> bool:
    return any(segments[: len(path)] == path for path in derived)


def _assert_values_fit(
    entries: Sequence[DimensionEntry],
    values: Sequence[JsonValue],
    snapshot: Mapping[str, JsonObject],
    check: SchemaCheck,
) -> None:
    problems = []
    for entry, value in zip(entries, values, strict=True):
        schema = snapshot[entry.dimension_id]["schema"]
        assert isinstance(schema, Mapping)
        found = check(schema, value)
        problems += [FieldProblem(entry.dimension_id, problem) for problem in found]
    if problems:
        raise ToolValidationError(
            f"The new values do not fit their dimensions.\n{problems_message(problems)}",
            hint=FIX_FIELDS_HINT,
            details=problems,
        )


def _versions(
    entries: Sequence[DimensionEntry], snapshot: Mapping[str, JsonObject]
) -> Iterator[JsonValue]:
    return (snapshot[entry.dimension_id].get("version") for entry in entries)


def _update(entry: DimensionEntry, value: JsonValue, version: JsonValue) -> dict[str, JsonValue]:
    update: dict[str, JsonValue] = {
        "id": entry.dimension_id,
        "expectedVersion": version,
        "value": value,
    }
    return update | ({"reason": entry.reason} if entry.reason else {})


def _unknown(dimension_id: str, snapshot: Mapping[str, JsonObject]) -> ToolError:
    for owner_id, dimension in snapshot.items():
        if (path := _path_of_key(dimension.get("value"), dimension_id)) is not None:
            where = write_path(path)
            example = json_text({"id": owner_id, "changes": [{"path": f"{where}.…", "value": "…"}]})
            return ToolError(
                "not-found",
                f"{dimension_id!r} is not a dimension. It is an entry of the dimension "
                f"{owner_id!r}, at the path {where!r}.",
                hint=f"Change it there, such as {example}, and call the tool again.",
            )
    known = ", ".join(list(snapshot)[:_KNOWN_IDS_SHOWN]) or "none"
    more = ", …" if len(snapshot) > _KNOWN_IDS_SHOWN else ""
    return ToolError("not-found", f"{dimension_id!r} is not a dimension. Known: {known}{more}.")


def _path_of_key(value: JsonValue, key: str) -> Segments | None:
    """Where an object inside `value` has the member `key`, the shallowest place first."""
    level: list[tuple[Segments, JsonValue]] = [((), value)]
    while level:
        deeper: list[tuple[Segments, JsonValue]] = []
        for path, node in level:
            if isinstance(node, Mapping):
                if key in node:
                    return (*path, key)
                deeper += [((*path, name), child) for name, child in node.items()]
            elif is_array(node):
                deeper += [((*path, str(index)), child) for index, child in enumerate(node)]
        level = deeper
    return None


def _assert_clock_followed(
    follows: JsonValue,
    mentioned: set[str],
    snapshot: Mapping[str, JsonObject],
    clock: JsonObject | None,
) -> None:
    """Pass when no clock is bound, it stood still, or every dimension that follows it is in."""
    if follows is not None and not is_array(follows):
        raise ToolValidationError("followsClock is not an array of dimension ids.")
    moved = clock.get("elapsedThisTurn") if clock is not None else 0
    if clock is None or not is_number(moved) or moved == 0:
        return
    missing = [
        str(dimension_id)
        for dimension_id in dict.fromkeys(map(str, follows or ()))
        if dimension_id in snapshot
        and dimension_id not in mentioned
        and () not in derived_paths(snapshot[dimension_id]["schema"])
    ]
    if missing:
        raise ToolValidationError(shorten(_clock_message(clock, missing), CLOCK_MESSAGE_LIMIT))


def _clock_message(clock: JsonObject, missing: Sequence[str]) -> str:
    unit = clock.get("unit")
    return (
        f"The world clock moved this turn and these dimensions of followsClock have no entry in "
        f"updates: {', '.join(missing)}. It is now {clock.get('display')}; "
        f"{clock.get('elapsedThisTurn')} {unit} passed this turn and "
        f"{clock.get('elapsedSinceStart')} {unit} since the start. Give each its new value, or "
        "{id, reason} where its rule gives the value it already has, and submit the whole call."
    )
