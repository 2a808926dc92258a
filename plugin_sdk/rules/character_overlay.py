"""What a `character.upsert` makes of a record: one function for every view and for the commit.

Seed: 读到的是哪一份数据, character.upsert; spec/world.md 2.3, 2.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from plugin_sdk.errors import ToolError, ToolValidationError
from plugin_sdk.rules._json import JsonObject, is_array, is_object, json_copy
from plugin_sdk.rules.character_fields import assert_character_fields, assert_character_type
from plugin_sdk.rules.character_names import (
    CharacterDirectory,
    character_aliases,
    character_label,
    character_name_key,
    join_aliases,
)
from plugin_sdk.values import JsonValue

CHARACTER_UPSERT = "character.upsert"
DEFAULT_CHARACTER_TYPE = "npc"


class ProposalLike(Protocol):
    """A staged write as `plugin_sdk.proposals` models it."""

    @property
    def type(self) -> str: ...

    def payload(self) -> Mapping[str, object]: ...


def materialize_character(
    payload: JsonObject, current: JsonObject | None, *, at: str | None = None
) -> dict[str, JsonValue]:
    """The record that the payload of a `character.upsert` makes of `current`.

    With `expectedVersion` and a current record the payload is a patch: object `fields` merge
    shallowly, an empty description clears the old one, `removeAliases` go before `aliases` are
    added, and the live version rises by one, whatever version was expected. Otherwise the payload
    replaces the record and nothing is inherited.

    Args:
        payload: `id` and `name`, and any other field of the proposal.
        current: The newest record of that ID; None when there is none.
        at: Time of the commit as text; None in views, which have no clock.

    Returns:
        `id`, `name`, `type`, `version`, and those of `aliases`, `description`, `fields`,
        `createdAt`, `updatedAt` that are not empty. Nothing is shared with the arguments.

    Raises:
        ToolError: `not-found` for a patch without a current record.
    """
    if payload.get("expectedVersion") is None:
        return _record(payload, {}, payload.get("version") or 1, at)
    if current is None:
        message = f"Character {payload.get('id')!r} does not exist, so it cannot be updated."
        raise ToolError("not-found", message)
    return _record(payload, current, _version(current) + 1, at)


def overlay_characters(
    proposals: Iterable[ProposalLike | Mapping[str, object]],
    stored: Iterable[JsonObject],
    session_id: str,
    *,
    at: str | None = None,
) -> dict[str, dict[str, JsonValue]]:
    """All characters of a session by ID, after the `character.upsert` proposals in their order.

    Args:
        proposals: Staged writes, as proposals or as `{type, payload}`; other types are passed over.
            Give only those that `stored` does not hold yet: a second time raises versions again.
        stored: Records; one whose `sessionId` names another session is left out.
        session_id: The session; every returned record names it as `sessionId`.
        at: Time for `createdAt` and `updatedAt`, when the caller has one.

    Returns:
        Records sharing nothing with the inputs, stored ones first. A patch for a character that
        does not exist is left out: the commit would refuse it.
    """
    view = {
        str(record["id"]): _plain(record) | {"sessionId": session_id}
        for record in stored
        if record.get("sessionId", session_id) == session_id
    }
    for payload in upsert_payloads(proposals):
        character_id = str(payload["id"])
        current = view.get(character_id)
        if current is None and payload.get("expectedVersion") is not None:
            continue
        record = materialize_character(payload, current, at=at)
        view[character_id] = record | {"sessionId": session_id}
    return view


def upsert_payloads(
    proposals: Iterable[ProposalLike | Mapping[str, object]],
) -> list[JsonObject]:
    """The payloads of the `character.upsert` proposals among `proposals`, in order."""
    payloads: list[JsonObject] = []
    for proposal in proposals:
        if isinstance(proposal, Mapping):
            kind, payload = proposal.get("type"), proposal.get("payload")
        else:
            kind, payload = proposal.type, proposal.payload()
        if kind == CHARACTER_UPSERT and is_object(payload):
            payloads.append(payload)
    return payloads


def assert_character_write(
    payload: JsonObject,
    record: JsonObject,
    characters: CharacterDirectory,
    schema: JsonObject | None,
) -> None:
    """Pass when `record`, made from `payload`, may stand beside `characters`.

    The one check of import, view and commit (spec/world.md 1.2, 2.8): a declared type, fields that
    fit the schema (of a patch only the fields it brings), and no name or alias that is an alias, no
    alias that is a name, of somebody else. Two characters may share a name.

    Raises:
        ToolValidationError: Undeclared type, or a name or alias that belongs to somebody else.
        CharacterFieldValidationError: A field breaks the schema.
    """
    assert_character_type(str(record.get("type")), schema)
    fields = payload.get("fields")
    if is_object(fields):
        assert_character_fields(fields, schema)
    _assert_names_free(record, characters)


def _assert_names_free(record: JsonObject, characters: CharacterDirectory) -> None:
    name, own_id = str(record.get("name", "")), record.get("id")
    key = character_name_key(name)
    if not key:
        raise ToolValidationError(f"The character name {name!r} is empty.")
    for other in characters.aliased(key):
        if other.get("id") != own_id:
            raise ToolValidationError(_taken(name, other))
    for alias in character_aliases(record):
        if (other_owner := characters.owner(alias, other_than=str(own_id))) is not None:
            raise ToolValidationError(_taken(alias, other_owner))


def _taken(name: str, owner: JsonObject) -> str:
    return f'"{name}" is already a name of {character_label(owner)} [{owner.get("id")}].'


def _record(
    payload: JsonObject, base: JsonObject, version: JsonValue, at: str | None
) -> dict[str, JsonValue]:
    """The fields of the payload laid over `base`, which is empty for a full write."""
    name = str(payload["name"])
    record: dict[str, JsonValue] = {
        "id": str(payload["id"]),
        "name": name,
        "type": payload.get("type") or base.get("type") or DEFAULT_CHARACTER_TYPE,
        "aliases": list(join_aliases(name, _aliases(payload, base))),
        "description": _pick(payload, base, "description"),
        "fields": _fields(payload, base),
        "version": version,
        "createdAt": base.get("createdAt") or payload.get("createdAt") or at,
        "updatedAt": at or base.get("updatedAt"),
    }
    return _plain(record)


def _plain(record: JsonObject) -> dict[str, JsonValue]:
    """A copy without the members that are stored as absent when empty."""
    absent = {"aliases": ([], None), "description": ("", None)}
    return {
        key: json_copy(value)
        for key, value in record.items()
        if value is not None and value not in absent.get(key, ())
    }


def _pick(payload: JsonObject, base: JsonObject, key: str) -> JsonValue:
    value = payload.get(key)
    return base.get(key) if value is None else value


def _aliases(payload: JsonObject, base: JsonObject) -> list[str]:
    gone = {character_name_key(name) for name in _texts(payload.get("removeAliases"))}
    kept = [alias for alias in character_aliases(base) if character_name_key(alias) not in gone]
    return kept + _texts(payload.get("aliases"))


def _texts(value: JsonValue) -> list[str]:
    return [item for item in value if isinstance(item, str)] if is_array(value) else []


def _fields(payload: JsonObject, base: JsonObject) -> JsonValue:
    if "fields" not in payload:
        return base.get("fields")
    new, old = payload["fields"], base.get("fields")
    return {**old, **new} if is_object(new) and is_object(old) else new


def _version(record: JsonObject) -> int:
    version = record.get("version")
    return version if isinstance(version, int) else 1
