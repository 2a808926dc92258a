"""Rules inside one object that a JSON Schema can state besides the types of its fields.

Each repeats, for editors, a rule that the validator checks; `FIELD_RULES` adds to the schema of one
field, `OBJECT_RULES` to that of the object.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from covel_host.manifest.kernel_contracts import EXTENSION_POINTS, UI_SLOTS
from covel_host.manifest.text_forms import PLUGIN_ID
from plugin_sdk.names import FRAMEWORK_TOOL_NAMES, RESERVED_ACTION_PREFIXES


def _beginning(prefixes: Sequence[str]) -> dict[str, str]:
    return {"pattern": f"^({'|'.join(map(re.escape, prefixes))})"}


def _items_not(refused: Mapping[str, object]) -> dict[str, Any]:
    return {"items": {"type": "string", "minLength": 1, "not": dict(refused)}}


_KERNEL_CONTRACTS: Final = sorted({name.split("@")[0] for name in (*EXTENSION_POINTS, *UI_SLOTS)})
# `search-tools` comes with deferred tools and is never listed by hand.
_BUILTIN: Final = {
    "items": {
        "type": "string",
        "enum": [name for name in FRAMEWORK_TOOL_NAMES if name != "search-tools"],
    }
}

_STORY: Final = {"const": "story"}

FIELD_RULES: Final[Mapping[tuple[str, str], Mapping[str, Any]]] = {
    ("RootManifest", "id"): {"pattern": PLUGIN_ID},
    ("RootManifest", "tags"): {"items": {"type": "string", "not": {"pattern": "^role:"}}},
    ("RootManifest", "conflicts"): {
        "not": {"contains": _beginning([f"{name}@" for name in _KERNEL_CONTRACTS])}
    },
    ("Contributions", "actions"): _items_not(_beginning(RESERVED_ACTION_PREFIXES)),
    ("Contributions", "tools"): _items_not({"enum": list(FRAMEWORK_TOOL_NAMES)}),
    ("AgentTools", "builtin"): _BUILTIN,
    ("FunctionTools", "builtin"): _BUILTIN,
}


def _when(field: str, value: object, then: Mapping[str, Any]) -> dict[str, Any]:
    """`then` for objects that write `field` as `value`."""
    test = {"properties": {field: {"const": value}}, "required": [field]}
    return {"if": test, "then": dict(then)}


def _without(*fields: str) -> dict[str, Any]:
    return {"not": {"anyOf": [{"required": [field]} for field in fields]}}


_CALLED: Final = {
    "properties": {
        "trigger": {"properties": {"type": {"enum": ["manual", "event"]}}, "required": ["type"]}
    },
    "required": ["trigger"],
}

OBJECT_RULES: Final[Mapping[str, Mapping[str, Any]]] = {
    # Without a trigger a runtime is one of every turn, and those run in a stage.
    "RuntimeManifest": {
        "required": ["schedule"],
        "allOf": [
            {"not": {"required": ["agent", "function"]}},
            _when("type", "function", {"required": ["function"]}),
            _when("type", "agent", _without("function")),
        ],
    },
    "Schedule": {"if": _CALLED, "then": _without("stage"), "else": {"required": ["stage"]}},
    "Trigger": _when("type", "event", {"required": ["topic"]}),
    "Detached": {"dependentRequired": {"maxSettleWaitMs": ["settle"]}},
    "RuntimeIo": _when("concealed", True, {"properties": {"visibility": {"not": _STORY}}}),
    "Input": _when(
        "scope",
        "committed",
        {
            "required": ["recordAs"],
            "properties": {"select": False, "from": _without("kernel")},
        },
    ),
    "Output": {"dependentRequired": {"recordAs": ["schema"]}},
    "Agent": {
        "if": {"required": ["finishWith"]},
        "then": {
            "properties": {
                "llm": _without("toolChoice"),
                "completion": {"properties": {"require": False, "afterTools": {"maxItems": 0}}},
            }
        },
    },
    "Setting": _when(
        "type",
        "select",
        {"properties": {"options": {"minItems": 1}}, "required": ["options"]},
    ),
    "DataNamespace": {
        "if": {"required": ["authoring"]},
        "then": {"properties": {"accepts": {"minItems": 1}}, "required": ["accepts"]},
    },
    "Authoring": {
        "if": {"required": ["generate"]},
        "then": {
            "required": ["example", "source"],
            "properties": {
                "source": {
                    "required": ["key"],
                    "properties": {
                        "kind": {"enum": ["yaml", "json"]},
                        "key": {"const": "id"},
                        "visibility": {"const": "public"},
                    },
                }
            },
        },
    },
}
