"""What of `world.yaml` is text for readers, and the rules of its character schema."""

from collections.abc import Iterator, Sequence
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.worlds.dimensions import dimension_texts
from covel_host.worlds.pack_file import PackFile
from covel_host.worlds.world_manifest import Attribute, CharacterSchema
from plugin_sdk.rules.character_fields import PLAYER_TYPE, merge_schema_defaults
from plugin_sdk.values import JsonValue

_PLACES: Final[tuple[Path, ...]] = (
    ("name",),
    ("summary",),
    ("author", "about"),
    ("author", "links", "*", "label"),
    ("pluginPolicy", "packs", "*", "label"),
    ("pluginPolicy", "packs", "*", "description"),
    ("pluginPolicy", "packs", "*", "reason"),
)


def manifest_texts(value: JsonValue) -> Iterator[Path]:
    """The places of the texts of `world.yaml` that may be translated."""
    if not isinstance(value, dict):
        return
    for pattern in _PLACES:
        yield from _matching(value, pattern, ())
    schema = value.get("characterSchema")
    if isinstance(schema, dict):
        yield from _attribute_texts(schema.get("attributes"), ("characterSchema", "attributes"))
    dimensions = value.get("dimensions")
    for name, definition in dimensions.items() if isinstance(dimensions, dict) else ():
        yield from dimension_texts(definition, ("dimensions", name))


def schema_problems(schema: CharacterSchema, file: PackFile) -> Iterator[Diagnostic]:
    """What is wrong with the character schema beyond its shape."""
    place: Path = ("characterSchema",)
    if PLAYER_TYPE in schema.types:
        index = schema.types.index(PLAYER_TYPE)
        yield file.report(
            "world-schema",
            f"`characterSchema.types` lists {PLAYER_TYPE!r}, which is always a type.",
            path=(*place, "types", index),
            hint="Remove it.",
        )
    yield from _attribute_problems(schema.attributes, file, (*place, "attributes"))


def _attribute_problems(
    attributes: Sequence[Attribute], file: PackFile, path: Path
) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for index, attribute in enumerate(attributes):
        place = (*path, index)
        if attribute.id in seen:
            message = f"`{dotted((*place, 'id'))}` is {attribute.id!r}, which stands there already."
            yield file.report("world-schema", message, path=(*place, "id"))
        seen.add(attribute.id)
        low, high = attribute.min, attribute.max
        if low is not None and high is not None and low > high:
            message = f"`{dotted((*place, 'min'))}` is more than `max`, so no number fits."
            yield file.report("world-schema", message, path=(*place, "min"))
        if attribute.default_value is not None and not _default_fits(attribute):
            message = (
                f"`{dotted((*place, 'defaultValue'))}` does not fit the attribute's own type, so "
                "no character gets it."
            )
            yield file.report("character-default-unfit", message, path=(*place, "defaultValue"))
        yield from _attribute_problems(attribute.sub_schema or (), file, (*place, "subSchema"))


def _default_fits(attribute: Attribute) -> bool:
    written = attribute.model_dump(mode="json", by_alias=True, exclude_none=True)
    return bool(merge_schema_defaults({"attributes": [written]}, None))


def _attribute_texts(attributes: JsonValue, path: Path) -> Iterator[Path]:
    for index, attribute in enumerate(attributes if isinstance(attributes, list) else ()):
        if isinstance(attribute, dict):
            for name in ("name", "description"):
                if isinstance(attribute.get(name), str):
                    yield (*path, index, name)
            inner = (*path, index, "subSchema")
            yield from _attribute_texts(attribute.get("subSchema"), inner)


def _matching(value: JsonValue, pattern: Path, path: Path) -> Iterator[Path]:
    if not pattern:
        if isinstance(value, str):
            yield path
        return
    part, *rest = pattern
    if part == "*":
        for index, item in enumerate(value if isinstance(value, list) else ()):
            yield from _matching(item, tuple(rest), (*path, index))
    elif isinstance(value, dict) and part in value:
        yield from _matching(value[str(part)], tuple(rest), (*path, part))
