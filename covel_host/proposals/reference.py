"""The reference page of the proposal types, made of the models, the handlers and the codes."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from covel_host.proposals.handlers import HANDLERS
from covel_host.proposals.refusal_codes import COMMIT_CODES, REFUSAL_CODES
from plugin_sdk.proposals import PROPOSAL_MODELS

_INTRODUCTION = """\
# Proposals

{generated}

Tools and runtimes never write. They hand in proposals, which are checked, staged and committed
together with everything else of their execution ([Commits](commits.md)). A refused proposal rolls
its commit unit back: never is a part of a proposal applied.

Before a handler runs, whatever the proposal came from: the payload fits its type and is stored as
its JSON copy (dates become ISO texts), and every media reference in it, at any depth, is checked
against the session. The events go out after the commit and never before."""


_SOURCES = re.compile(r" \((?:seed|spec)[^)]*\)")
_ANY_JSON = "JsonValue"


def reference_page(generated: str) -> str:
    """`docs/proposals.md`; `generated` is the line that says so."""
    lines = [_INTRODUCTION.format(generated=generated)]
    shapes: dict[str, Mapping[str, Any]] = {}
    for name, model in PROPOSAL_MODELS.items():
        schema = model.model_json_schema(by_alias=True)
        shapes |= schema.get("$defs", {})
        events = ", ".join(f"`{event}`" for event in HANDLERS[name].events)
        lines += ["", f"## {name}", "", *_described(schema), "", f"Events: {events}"]
    lines += ["", "## Shapes"]
    for shape in sorted(set(shapes) - {_ANY_JSON}):
        lines += ["", f"### {shape}", "", *_described(shapes[shape])]
    lines += ["", "## Codes", "", "| Code | When |", "| --- | --- |"]
    lines += [f"| `{code}` | {when} |" for code, when in REFUSAL_CODES.items()]
    lines += ["", "Besides these, of a commit ([Commits](commits.md)):", ""]
    lines += ["| Code | When |", "| --- | --- |"]
    lines += [f"| `{code}` | {when} |" for code, when in COMMIT_CODES.items()]
    return "\n".join(lines) + "\n"


def _described(schema: Mapping[str, Any]) -> Iterator[str]:
    yield _SOURCES.sub("", schema["description"])
    yield ""
    yield "| Member | Required | Value |"
    yield "| --- | --- | --- |"
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        yield f"| `{name}` | {'yes' if name in required else ''} | {_value(field)} |"


def _value(field: Mapping[str, Any]) -> str:
    """The kind of value in a few words; shapes go by their name."""
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return "any JSON" if name == _ANY_JSON else f"[{name}](#{name.lower()})"
    for keyword in ("anyOf", "oneOf"):
        if keyword in field:
            kinds = [part for part in field[keyword] if part.get("type") != "null"]
            return " or ".join(dict.fromkeys(map(_value, kinds)))
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{option}`" for option in field["enum"])
    match field.get("type"):
        case "array":
            return f"list of {_value(field['items'])}"
        case "object":
            inner = _value(field.get("additionalProperties") or {})
            return "object" if inner == "any JSON" else f"object of {inner}"
        case "string":
            return "text"
        case "integer":
            return "whole number"
        case "boolean":
            return "true or false"
        case kind:
            return str(kind or "any JSON")
