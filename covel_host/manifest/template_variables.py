"""The variables that prompt bodies may name, such as `{{ world.name }}` (spec/execution.md 5.2)."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

PLACEHOLDER: Final = re.compile(r"\{\{\s*([A-Za-z]+(?:\.[A-Za-z0-9_-]+)+)\s*\}\}")
"""A root with at least one member behind it; `{{name}}` alone belongs to the author's text."""

MEMBERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "player": ("message", "lastFormValues", "character"),
        "characters": ("npcs",),
        "session": ("id", "turnNumber", "status"),
        "world": ("name", "description", "tags", "lore", "schema", "entries", "dimensions"),
    }
)
"""The roots whose members the host sets."""

SETTINGS_ROOT: Final = "userSettings"
INPUTS_ROOT: Final = "inputs"

ROOTS: Final = frozenset({*MEMBERS, SETTINGS_ROOT, INPUTS_ROOT})
"""First parts of the host's variables; other placeholders are left as they stand."""
