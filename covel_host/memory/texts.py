"""The text that a record is found by, and the name that a hit of it gets; pure."""

from collections.abc import Iterator

from covel_host.base.json_text import dump_json
from plugin_sdk.rules.model_facing import is_uuid, model_facing_json
from plugin_sdk.values import JsonObject, JsonValue


def readable(name: str) -> str | None:
    """`name` as a hit's key; None for an empty one and for a UUID (seed: memory-search)."""
    name = name.strip()
    return None if not name or is_uuid(name) else name


def lore_text(entry: JsonObject) -> str | None:
    """Keywords and content of a lorebook entry, None for one that is switched off."""
    if entry.get("enabled") is False:
        return None
    return "\n".join([*lore_keys(entry), lore_content(entry)])


def lore_content(entry: JsonObject) -> str:
    """What a lorebook entry tells."""
    return str(entry["content"])


def lore_keys(entry: JsonObject) -> list[str]:
    """The keywords of a lorebook entry, empty ones included."""
    keys = entry.get("keys")
    return [str(key) for key in keys] if isinstance(keys, list) else []


def lore_name(entry_id: str, entry: JsonObject) -> str | None:
    """The first keyword, the entry's ID where that is empty; never a UUID."""
    first = next(iter(lore_keys(entry)), "").strip()
    return readable(first or entry_id)


def character_text(record: JsonObject) -> str:
    """A character as lines: name and aliases, description, one line for each field."""
    return "\n".join(_character_lines(record))


def data_text(value: JsonValue, text_field: str) -> str | None:
    """The text of a record; None where the field is no text or an empty one."""
    text = value.get(text_field) if isinstance(value, dict) else None
    return text if isinstance(text, str) and text.strip() else None


def _character_lines(record: JsonObject) -> Iterator[str]:
    aliases = record.get("aliases")
    names = [record["name"], *(aliases if isinstance(aliases, list) else ())]
    yield ", ".join(str(name) for name in names)
    description = record.get("description")
    if isinstance(description, str) and description.strip():
        yield description
    fields = model_facing_json(record.get("fields"))
    if isinstance(fields, dict):
        for name, value in fields.items():
            yield f"{name}: {value if isinstance(value, str) else dump_json(value)}"
