"""`characters.json`: look-up, batches, field rules, and proposals over stored records.

Each vector runs twice: through the pure rules, and through the real tools in a stored session, up
to the commit of what they stage (`world_tools`).
"""

import copy
from collections.abc import Callable
from typing import Any, TypeAlias

from plugin_sdk.errors import CharacterFieldValidationError, ToolError
from plugin_sdk.rules.character_batches import plan_character_batch
from plugin_sdk.rules.character_fields import assert_character_fields, merge_schema_defaults
from plugin_sdk.rules.character_names import resolve_character
from plugin_sdk.rules.character_overlay import overlay_characters
from tests.vector_adapters import world_tools
from tests.vector_adapters.comparing import has_members, refusal_of, same_json

SESSION_ID = "session-1"

Check: TypeAlias = Callable[[dict[str, Any]], None]


def check_resolve(vector: dict[str, Any]) -> None:
    expect = vector["expect"]
    answer = resolve_character(
        vector["query"], vector["characters"], partial=vector.get("partial", False)
    )
    assert answer.outcome == expect["outcome"]
    if answer.outcome == "found":
        assert answer.character["id"] == expect["id"]
    elif answer.outcome == "ambiguous":
        assert {character["id"] for character in answer.candidates} == set(expect["ids"])


def check_fields(vector: dict[str, Any]) -> None:
    schema, fields, expect = vector["schema"], vector["fields"], vector["expect"]
    if vector["mode"] == "create":
        fields = merge_schema_defaults(schema, fields)
    if "invalid" in expect:
        error = refusal_of(
            lambda: assert_character_fields(fields, schema), CharacterFieldValidationError
        )
        assert set(error.attributes) == set(expect["invalid"])
        return
    undeclared = assert_character_fields(fields, schema)
    assert same_json(fields, expect.get("fields", fields)), fields
    if "undeclared" in expect:
        assert set(undeclared) == set(expect["undeclared"])


def check_sync(vector: dict[str, Any]) -> None:
    expect, stored = vector["expect"], vector.get("characters", [])
    before = copy.deepcopy(stored)

    def plan() -> Any:
        return plan_character_batch(vector["call"], characters=stored, schema=vector.get("schema"))

    if "error" in expect:
        error = refusal_of(plan, ToolError)
        assert error.code == expect["error"], error.message
        assert expect.get("entry", "") in error.message
        assert same_json(stored, before), "the stored records were changed"
        return
    batch = plan()
    for group in ("created", "updated", "unchanged"):
        if group in expect:
            items = batch.content[group]
            assert len(items) == len(expect[group]), items
            assert all(map(has_members, items, expect[group])), items
    view = overlay_characters(batch.proposals, stored, SESSION_ID)
    by_name = {record["name"]: record for record in view.values()}
    for name, members in vector.get("after", {}).items():
        assert has_members(by_name[name], members), by_name[name]


def check_overlay(vector: dict[str, Any]) -> None:
    proposals = [
        {"type": "character.upsert", "payload": payload} for payload in vector["proposals"]
    ]
    view = overlay_characters(proposals, vector["stored"], SESSION_ID)
    for character_id, members in vector["expect"].items():
        assert has_members(view[character_id], members), view[character_id]


def both(rule: Check, tool: Check) -> Check:
    def check(vector: dict[str, Any]) -> None:
        rule(vector)
        tool(vector)

    return check


CHECKS = {
    "resolve": both(check_resolve, world_tools.check_resolve),
    "fields": both(check_fields, world_tools.check_fields),
    "sync": both(check_sync, world_tools.check_sync),
    "overlay": both(check_overlay, world_tools.check_overlay),
}
