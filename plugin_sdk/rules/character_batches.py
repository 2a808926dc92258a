"""One `sync-characters` call: what it stages, and what the model reads (seed: sync-characters).

The batch is planned as a whole before anything is staged, so a refused batch leaves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from plugin_sdk.errors import ToolError
from plugin_sdk.rules._json import JsonObject, json_copy
from plugin_sdk.rules.character_batch_texts import (
    created_text,
    existing_text,
    name_entry,
    taken_alias,
    taken_player_name,
    undeclared_text,
    updated_text,
)
from plugin_sdk.rules.character_entries import (
    MAX_CREATES,
    MAX_UPDATES,
    CharacterCreate,
    CharacterUpdate,
    list_entries,
    read_create,
    read_update,
)
from plugin_sdk.rules.character_fields import (
    PLAYER_TYPE,
    assert_character_fields,
    assert_character_type,
    merge_schema_defaults,
)
from plugin_sdk.rules.character_names import (
    CharacterDirectory,
    character_aliases,
    character_name_key,
    join_aliases,
)
from plugin_sdk.rules.character_overlay import CHARACTER_UPSERT, materialize_character
from plugin_sdk.rules.characters import find_for_write
from plugin_sdk.rules.keys import word_id
from plugin_sdk.values import JsonValue

_ID_WORD = re.compile(r"[A-Za-z0-9]")


@dataclass(frozen=True, slots=True)
class CharacterBatch:
    """What one `sync-characters` call comes to.

    `content` is the tool's result `{created, updated, unchanged}`: lists of
    `{characterId, name, type}` and, for `updated`, `{characterId, version}`; an entry with
    undeclared field keys also has `warning`. `summary` is the model's text. `proposals` are
    `{type, payload}` in order, one per created or updated entry. `characters` is the view after
    the batch by ID.
    """

    content: dict[str, JsonValue]
    summary: str
    proposals: tuple[dict[str, JsonValue], ...]
    characters: Mapping[str, JsonObject]


def plan_character_batch(
    call: JsonObject,
    *,
    characters: Iterable[JsonObject] | CharacterDirectory,
    schema: JsonObject | None,
) -> CharacterBatch:
    """The outcome of the call over the characters that the session shows.

    Args:
        call: `creates` (at most 5) of `{name, type, aliases?, description?, fields?}` and `updates`
            (at most 10) of `{id, aliases?, removeAliases?, description?, fields?}`; either may be
            left out. Entries apply in order, creates first, and see the ones before them.
        characters: The view of the runtime: committed, upstream and own staged records. A
            directory of them is changed as the plan goes.
        schema: The session's character schema; None allows the default types, with any fields.

    Raises:
        ToolValidationError: A bad entry, a taken alias, a player with a taken name, an undeclared
            type, or too many entries.
        CharacterFieldValidationError: Fields that break the schema.
        ToolError: `not-found` or `ambiguous` for the target of an update.
        Every message but the one about too many names the entry, such as `creates[1]`.
    """
    creates = list_entries(call, "creates", limit=MAX_CREATES)
    updates = list_entries(call, "updates", limit=MAX_UPDATES)
    if not isinstance(characters, CharacterDirectory):
        characters = CharacterDirectory(characters)
    batch = _Batch(characters, schema)
    for index, entry in enumerate(creates):
        batch.apply(f"creates[{index}]", entry, batch.create)
    for index, entry in enumerate(updates):
        batch.apply(f"updates[{index}]", entry, batch.update)
    return batch.finish()


class _Batch:
    """The state of one plan: the view so far, and what the entries came to."""

    def __init__(self, directory: CharacterDirectory, schema: JsonObject | None) -> None:
        self._directory = directory
        self._schema = schema
        self._created: list[JsonValue] = []
        self._updated: list[JsonValue] = []
        self._unchanged: list[JsonValue] = []
        self._lines: list[str] = []
        self._proposals: list[dict[str, JsonValue]] = []

    def apply(self, name: str, entry: JsonValue, action: Callable[[JsonValue], None]) -> None:
        """Run `action` on the entry; an error of it names the entry."""
        try:
            action(entry)
        except ToolError as error:
            raise name_entry(name, error) from error

    def create(self, entry: JsonValue) -> None:
        new = read_create(entry)
        assert_character_type(new.type, self._schema)
        if (known := self._known(new)) is not None:
            self._unchanged.append(_identity(known))
            self._lines.append(existing_text(known))
            return
        if new.type == PLAYER_TYPE and (owner := self._directory.owner(new.name)) is not None:
            raise taken_player_name(new.name, owner)
        self._assert_free(new.aliases, new.name, own_id=None)
        fields = merge_schema_defaults(self._schema, new.fields)
        undeclared = assert_character_fields(fields, self._schema)
        record = self._stage(self._new_payload(new, fields), None)
        self._created.append(_identity(record) | _warning(undeclared))
        self._say(created_text(record), undeclared)

    def update(self, entry: JsonValue) -> None:
        patch = read_update(entry)
        current = find_for_write(patch.target, self._directory)
        name, character_id = str(current["name"]), str(current["id"])
        self._assert_free(join_aliases(name, patch.aliases), name, own_id=character_id)
        undeclared = assert_character_fields(patch.fields or {}, self._schema)
        record = self._stage(_patch_payload(patch, current), current)
        updated = {"characterId": character_id, "version": record["version"]}
        self._updated.append(updated | _warning(undeclared))
        self._say(updated_text(current, record), undeclared)

    def finish(self) -> CharacterBatch:
        content: dict[str, JsonValue] = {
            "created": self._created,
            "updated": self._updated,
            "unchanged": self._unchanged,
        }
        summary = "\n".join(self._lines) or "No character changes."
        characters = self._directory.characters
        return CharacterBatch(content, summary, tuple(self._proposals), characters)

    def _known(self, new: CharacterCreate) -> JsonObject | None:
        """The character that the create repeats: by name and type, or by an alias.

        A player's name is never looked up among aliases: it is refused there.
        """
        key = character_name_key(new.name)
        for character in self._directory.named(key):
            if character.get("type") == new.type:
                return character
        aliased = () if new.type == PLAYER_TYPE else self._directory.aliased(key)
        return next(iter(aliased), None)

    def _assert_free(self, aliases: Iterable[str], name: str, *, own_id: str | None) -> None:
        for alias in aliases:
            if (owner := self._directory.owner(alias, other_than=own_id)) is not None:
                raise taken_alias(alias, owner, name=name, creates=own_id is None)

    def _new_payload(
        self, new: CharacterCreate, fields: dict[str, JsonValue]
    ) -> dict[str, JsonValue]:
        # A type in another script has no word for an ID.
        prefix = new.type if _ID_WORD.search(new.type) else "char"
        return {
            "id": word_id(prefix, new.name, self._directory.characters.keys()),
            "name": new.name,
            "type": new.type,
            **({"description": new.description} if new.description else {}),
            **({"aliases": list(new.aliases)} if new.aliases else {}),
            "fields": fields,
            "version": 1,
        }

    def _stage(self, payload: dict[str, JsonValue], current: JsonObject | None) -> JsonObject:
        record = materialize_character(payload, current)
        self._directory.put(record)
        self._proposals.append({"type": CHARACTER_UPSERT, "payload": payload})
        return record

    def _say(self, text: str, undeclared: tuple[str, ...]) -> None:
        self._lines.append(text)
        if undeclared:
            self._lines.append(f"  Warning: {undeclared_text(undeclared)}")


def _patch_payload(patch: CharacterUpdate, current: JsonObject) -> dict[str, JsonValue]:
    """The upsert that patches `current`; it names the type, so that no default replaces it."""
    gone = {character_name_key(alias) for alias in patch.removed_aliases}
    kept = {character_name_key(alias) for alias in character_aliases(current)} - gone
    wanted = join_aliases(str(current["name"]), patch.aliases)
    added = [alias for alias in wanted if character_name_key(alias) not in kept]
    return {
        "id": current["id"],
        "name": current["name"],
        "type": current.get("type"),
        "expectedVersion": current.get("version") or 1,
        **({"description": patch.description} if patch.description is not None else {}),
        **({"removeAliases": list(patch.removed_aliases)} if patch.removed_aliases else {}),
        **({"aliases": list(added)} if added else {}),
        **({"fields": json_copy(patch.fields)} if patch.fields is not None else {}),
    }


def _identity(record: JsonObject) -> dict[str, JsonValue]:
    return {
        "characterId": record.get("id"),
        "name": record.get("name"),
        "type": record.get("type"),
    }


def _warning(undeclared: tuple[str, ...]) -> dict[str, JsonValue]:
    return {"warning": undeclared_text(undeclared)} if undeclared else {}
