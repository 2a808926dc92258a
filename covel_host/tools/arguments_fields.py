"""JSON text where a tool's schema wants an array or an object (seed: 模型写错的参数 JSON).

Used after a first validation failed. The schema only says where text is out of place; whether the
value that was in the text is right is decided by validating once more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from covel_host.tools.arguments import ArgumentsError, parse_field_text
from covel_host.tools.arguments_schema import Schema, SchemaPlaces
from plugin_sdk.errors import FieldProblem
from plugin_sdk.values import JsonValue

MAX_DEPTH = 100
"""Fields nested deeper are left as they are."""

_NAMES = {"array": "an array", "object": "an object"}


@dataclass(frozen=True, slots=True)
class RepairedFields:
    """The arguments with the texts replaced by what they hold; the arguments given are unchanged.

    `repaired_paths`: dotted paths of the replaced fields, in order; empty means that validating
    again cannot help. `problems`: fields whose text could not be read, with the reason, the place
    inside the text, and what to pass in its stead.
    """

    value: JsonValue
    repaired_paths: tuple[str, ...]
    problems: tuple[FieldProblem, ...]


def repair_text_fields(value: JsonValue, schema: Mapping[str, JsonValue]) -> RepairedFields:
    """`value` with every text parsed that stands where `schema` wants an array or an object.

    A place that allows text as well is left alone; texts inside a parsed text are parsed too.
    `schema` is the tool's whole input schema; local references are followed, others count as
    "anything".
    """
    walk = _Walk(SchemaPlaces(schema))
    repaired = walk.visit(value, [schema], ())
    return RepairedFields(repaired, tuple(walk.repaired_paths), tuple(walk.problems))


@dataclass(slots=True)
class _Walk:
    places: SchemaPlaces
    repaired_paths: list[str] = field(default_factory=list)
    problems: list[FieldProblem] = field(default_factory=list)

    def visit(self, value: JsonValue, schemas: list[Schema], path: tuple[str, ...]) -> JsonValue:
        if not schemas or len(path) > MAX_DEPTH:
            return value
        if isinstance(value, str):
            value = self._parsed(value, schemas, path)
        if isinstance(value, dict):
            return {
                key: self.visit(item, self.places.of_member(schemas, value, key), (*path, key))
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [
                self.visit(item, self.places.of_item(schemas, index), (*path, str(index)))
                for index, item in enumerate(value)
            ]
        return value

    def _parsed(self, text: str, schemas: list[Schema], path: tuple[str, ...]) -> JsonValue:
        wanted = self.places.containers(schemas)
        if not wanted:
            return text
        name = " or ".join(_NAMES[kind] for kind in wanted)
        where = ".".join(path)
        try:
            value = parse_field_text(text).value
        except ArgumentsError as error:
            self._refuse(where, name, f"not JSON: {error.reason} {_place(error)}")
            return text
        kind = "array" if isinstance(value, list) else "object" if isinstance(value, dict) else ""
        if kind not in wanted:
            self._refuse(where, name, f"the JSON of {_NAMES.get(kind, 'a single value')}")
            return text
        self.repaired_paths.append(where)
        return value

    def _refuse(self, where: str, name: str, found: str) -> None:
        message = f"Expected {name}; the text given is {found}. Pass {name} itself, not text."
        self.problems.append(FieldProblem(where, message))


def _place(error: ArgumentsError) -> str:
    return f"(line {error.line}, column {error.column} of the text)"
