"""The template variable `characters.npcs`: who is there, in a bounded text.

Spec/execution.md 5.2 (other facts).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from covel_host.base.json_text import dump_json
from covel_host.runtime.prompt_texts import cut
from plugin_sdk.rules.model_facing import model_facing_json
from plugin_sdk.values import JsonValue

PART_LIMIT = 400
"""Characters of one description, and of one character's fields."""
ROSTER_LIMIT = 8_000
"""Characters of all full lines together; who does not fit is listed by name only."""


@dataclass(frozen=True, slots=True)
class RosterCharacter:
    """What a roster shows of a character; `fields` are its stored attributes."""

    name: str
    type: str
    aliases: tuple[str, ...] = ()
    description: str = ""
    fields: Mapping[str, JsonValue] = field(default_factory=dict)


def npc_roster(characters: Sequence[RosterCharacter]) -> str:
    """One line per character that is not of type `player`, in the given order; no IDs.

    A line holds name, aliases, type, description and fields. When the lines reach
    `ROSTER_LIMIT`, all further characters share one last line of names.
    """
    lines: list[str] = []
    names: list[str] = []
    left = ROSTER_LIMIT
    for character in characters:
        if character.type == "player":
            continue
        line = _line(character)
        left -= len(line) + 1
        if left < 0 or names:
            names.append(_label(character))
        else:
            lines.append(line)
    if names:
        lines.append(f"- … {', '.join(names)}")
    return "\n".join(lines)


def _line(character: RosterCharacter) -> str:
    description = cut(" ".join(character.description.split()), PART_LIMIT)
    parts = [f"- {_label(character)} [{character.type}]"]
    if description:
        parts.append(f": {description}")
    shown = model_facing_json(dict(character.fields))
    if shown:
        parts.append(f" {cut(dump_json(shown), PART_LIMIT)}")
    return "".join(parts)


def _label(character: RosterCharacter) -> str:
    if not character.aliases:
        return character.name
    return f"{character.name} ({', '.join(character.aliases)})"
