"""The reference of all manifest fields as a Markdown page, made from the editor schemas."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from covel_host.manifest.editor_schema import plugin_schema, runtime_schema
from covel_host.manifest.text_forms import (
    CONTRACT_ID,
    EFFECT,
    EVENT_TOPIC,
    EXTENSION_ID,
    FIELD_NAME,
    FORMS,
    HOST_RANGE,
    HTTP_ORIGIN,
    NOT_BLANK,
    PLUGIN_ID,
    POINTER,
    PROJECTION_ID,
    TOOL_NAME,
)

_FORM_NAMES: Final = {
    PLUGIN_ID: "ID",
    CONTRACT_ID: "contract",
    EXTENSION_ID: "extension ID",
    TOOL_NAME: "tool name",
    EVENT_TOPIC: "event topic",
    FIELD_NAME: "field name",
    PROJECTION_ID: "lowercase name",
    HOST_RANGE: "version range",
    POINTER: "JSON pointer",
    HTTP_ORIGIN: "origin",
    NOT_BLANK: "text",
    EFFECT: "resource",
}
_INTRODUCTION: Final = """\
Every object is strict: a field that is not listed here is an error. Fields without "required" may
be left out, and may not be null. A text for players is one text in English; its translations lie in
`locales/`. Rules across fields are listed in [Diagnostics](diagnostics.md). Editors check these
fields with the schemas that `covel schema plugin` and `covel schema runtime` print."""


@dataclass(frozen=True, slots=True)
class _Section:
    """One object of a manifest: how to get to it, and its schema."""

    path: str
    schema: dict[str, Any]


def reference_page(mark: str) -> str:
    """The whole page; `mark` is the line that says it is generated."""
    lines = ["# Manifest fields", "", mark, "", *_INTRODUCTION.splitlines()]
    plugin, runtime = plugin_schema(), runtime_schema()
    lines += ["", "## PLUGIN.md", "", *_object(_Section("", plugin), plugin["$defs"])]
    for section in _inner(_Section("", plugin), plugin["$defs"]):
        if section.path != "runtime" and not section.path.startswith("runtime."):
            lines += ["", _heading(section), "", *_object(section, plugin["$defs"])]
    lines += ["", "## RUNTIME.md, and `runtime` in PLUGIN.md", ""]
    lines += _object(_Section("", runtime), runtime["$defs"])
    for section in _inner(_Section("", runtime), runtime["$defs"]):
        lines += ["", _heading(section), "", *_object(section, runtime["$defs"])]
    lines += ["", "## Forms of texts", ""]
    lines += [
        f"- {_FORM_NAMES[pattern]}: {_cell(form.says.removeprefix(f'a {_FORM_NAMES[pattern]}: '))}"
        for pattern, form in FORMS.items()
        if pattern != NOT_BLANK
    ]
    return "\n".join(lines) + "\n"


def _object(section: _Section, definitions: dict[str, Any]) -> list[str]:
    schema = section.schema
    required = schema.get("required", ())
    lines = [schema["description"], "", "| Field | Type | Meaning |", "| --- | --- | --- |"]
    for field, found in schema["properties"].items():
        notes = [found["description"]]
        if field in required:
            notes.insert(0, "**Required.**")
        if "default" in found:
            notes.append(f"Default: `{_literal(found['default'])}`.")
        kind = _type(found, definitions)
        lines.append(f"| `{field}` | {kind} | {_cell(' '.join(notes))} |")
    return lines


def _heading(section: _Section) -> str:
    path, _, form = section.path.partition(" (")
    return f"### `{path}`, {form.removesuffix(')')}" if form else f"### `{path}`"


def _inner(section: _Section, definitions: dict[str, Any]) -> Iterator[_Section]:
    """The objects below `section`, each before those below it; several forms of one are apart."""
    for field, found in section.schema["properties"].items():
        path = f"{section.path}.{field}" if section.path else field
        for inside, model in _objects(found, path):
            inner = _Section(inside, definitions[model])
            yield inner
            yield from _inner(inner, definitions)


def _objects(schema: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """Path and name of each object that a value of `schema` holds or may be."""
    if "$ref" in schema:
        model = _name(schema)
        yield path, model
    for branch in schema.get("oneOf", ()):
        keys = _keys_of(branch)
        for inside, model in _objects(branch, path):
            yield f"{inside}{keys}", model
    if "items" in schema:
        yield from _objects(schema["items"], f"{path}[]")
    for value in _map_values(schema):
        yield from _objects(value, f"{path}.<name>")


def _keys_of(branch: dict[str, Any]) -> str:
    """What tells one form of several apart in a heading."""
    return f" ({_SHORT[_name(branch)]})" if _name(branch) in _SHORT else ""


_SHORT: Final = {
    "NeededRuntime": "a runtime",
    "NeededContract": "a contract",
    "EarlierRuntime": "a runtime",
    "EarlierContract": "a contract",
    "RuntimeSource": "a runtime",
    "ContractSource": "a contract",
    "KernelSource": "the host",
}


def _type(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    """The type of a value in words, for a cell of a table."""
    if "$ref" in schema:
        return "object"
    if "oneOf" in schema:
        return " or ".join(dict.fromkeys(_type(one, definitions) for one in schema["oneOf"]))
    if "enum" in schema:
        return ", ".join(f"`{_literal(value)}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{_literal(schema['const'])}`"
    kind = schema.get("type")
    if kind == "array":
        return _list_type(schema, definitions)
    if kind == "object":
        values = {_type(value, definitions) for value in _map_values(schema)}
        return f"map of {' or '.join(sorted(values))}" if values else "map"
    if kind in ("integer", "number"):
        return f"{'whole number' if kind == 'integer' else 'number'}{_range(schema)}"
    if kind == "boolean":
        return "`true`, `false`"
    return _text_type(schema) if kind == "string" else "any value"


def _list_type(schema: dict[str, Any], definitions: dict[str, Any]) -> str:
    size = ""
    if "maxItems" in schema:
        size = f", at most {schema['maxItems']:,}"
    if schema.get("minItems"):
        size += f", at least {schema['minItems']:,}"
    unique = ", each once" if schema.get("uniqueItems") else ""
    return f"list of {_type(schema['items'], definitions)}{size}{unique}"


def _text_type(schema: dict[str, Any]) -> str:
    form = _FORM_NAMES.get(schema.get("pattern", ""))
    length = f", at most {schema['maxLength']:,} characters" if "maxLength" in schema else ""
    if form is not None:
        return f"{form}{length}"
    if schema.get("format") == "uri":
        return f"https link{length}"
    if "pattern" in schema:
        suffix = next((end for end in (".py", ".json") if f"\\{end}$" in schema["pattern"]), "")
        return f"path of a `{suffix}` file" if suffix else "path of a file"
    return f"text{length}"


def _range(schema: dict[str, Any]) -> str:
    words = {
        "minimum": "from",
        "exclusiveMinimum": "above",
        "maximum": "to",
        "exclusiveMaximum": "below",
    }
    limits = [f"{word} {schema[key]:,}" for key, word in words.items() if key in schema]
    return f" {' '.join(limits)}" if limits else ""


def _map_values(schema: dict[str, Any]) -> list[dict[str, Any]]:
    values = list(schema.get("patternProperties", {}).values())
    other = schema.get("additionalProperties")
    return [*values, other] if isinstance(other, dict) else values


def _name(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def _literal(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
