"""The entries of a `sync-characters` call as facts (seed: sync-characters, creates[], updates[]).

An optional member that is null counts as left out. Each error says which member is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

from plugin_sdk.errors import ToolValidationError
from plugin_sdk.rules._json import JsonObject, is_array, is_object
from plugin_sdk.rules.character_names import character_name_key, join_aliases
from plugin_sdk.values import JsonValue

MAX_CREATES = 5
MAX_UPDATES = 10


@dataclass(frozen=True, slots=True)
class CharacterCreate:
    """A new character; `aliases` are without repeats and without the name."""

    name: str
    type: str
    aliases: tuple[str, ...]
    description: str | None
    fields: JsonObject | None


@dataclass(frozen=True, slots=True)
class CharacterUpdate:
    """A patch of the character that `target` names by ID, name or alias."""

    target: str
    aliases: tuple[str, ...]
    removed_aliases: tuple[str, ...]
    description: str | None
    fields: JsonObject | None


def list_entries(call: JsonObject, key: str, *, limit: int) -> list[JsonValue]:
    """The entries of one group, empty when it is left out.

    Raises:
        ToolValidationError: The group is not an array, or has more than `limit` entries.
    """
    entries = call.get(key)
    if entries is None:
        return []
    if not is_array(entries):
        raise ToolValidationError(f"{key} is not an array.")
    if len(entries) > limit:
        raise ToolValidationError(f"{key} has {len(entries)} entries; at most {limit} are allowed.")
    return entries


def read_create(entry: JsonValue) -> CharacterCreate:
    """The facts of one entry of `creates`."""
    members = _object(entry)
    name = _text(members, "name")
    return CharacterCreate(
        name=name,
        type=_text(members, "type"),
        aliases=tuple(join_aliases(name, _names(members, "aliases"))),
        description=_description(members),
        fields=_fields(members),
    )


def read_update(entry: JsonValue) -> CharacterUpdate:
    """The facts of one entry of `updates`."""
    members = _object(entry)
    return CharacterUpdate(
        target=_text(members, "id"),
        aliases=_names(members, "aliases"),
        removed_aliases=_names(members, "removeAliases"),
        description=_description(members),
        fields=_fields(members),
    )


def _object(entry: JsonValue) -> JsonObject:
    if is_object(entry):
        return entry
    raise ToolValidationError("The entry is not an object.")


def _text(members: JsonObject, key: str) -> str:
    text = members.get(key)
    if not isinstance(text, str) or not character_name_key(text):
        raise ToolValidationError(f"{key} is missing or empty; give it as text.")
    return text.strip()


def _description(members: JsonObject) -> str | None:
    text = members.get("description")
    if text is None or isinstance(text, str):
        return text
    raise ToolValidationError("description is not text.")


def _names(members: JsonObject, key: str) -> tuple[str, ...]:
    names = members.get(key)
    if names is None:
        return ()
    if not is_array(names) or not all(isinstance(name, str) for name in names):
        raise ToolValidationError(f"{key} is not an array of texts.")
    return tuple(str(name).strip() for name in names)


def _fields(members: JsonObject) -> JsonObject | None:
    fields = members.get("fields")
    if fields is None or is_object(fields):
        return fields
    raise ToolValidationError("fields is not an object of field names and values.")
