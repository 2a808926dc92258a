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

OBJECT_RULES: Final[Mapping[str, Mapping[str, Any]]] = {
    "RuntimeManifest": {"not": {"required": ["agent", "function"]}},
    "Setting": {
        "if": {"properties": {"type": {"const": "select"}}, "required": ["type"]},
        "then": {"properties": {"options": {"minItems": 1}}, "required": ["options"]},
    },
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
