"""The authors' page of builtin tools, made of their live definitions."""

import json
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from covel_host.tools.builtin.reference_texts import INTRODUCTION, TEXTS
from covel_host.tools.registry import ToolDefinition
from covel_host.tools.tool_search import SearchTools
from plugin_sdk.tools import ToolAnnotations


def documented_tools() -> dict[str, ToolDefinition]:
    """Every framework tool by name."""
    others: tuple[ToolDefinition, ...] = (SearchTools((), plugin_id="your-plugin"),)
    return {**BUILTIN_TOOLS, **{tool.name: tool for tool in others}}


def reference_page(generated: str) -> str:
    """`docs/builtin-tools.md`; `generated` is the line that says so."""
    lines = [INTRODUCTION.format(generated=generated)]
    for name, tool in documented_tools().items():
        lines += _section(name, tool)
    return "\n".join(lines) + "\n"


def _section(name: str, tool: ToolDefinition) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    yield "\n".join(_wrapped(TEXTS[name].about))
    yield ""
    yield f"Annotations: {_annotations(getattr(tool, 'annotations', ToolAnnotations()))}."
    yield ""
    yield "| Parameter | Type | Required | Meaning |"
    yield "| --- | --- | --- | --- |"
    yield from _rows(tool.input_schema, tool.input_schema.get("$defs", {}), "")
    yield ""
    yield "```json"
    yield json.dumps(TEXTS[name].example, ensure_ascii=False, indent=2)
    yield "```"
    yield ""


def _wrapped(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        indent = "   " if line[:1].isdigit() else "  " if line.startswith("- ") else ""
        yield from textwrap.wrap(
            line, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        ) or [""]


def _annotations(annotations: ToolAnnotations) -> str:
    named = {
        "readOnly": annotations.read_only,
        "stagesWrites": annotations.stages_writes,
        "idempotent": annotations.idempotent,
        "concurrencySafe": annotations.concurrency_safe,
    }
    return ", ".join(f"`{name}`" for name, holds in named.items() if holds) or "none"


def _rows(schema: Mapping[str, Any], defs: Mapping[str, Any], prefix: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        path, needed = f"{prefix}{name}", "yes" if name in required else ""
        meaning = str(field.get("description", "")).replace("|", "\\|")
        yield f"| `{path}` | {_type(field, defs)} | {needed} | {meaning} |"
        inner, mark = _followed(field, defs), "."
        if inner.get("type") == "array":
            inner, mark = _followed(inner.get("items", {}), defs), "[]."
        yield from _rows(inner, defs, f"{path}{mark}")


def _type(field: Mapping[str, Any], defs: Mapping[str, Any]) -> str:
    schema = _followed(field, defs)
    if "enum" in schema:
        return " \\| ".join(f"`{option}`" for option in schema["enum"])
    if schema.get("type") == "array":
        least = ", at least {minItems}".format(**schema) if schema.get("minItems") else ""
        return f"list of {_type(schema.get('items', {}), defs)}s{least}"
    branches = schema.get("anyOf", ())
    if branches:
        return " or ".join(dict.fromkeys(_type(branch, defs) for branch in branches))
    return str(schema.get("type", "any JSON")) + _bounds(schema)


def _bounds(schema: Mapping[str, Any]) -> str:
    unit = " characters" if schema.get("type") == "string" else ""
    low = schema.get("minimum", schema.get("minLength"))
    high = schema.get("maximum", schema.get("maxLength"))
    if high is not None:
        return f", at most {high:,}{unit}" if low is None else f", {low:,} to {high:,}{unit}"
    if low is None:
        return ""
    return ", not empty" if unit else f", at least {low:,}"


def _followed(field: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = field.get("$ref")
    return field if reference is None else {**defs[str(reference).rpartition("/")[2]], **field}
