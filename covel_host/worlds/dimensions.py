"""The dimensions a pack declares, from all three places (spec/world.md 3.1-3.4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.schemas.dimension_values import check_dimension_value
from covel_host.worlds.model_problems import inline_locale_map
from covel_host.worlds.pack_file import PackFile
from plugin_sdk.rules.dimension_definitions import (
    dimension_definition_problems,
    resolve_dimension_definition,
)
from plugin_sdk.values import JsonObject, JsonValue


@dataclass(frozen=True, slots=True)
class Declared:
    """One definition with its texts in every language, and where its main text stands."""

    definition: JsonObject
    file: PackFile
    path: Path

    @property
    def main(self) -> JsonValue:
        """The definition as the main file has it."""
        found: Any = self.file.value
        for part in self.path:
            found = found[part]
        main: JsonValue = found
        return main


def dimension_texts(definition: JsonValue, path: Path = ()) -> Iterator[Path]:
    """The places of a definition that may be translated (spec/world.md 3.3)."""
    if not isinstance(definition, dict):
        return
    for name in ("name", "description", "updateRule"):
        if isinstance(definition.get(name), str):
            yield (*path, name)
    schema = definition.get("schema")
    yield from _schema_texts(schema, (*path, "schema"))
    yield from _value_texts(definition.get("initialValue"), schema, (*path, "initialValue"))


def definition_problems(
    dimension_id: str, declared: Declared, *, locale: str
) -> Iterator[Diagnostic]:
    """What is wrong with a definition in one language, at its place."""
    for place in _locale_maps(declared.main):
        yield inline_locale_map(declared.file, (*declared.path, *place))
    resolved = resolve_dimension_definition(declared.definition, locale)
    for problem in dimension_definition_problems(dimension_id, resolved, check_dimension_value):
        place = declared.file.inner(declared.path, problem.path)
        inside = f"`{problem.path}` of the" if problem.path else "The"
        yield declared.file.report(
            "dimension-invalid",
            f"{inside} dimension {dimension_id!r}: {problem.message}",
            path=place,
        )


def _locale_maps(main: JsonValue) -> Iterator[Path]:
    """Labels of a main file that are written as one text per language."""
    if isinstance(main, dict):
        for name in ("name", "description", "updateRule"):
            if isinstance(main.get(name), dict):
                yield (name,)


def _schema_texts(schema: JsonValue, path: Path) -> Iterator[Path]:
    if not isinstance(schema, dict):
        return
    for name in ("title", "description"):
        if isinstance(schema.get(name), str):
            yield (*path, name)
    labels = schema.get("x-enumLabels")
    for member in labels if isinstance(labels, dict) else ():
        yield (*path, "x-enumLabels", member)
    for place, child in _children(schema):
        yield from _schema_texts(child, (*path, *place))


def _value_texts(value: JsonValue, schema: JsonValue, path: Path) -> Iterator[Path]:
    if not isinstance(schema, dict):
        return
    if isinstance(value, str):
        if schema.get("x-i18n") is True:
            yield path
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _value_texts(item, schema.get("items"), (*path, index))
    elif isinstance(value, dict):
        named: Any = schema.get("properties")
        others = schema.get("additionalProperties")
        for key, item in value.items():
            inner = named.get(key, others) if isinstance(named, dict) else others
            yield from _value_texts(item, inner, (*path, key))


def _children(schema: JsonObject) -> Iterator[tuple[Path, JsonValue]]:
    properties = schema.get("properties")
    for name, child in properties.items() if isinstance(properties, dict) else ():
        yield ("properties", name), child
    for keyword in ("items", "additionalProperties"):
        yield (keyword,), schema.get(keyword)
