"""What the model reads after a `sync-characters` call: what was done, or why it was refused.

Seed: sync-characters (去重, 失败时) and the examples of its summaries.
"""

from __future__ import annotations

from collections.abc import Iterator

from plugin_sdk.errors import CharacterFieldValidationError, ToolError, ToolValidationError
from plugin_sdk.rules._json import JsonObject, is_object, json_text, shorten
from plugin_sdk.rules.character_names import character_aliases, same_character_name
from plugin_sdk.rules.characters import label_with_id, plain_text
from plugin_sdk.values import JsonValue

_SHOWN_VALUE_LENGTH = 120
_NOTHING = "(none)"


def created_text(record: JsonObject) -> str:
    """Says who was created under which ID."""
    head = f'Created {record["type"]} "{record["name"]}" as {record["id"]}.'
    description = record.get("description")
    return f"{head} — {description}" if description else head


def existing_text(record: JsonObject) -> str:
    """Says that a create meant a character who exists."""
    return (
        f'Character "{record.get("name")}" ({record.get("type")}) already exists as '
        f"{record.get('id')}. No new record created. "
        "Use sync-characters updates to modify it."
    )


def updated_text(before: JsonObject, after: JsonObject) -> str:
    """Says which version an update made, and each value it changed, one per line."""
    head = f'Updated {after["type"]} "{after["name"]}" ({after["id"]}) → v{after["version"]}.'
    return "\n".join([head, *_changes(before, after)])


def undeclared_text(keys: tuple[str, ...]) -> str:
    """Warns of field keys that the schema does not declare."""
    return f"The world's schema does not declare {', '.join(keys)}. The values are kept."


def taken_player_name(name: str, owner: JsonObject) -> ToolValidationError:
    """Refuses a player with somebody else's name (seed: 玩家不会是世界里一个已有的 NPC)."""
    return ToolValidationError(
        f'"{name}" is already a name of {label_with_id(owner)}. A player is never somebody who is '
        "already in the world. Ask the player for another name."
    )


def taken_alias(alias: str, owner: JsonObject, *, name: str, creates: bool) -> ToolValidationError:
    """Refuses somebody else's name as an alias of `name`, with each way on that can work."""
    owner_id, owner_name = owner.get("id"), str(owner.get("name"))
    then = "and create nothing" if creates else "instead"
    sentences = [
        f'"{alias}" is already a name of {label_with_id(owner)}.',
        f"If {name} is that person, update {owner_id} {then}.",
    ]
    # A character's own name cannot be removed, only an alias.
    if not same_character_name(alias, owner_name):
        sentences.append(
            f"If the alias is wrong for {owner_name}, remove it there first: "
            f"update {owner_id} with removeAliases."
        )
    return ToolValidationError(" ".join([*sentences, "Otherwise leave this alias out."]))


def name_entry(entry_name: str, error: ToolError) -> ToolError:
    """`error` with the entry's name before its message; field paths stay relative to `fields`."""
    message = f"{entry_name}: {error.message}"
    if isinstance(error, CharacterFieldValidationError):
        return CharacterFieldValidationError(message, hint=error.hint, details=error.details)
    if isinstance(error, ToolValidationError):
        return ToolValidationError(message, hint=error.hint, details=error.details)
    return ToolError(error.code, message, hint=error.hint)


def _changes(before: JsonObject, after: JsonObject) -> Iterator[str]:
    old, new = _fields(before), _fields(after)
    for key, value in new.items():
        before_text = _shown(old[key]) if key in old else _NOTHING
        # Texts are compared as JSON, because 1 and true are equal in Python.
        if key not in old or json_text(old[key]) != json_text(value):
            yield f"  {key}: {before_text} → {_shown(value)}"
    old_names, new_names = character_aliases(before), character_aliases(after)
    if old_names != new_names:
        yield f"  aliases: {_listed(old_names)} → {_listed(new_names)}"
    if before.get("description") != after.get("description"):
        yield f"  description: {_shown(after.get('description') or _NOTHING)}"


def _fields(record: JsonObject) -> JsonObject:
    fields = record.get("fields")
    return fields if is_object(fields) else {}


def _listed(names: list[str]) -> str:
    return shorten(", ".join(names), _SHOWN_VALUE_LENGTH) or _NOTHING


def _shown(value: JsonValue) -> str:
    return shorten(plain_text(value), _SHOWN_VALUE_LENGTH)
