"""Rules that take foreign JSON answer it or refuse it with their own error, whatever it is."""

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.tools.envelope import success_envelope
from plugin_sdk.errors import ToolError
from plugin_sdk.proposals import ProposalInvalid, parse_proposal
from plugin_sdk.rules.character_batches import plan_character_batch
from plugin_sdk.rules.character_fields import assert_character_fields, merge_schema_defaults
from plugin_sdk.rules.character_overlay import overlay_characters
from plugin_sdk.rules.data_ops import DataOpError, apply_data_ops
from plugin_sdk.rules.dataset_writes import DatasetRules, updated_record
from plugin_sdk.rules.dimension_updates import plan_dimension_updates
from plugin_sdk.rules.dimensions import query_dimension_snapshot
from plugin_sdk.rules.form_submission import normalize_submission
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.rules.model_facing import model_facing_json
from plugin_sdk.rules.narrative import fill_narrative_template
from plugin_sdk.rules.suspend_fields import compile_resume_schema

MEMBERS = [
    *("op", "path", "value", "by", "index", "unique", "id", "name", "type", "fields", "label"),
    *("creates", "updates", "aliases", "removeAliases", "description", "attributes", "changes"),
    *("options", "defaultValue", "min", "max", "step", "offset", "limit", "reason", "required"),
    *("set", "mode", "hp", "bag"),
]
WORDS = [
    *("set", "put", "merge", "remove", "increment", "append", "insert", "delete", "text", "number"),
    *("select", "checkbox", "npc", "player", "Wren", "tide", "/a", "/-", "a.b[0]", "", " ", "门"),
    *MEMBERS,
]
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([2**70, -0.5, 1e300, "9" * 400])
    | st.sampled_from(WORDS)
    | st.text(max_size=4)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(MEMBERS) | st.text(max_size=3), inner, max_size=5)
    ),
    max_leaves=15,
)
# The outermost shape is the signature's; everything inside is the model's or the player's.
OBJECT = st.dictionaries(st.sampled_from(MEMBERS), JSON, max_size=5)
OPERATIONS = st.lists(OBJECT | JSON, max_size=3)
CALL = st.dictionaries(st.sampled_from(["creates", "updates"]), OPERATIONS | JSON, max_size=2)

PEOPLE: list[dict[str, Any]] = [
    {"id": "npc-wren", "name": "Wren", "type": "npc", "aliases": ["Bird"], "version": 1},
    {"id": "pc", "name": "Ada", "type": "player", "fields": {"hp": 3}, "version": 2},
]
SCHEMA: dict[str, Any] = {
    "types": ["npc"],
    "attributes": [
        {"id": "hp", "type": "number", "min": 0, "defaultValue": 1},
        {"id": "bag", "type": "array", "itemType": "string"},
        {"id": "name", "type": "object", "subSchema": [{"id": "id", "type": "string"}]},
    ],
}
SNAPSHOT: dict[str, Any] = {
    "tide": {"name": "Tide", "schema": {}, "value": {"a": [1, {"b": "x"}], "hp": 3}, "version": 1}
}
FIELDS: list[dict[str, Any]] = [
    {"type": "number", "name": "hp", "label": "HP", "step": 0.1, "min": -1},
    {"type": "text", "name": "name", "label": "Name", "required": True},
    {"type": "checkbox", "name": "set", "label": "Set"},
    {"type": "select", "name": "type", "label": "Type", "options": [{"value": "npc"}]},
]
ROWS = DatasetRules("rows", lambda record: [], key_field="id")


def fields_of_a_character(value: Any) -> object:
    merged = merge_schema_defaults(SCHEMA, value if isinstance(value, dict) else None)
    return assert_character_fields(merged, SCHEMA)


def planned_dimensions(call: Any) -> object:
    return plan_dimension_updates(
        call, snapshot=SNAPSHOT, check=lambda schema, value: [], narrative=True
    )


def overlaid(members: dict[str, Any]) -> object:
    payload = {"id": "npc-wren", "name": "Wren", "type": "npc", **members}
    proposal = parse_proposal({"type": "character.upsert", "payload": payload})
    return overlay_characters([proposal], PEOPLE, "session-1")


def submitted(value: Any) -> object:
    return normalize_submission(check_form_fields(FIELDS), value, locale="en")


@pytest.mark.parametrize(
    ("rule", "given_values", "refusal"),
    [
        (lambda ops: apply_data_ops({"a": [1]}, ops), OPERATIONS, DataOpError),
        (lambda ops: apply_data_ops(None, ops), OPERATIONS, DataOpError),
        (lambda ops: updated_record(ROWS, "wren", {"id": "wren"}, ops), OPERATIONS, ToolError),
        (fields_of_a_character, OBJECT, ToolError),
        (
            lambda call: plan_character_batch(call, characters=PEOPLE, schema=SCHEMA),
            CALL,
            ToolError,
        ),
        (lambda call: plan_character_batch(call, characters=[], schema=None), CALL, ToolError),
        (overlaid, OBJECT, ProposalInvalid),
        (lambda queries: query_dimension_snapshot(SNAPSHOT, queries), OPERATIONS, ToolError),
        (planned_dimensions, CALL, ToolError),
        (check_form_fields, OPERATIONS, ToolError),
        (compile_resume_schema, OPERATIONS, ToolError),
        (submitted, OBJECT, ()),
        (lambda values: fill_narrative_template("{{hp}} {{name}}.", values), OBJECT, ()),
        (model_facing_json, JSON, ()),
        (lambda content: success_envelope(content, language="en"), JSON, ()),
    ],
    ids=[
        "operations",
        "operations on nothing",
        "data set update",
        "character fields",
        "character batch",
        "character batch without schema",
        "character overlay",
        "dimension queries",
        "dimension updates",
        "form fields",
        "suspend fields",
        "form submission",
        "narrative values",
        "projection",
        "envelope",
    ],
)
def test_any_json_is_answered_or_refused(
    rule: Callable[[Any], object],
    given_values: st.SearchStrategy[Any],
    refusal: type[Exception] | tuple[()],
) -> None:
    @given(given_values)
    def answered(value: Any) -> None:
        with contextlib.suppress(refusal):
            rule(value)

    answered()
