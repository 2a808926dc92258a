"""Characters as the read tools show them, and the messages of a look-up that fails.

Seed: list-characters, get-character, sync-characters (失败时).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from plugin_sdk.errors import ToolError, ToolValidationError
from plugin_sdk.rules._json import JsonObject, is_object, json_copy, json_text
from plugin_sdk.rules.character_names import (
    Ambiguous,
    CharacterDirectory,
    Found,
    Missing,
    character_label,
)
from plugin_sdk.values import JsonValue

MAX_LISTED = 50
MAX_NAMED_IN_ERRORS = 30


@dataclass(frozen=True, slots=True)
class CharacterReading:
    """A read tool's answer: `content` for code, `summary` for the model."""

    content: dict[str, JsonValue]
    summary: str


def list_characters(
    characters: Iterable[JsonObject], *, character_type: str | None = None
) -> CharacterReading:
    """The characters of a session, highest version first, then latest `updatedAt`.

    Args:
        characters: The records of the session.
        character_type: Only this type, taken literally; None lists all.

    Returns:
        `content` is `{count, characters}`: `count` of all that fit, and at most 50 records.
    """
    everybody = list(characters)
    fitting = [
        character
        for character in everybody
        if character_type is None or character.get("type") == character_type
    ]
    fitting.sort(key=lambda character: str(character.get("updatedAt") or ""), reverse=True)
    fitting.sort(key=_version, reverse=True)
    listed = fitting[:MAX_LISTED]
    content: dict[str, JsonValue] = {"count": len(fitting), "characters": json_copy(listed)}
    return CharacterReading(content, _list_summary(everybody, fitting, listed, character_type))


def get_character(
    characters: Iterable[JsonObject], *, character_id: str | None = None, name: str | None = None
) -> CharacterReading:
    """One character with all its fields, by ID, name, alias, or a part of a name only it fits.

    `content` is `{character}`.

    Raises:
        ToolValidationError: Neither `character_id` nor `name` is given.
        ToolError: `not-found`, naming similar characters; `ambiguous`, naming the candidates.
    """
    query = character_id or name
    if not query:
        raise ToolValidationError("Give the character's id or name.")
    directory = CharacterDirectory(characters)
    match directory.resolve(query, partial=True):
        case Found(character):
            content: dict[str, JsonValue] = {"character": json_copy(character)}
            return CharacterReading(content, _details(character))
        case Ambiguous(candidates):
            raise ToolError("ambiguous", ambiguous_message(query, candidates))
        case Missing(closest):
            known = directory.characters.values()
            raise ToolError("not-found", missing_message(query, closest, known))


def find_for_write(query: str, directory: CharacterDirectory) -> JsonObject:
    """The one character that `query` names exactly, by ID, name or alias.

    Raises:
        ToolError: `not-found` or `ambiguous`; the message ends with `Nothing was updated.`
    """
    match directory.resolve(query):
        case Found(character):
            return character
        case Ambiguous(candidates):
            message = ambiguous_message(query, candidates)
            raise ToolError("ambiguous", f"{message} Nothing was updated.")
        case Missing(closest):
            message = missing_message(query, closest, directory.characters.values())
            raise ToolError("not-found", f"{message} Nothing was updated.")


def ambiguous_message(query: str, candidates: Iterable[JsonObject]) -> str:
    """Says which characters `query` names, with their IDs."""
    listed = [label_with_id(character) for character in candidates]
    head = f'"{query}" names {len(listed)} characters: {"; ".join(listed)}.'
    return f"{head} Pass the id of the one you mean."


def missing_message(
    query: str, closest: Iterable[JsonObject], characters: Iterable[JsonObject]
) -> str:
    """Says that nobody is named `query`, and who is: similar names, else up to 30 characters."""
    head = f'Character "{query}" not found.'
    if similar := "; ".join(character_label(character) for character in closest):
        return f"{head} Closest known names: {similar}. If it is one of them, use that name."
    known = [label_with_id(character) for character in characters]
    if not known:
        return f"{head} The session has no characters yet."
    more = len(known) - MAX_NAMED_IN_ERRORS
    rest = f"; and {more} more" if more > 0 else ""
    return f"{head} Characters of the session: {'; '.join(known[:MAX_NAMED_IN_ERRORS])}{rest}."


def label_with_id(character: JsonObject) -> str:
    """The name with aliases and ID: `Ysolde (aka The Keeper) [npc-ysolde]`."""
    return f"{character_label(character)} [{character.get('id')}]"


def _version(character: JsonObject) -> int:
    version = character.get("version")
    return version if isinstance(version, int) else 0


def _list_summary(
    everybody: list[JsonObject],
    fitting: list[JsonObject],
    listed: list[JsonObject],
    character_type: str | None,
) -> str:
    if not fitting:
        return _empty_summary(everybody, character_type)
    lines = [f"Characters in session ({len(fitting)} total, sorted by frequency then recency):"]
    lines += [_row(number, character) for number, character in enumerate(listed, start=1)]
    if (more := len(fitting) - len(listed)) > 0:
        advice = "Filter by type, or use get-character to find one by name."
        lines.append(f"{more} more are not listed. {advice}")
    return "\n".join(lines)


def _empty_summary(everybody: list[JsonObject], character_type: str | None) -> str:
    if not everybody:
        return "The session has no characters yet."
    types = ", ".join(dict.fromkeys(str(character.get("type")) for character in everybody))
    return f'No characters of type "{character_type}". Types in this session: {types}.'


def _row(number: int, character: JsonObject) -> str:
    head = f"{number}. {character_label(character)} [{character.get('type')}]"
    row = f"{head} {character.get('id')} (v{_version(character)})"
    # One character is one line, however many its description has.
    description = " ".join(str(character.get("description") or "").split())
    return f"{row} — {description}" if description else row


def _details(character: JsonObject) -> str:
    head = f"{character_label(character)} [{character.get('type')}] {character.get('id')}"
    lines = [f"Character: {head}"]
    if description := character.get("description"):
        lines.append(f"Description: {description}")
    lines.append(f"Version: {_version(character)}")
    fields = character.get("fields")
    if is_object(fields) and fields:
        lines += ["", "Attributes:"]
        lines += [f"  {key}: {plain_text(value)}" for key, value in fields.items()]
    return "\n".join(lines)


def plain_text(value: JsonValue) -> str:
    """`value` as a summary shows it: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json_text(value)
