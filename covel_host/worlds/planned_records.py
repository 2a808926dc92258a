"""Characters and lorebook entries made of records, by the rules that writes keep to everywhere."""

from collections.abc import Mapping

from covel_host.base.json_text import dump_json
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.worlds.model_problems import read_value
from covel_host.worlds.record_models import CharacterEntry, LoreEntry
from covel_host.worlds.records import Record
from plugin_sdk.errors import ToolValidationError
from plugin_sdk.rules.character_fields import merge_schema_defaults
from plugin_sdk.rules.character_names import CharacterDirectory
from plugin_sdk.rules.character_overlay import assert_character_write, materialize_character
from plugin_sdk.values import JsonObject, JsonValue

_ENTRY_DEFAULTS: JsonObject = {"position": "after_plugin", "enabled": True}


class Characters:
    """The characters of a world as they come, checked against the schema and each other."""

    def __init__(self, schema: JsonObject | None) -> None:
        self._schema = schema
        self._directory = CharacterDirectory()

    def __contains__(self, character_id: str) -> bool:
        return character_id in self._directory.characters

    @property
    def records(self) -> tuple[JsonObject, ...]:
        """The complete records, without times."""
        return tuple(dict(record) for record in self._directory.characters.values())

    def add(self, record: Record) -> tuple[JsonObject | None, list[Diagnostic]]:
        """The character that `record` makes; `None` with the problems it has.

        Attributes that it leaves out get their defaults (spec/world.md 2.5).
        """
        entry, problems = read_value(CharacterEntry, record.value, record.file, record.path)
        if entry is None:
            return None, problems
        payload = entry.model_dump(mode="json", by_alias=True, exclude_none=True)
        payload["fields"] = merge_schema_defaults(self._schema, entry.fields)
        made = materialize_character(payload, None)
        try:
            assert_character_write(payload, made, self._directory, self._schema)
        except ToolValidationError as error:
            return None, _refused(record, entry, error)
        self._directory.put(made)
        return made, []


def _refused(record: Record, entry: CharacterEntry, error: ToolValidationError) -> list[Diagnostic]:
    who = f"The character {entry.id!r}"
    if not error.details:
        inside = _place(entry, error.message)
        return [record.report("character-invalid", f"{who}: {error.message}", inside)]
    return [
        record.report(
            "character-invalid",
            f"{who}, `{problem.path}`: {problem.message}",
            f"fields.{problem.path}",
        )
        for problem in error.details
    ]


def _place(entry: CharacterEntry, message: str) -> str:
    """Which field the refusal of a character is about."""
    for index, alias in enumerate(entry.aliases):
        if alias != entry.name and message.startswith(dump_json(alias)):
            return f"aliases.{index}"
    return "type" if "type" in message.split(".")[0] else "name"


def lore_entry(record: Record) -> tuple[JsonObject | None, list[Diagnostic]]:
    """The lorebook entry that `record` is; `None` with the problems it has."""
    entry, problems = read_value(LoreEntry, record.value, record.file, record.path)
    if entry is None:
        return None, problems
    written = entry.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude={"kind", "strategy"}
    )
    return _stored(record, written, is_selective=entry.is_selective)


def record_lore(record: Record) -> tuple[JsonObject | None, list[Diagnostic]]:
    """The lorebook entry that goes with a record of a contract (spec/world.md 7.3)."""
    value: Mapping[str, JsonValue] = record.value if isinstance(record.value, dict) else {}
    content = value.get("content", value.get("description"))
    if not isinstance(content, str) or not content.strip():
        message = (
            f"The record {record.key!r} has no text for the lorebook; expected `content` or "
            "`description`."
        )
        return None, [record.report("world-record-invalid", message)]
    keys = value.get("keys")
    listed = [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []
    written: JsonObject = {"id": record.key, "keys": list(listed), "content": content}
    return _stored(record, written, is_selective=value.get("kind") == "triggered")


def _stored(
    record: Record, written: JsonObject, *, is_selective: bool
) -> tuple[JsonObject, list[Diagnostic]]:
    entry: JsonObject = {
        **_ENTRY_DEFAULTS,
        **written,
        "strategy": "selective" if is_selective else "constant",
    }
    keys = entry.get("keys")
    has_key = isinstance(keys, list) and any(str(key).strip() for key in keys)
    if not is_selective or has_key:
        return entry, []
    message = f"The entry {record.key!r} is selective and has no key, so it is never used."
    hint = "Add keys, or make it constant."
    return entry, [record.report("lorebook-never-active", message, hint=hint)]
