"""What a model reads of the tools made from a data set: descriptions and argument schemas.

(seed: 数据集工具, 模型看到的 schema)
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final

from plugin_sdk.model_schema import model_facing_schema
from plugin_sdk.rules.data_ops import DATA_OP_NAMES, MAX_DATA_OPS, MIN_DATA_OPS
from plugin_sdk.rules.dataset_writes import DatasetRules
from plugin_sdk.rules.keys import DatasetToolKind
from plugin_sdk.values import JsonObject

DEFAULT_PAGE: Final = 20
MAX_PAGE: Final = 50
"""Records of one answer of a list tool."""

_ABOUT: Final[Mapping[DatasetToolKind, str]] = {
    "get": "Read one record of the {name} dataset by its key.",
    "list": "List records of the {name} dataset, sorted by key, one page at a time.",
    "upsert": "Write one whole record of the {name} dataset: it replaces the record of the same "
    "key, or is added as a new one.",
    "update": "Change one existing record of the {name} dataset by operations. They apply in "
    "order, all of them or none.",
}

_DEFINITIONS: Final = ("$defs", "definitions")
_DROPPED: Final = ("$schema", "$id")
_VALUES: Final = frozenset({"const", "default", "enum", "example", "examples"})
_NAMED_SCHEMAS: Final = frozenset(
    {*_DEFINITIONS, "dependentSchemas", "patternProperties", "properties"}
)

_PATH: Final[JsonObject] = {
    "type": "string",
    "description": "JSON Pointer inside the record, such as /name or /items/0.",
}
_FIELDS: Final[Mapping[str, JsonObject]] = {
    "put": {"path": _PATH, "value": {}},
    "merge": {"path": _PATH, "value": {"type": "object"}},
    "increment": {
        "path": _PATH,
        "by": {"type": "number"},
        "min": {"type": "number"},
        "max": {"type": "number"},
    },
    "append": {"path": _PATH, "value": {}, "unique": {"type": "boolean"}},
    "insert": {"path": _PATH, "index": {"type": "integer", "minimum": 0}, "value": {}},
    "remove": {"path": _PATH},
    "delete": {},
}
_OPTIONAL: Final = {"merge": {"path"}, "increment": {"min", "max"}, "append": {"unique"}}
_OP_ABOUT: Final = {
    "put": "Write a member, or replace an array item.",
    "merge": "Write members of an object, or of the record when there is no path; others stay.",
    "increment": "Add to a number, within min and max.",
    "append": "Add at the end of an array; unique refuses an item that is there.",
    "insert": "Put into an array before the item at index.",
    "remove": "Take out a member or an array item.",
    "delete": "Delete the whole record; the only operation of its call.",
}


def tool_description(kind: DatasetToolKind, name: str, *, about: str) -> str:
    """The English description of one tool, the data set's own at its end."""
    return f"{_ABOUT[kind].format(name=name)} {about}".rstrip()


def tool_schema(kind: DatasetToolKind, rules: DatasetRules, record: JsonObject) -> dict[str, Any]:
    """The argument schema of one tool; `record` is the data set's schema as its author wrote it."""
    match kind:
        case "get":
            return _object({"key": _key(rules)})
        case "list":
            return _object(_list_members(rules), optional=("where", "offset", "limit"))
        case "upsert":
            return _upsert_schema(rules, record)
        case "update":
            return _object({"key": _key(rules), "ops": _ops(rules.ops)})


def _upsert_schema(rules: DatasetRules, record: JsonObject) -> dict[str, Any]:
    shown = model_facing_schema(record)
    definitions: dict[str, Any] = {name: shown.pop(name) for name in _DEFINITIONS if name in shown}
    identity = shown.get("$id")
    inner = {name: part for name, part in shown.items() if name not in _DROPPED}
    placed = _Moved(identity if isinstance(identity, str) else "")
    members: JsonObject = {"record": placed.schema(inner)}
    if rules.key_field is None:
        members = {"key": _key(rules), **members}
    moved: dict[str, Any] = {name: placed.named(parts) for name, parts in definitions.items()}
    return {**_object(members), **moved}


class _Moved:
    """References of a schema that is moved below `/properties/record`, definitions excepted."""

    def __init__(self, identity: str) -> None:
        self._identity = identity.rstrip("#")

    def schema(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self.schema(part) for part in schema]
        if not isinstance(schema, Mapping):
            return schema
        return {key: self._member(key, value) for key, value in schema.items()}

    def named(self, schemas: Any) -> Any:
        if not isinstance(schemas, Mapping):
            return schemas
        return {name: self.schema(schema) for name, schema in schemas.items()}

    def _member(self, key: str, value: Any) -> Any:
        if key == "$ref" and isinstance(value, str):
            return self._reference(value)
        if key in _VALUES:
            return value
        return self.named(value) if key in _NAMED_SCHEMAS else self.schema(value)

    def _reference(self, reference: str) -> str:
        if self._identity and reference.partition("#")[0] == self._identity:
            # The name it refers to is taken away with `$id`.
            reference = f"#{reference.partition('#')[2]}"
        if reference == "#" or reference.startswith("#/"):
            head = reference[2:].partition("/")[0]
            if head not in _DEFINITIONS:
                return f"#/properties/record{reference[1:]}"
        return reference


def _key(rules: DatasetRules) -> JsonObject:
    whose = "" if rules.key_field is None else f", the value of its field {rules.key_field!r}"
    return {
        "type": "string",
        "minLength": 1,
        "description": f"The key of the record{whose}. Letter case and extra spaces make no "
        "difference when a record is looked up.",
    }


def _list_members(rules: DatasetRules) -> JsonObject:
    by_key = "" if rules.key_field is None else f" The key field is {rules.key_field!r}."
    return {
        "where": {
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
            "description": "Only records whose top-level fields have exactly these values."
            f"{by_key} A look-up by key, in contrast, does not mind letter case and spaces.",
        },
        "offset": {
            "type": "integer",
            "minimum": 0,
            "default": 0,
            "description": "How many records to pass over; take it from nextOffset.",
        },
        "limit": {"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": DEFAULT_PAGE},
    }


def _ops(allowed: Collection[str]) -> JsonObject:
    schemas = [_op(name) for name in DATA_OP_NAMES if name != "set" and name in allowed]
    items: Any = schemas[0] if len(schemas) == 1 else {"anyOf": schemas} if schemas else False
    return {
        "type": "array",
        "items": items,
        "minItems": MIN_DATA_OPS,
        "maxItems": MAX_DATA_OPS,
        "description": "Applied in order. Every path is a JSON Pointer inside the record.",
    }


def _op(name: str) -> Any:
    members = {"op": {"const": name}, **_FIELDS[name]}
    schema = _object(members, optional=_OPTIONAL.get(name, ()))
    return {**schema, "additionalProperties": False, "description": _OP_ABOUT[name]}


def _object(members: Mapping[str, Any], *, optional: Iterable[str] = ()) -> dict[str, Any]:
    left_out = set(optional)
    return {
        "type": "object",
        "properties": dict(members),
        "required": [name for name in members if name not in left_out],
    }
