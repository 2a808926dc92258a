"""`sync-characters` as a model sees it in one session: its types and the rules of its fields.

Seed: sync-characters (属性怎么校验).
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from plugin_sdk.rules.character_entries import MAX_CREATES, MAX_UPDATES
from plugin_sdk.rules.character_fields import character_types, describe_character_fields
from plugin_sdk.values import JsonValue

FIELD_RULES_LIMIT: Final = 8_000
"""Characters of all field rules in the description; the rest is enforced without being told."""
FIELD_RULE_LIMIT: Final = 600
"""Characters of the rule of one field."""

_ABOUT: Final = (
    "Record in one batch the characters that this turn brought in and what changed about those who "
    "are known: all of it is written, or nothing. With both lists empty nothing has changed. "
    "Correct a refused batch and send it again as a whole. Creating somebody who is known changes "
    "nothing: put changes into updates. Later entries see what earlier ones did."
)
_RULES: Final = (
    "Fields, the same for creates and updates. In an update give only those that changed, numbers "
    "as the new value and never as a difference:"
)
_NO_RULES: Final = "This world declares no fields; whatever you give is kept."

_TEXT: Final = {"type": "string"}
_NAME: Final = {"type": "string", "minLength": 1}
_NAMES: Final = {"type": "array", "items": _TEXT}
_FIELDS: Final = {
    "type": "object",
    "description": "Values by field; the description of this tool holds the rules.",
}


def offered_description(schema: Mapping[str, JsonValue] | None) -> str:
    """The description, with one line per declared field: type, bounds, options, nesting."""
    rules = describe_character_fields(schema)
    if not rules:
        return f"{_ABOUT}\n\n{_NO_RULES}"
    return "\n".join((_ABOUT, "", _RULES, *_within_limits(rules.split("\n"))))


def offered_parameters(schema: Mapping[str, JsonValue] | None) -> dict[str, Any]:
    """The input schema; `type` of a new character is one of the session's."""
    types = list(character_types(schema))
    return {
        "type": "object",
        "properties": {
            "creates": _group("New characters.", MAX_CREATES, _create(types), ["name", "type"]),
            "updates": _group("Changes of known characters.", MAX_UPDATES, _update(), ["id"]),
        },
    }


def _create(types: list[str]) -> dict[str, Any]:
    return {
        "name": _NAME,
        "type": {"type": "string", "enum": types},
        "aliases": {
            **_NAMES,
            "description": "What else this person is called: nicknames, titles, the name in "
            "another script.",
        },
        "description": {**_TEXT, "description": "Who this is, in a sentence or two."},
        "fields": _FIELDS,
    }


def _update() -> dict[str, Any]:
    return {
        "id": {**_NAME, "description": "The character's ID; its exact name or an alias will do."},
        "aliases": {**_NAMES, "description": "Aliases to add."},
        "removeAliases": {
            **_NAMES,
            "description": "Aliases to take away, before any is added: names that are not theirs.",
        },
        "description": {
            **_TEXT,
            "description": "The new description in place of the old one; empty clears it.",
        },
        "fields": _FIELDS,
    }


def _group(about: str, limit: int, members: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "array",
        "description": f"{about} At most {limit}.",
        "maxItems": limit,
        "items": {"type": "object", "properties": members, "required": required},
    }


def _within_limits(lines: list[str]) -> Iterator[str]:
    left = FIELD_RULES_LIMIT
    for number, line in enumerate(lines):
        shown = line if len(line) <= FIELD_RULE_LIMIT else f"{line[: FIELD_RULE_LIMIT - 1]}…"
        left -= len(shown) + 1
        if left < 0:
            rest = len(lines) - number
            yield f"- … and {rest} more; a wrong value is refused with what was expected."
            return
        yield shown
