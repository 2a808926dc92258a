"""Packages loaded for their tools, and the tools as text and JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TextIO, TypeAlias

import click

from covel_host.base.json_text import dump_json
from covel_host.catalog.building import read_catalog
from covel_host.catalog.catalog import Catalog, PackageState
from covel_host.catalog.discovery import Discovery, discover
from covel_host.cli.event_loop import run_loop
from covel_host.cli.excerpts import texts_of
from covel_host.cli.failures import FINDINGS
from covel_host.cli.output import note, one_line, safe_text, table
from covel_host.cli.targets import package_not_found, say_hidden
from covel_host.diagnostics.formats import as_json as diagnostic_json
from covel_host.diagnostics.formats import format_full
from covel_host.host import load_catalog
from covel_host.settings import Settings
from covel_host.tools.builtin.installed import BUILTIN_TOOLS
from plugin_sdk.tools import Tool

AnyTool: TypeAlias = Tool[..., Any]


def list_tools(
    settings: Settings, plugin_ids: Sequence[str], *, output: TextIO, as_json: bool
) -> int:
    """Print the builtin tools and those of these packages, or of all whose code may run.

    Returns:
        The exit code: 1 when a package that was named is not loaded.

    Raises:
        NoPackage: a package that was named was not found.
    """
    catalog = run_loop(_load(settings, _chosen(settings, plugin_ids)))
    missing = [state for state in catalog.packages.values() if state.generation is None]
    if as_json:
        text = f"{dump_json(_document(catalog, missing))}\n"
    else:
        text = safe_text(_text(catalog))
        _say_missing(missing, named=plugin_ids)
    click.echo(text, file=output, nl=False)
    return FINDINGS if plugin_ids and missing else 0


def _chosen(settings: Settings, plugin_ids: Sequence[str]) -> Discovery:
    discovery = discover(settings.folders)
    say_hidden(discovery, plugin_ids)
    if not plugin_ids:
        return discovery
    by_id = {found.plugin_id: found for found in discovery.packages}
    for plugin_id in plugin_ids:
        if plugin_id not in by_id:
            raise package_not_found(plugin_id, by_id)
    return replace(discovery, packages=tuple(by_id[name] for name in dict.fromkeys(plugin_ids)))


async def _load(settings: Settings, chosen: Discovery) -> Catalog:
    """The loaded catalog; its packages have been ended, what they registered can still be read."""
    ids = [found.plugin_id for found in chosen.packages]
    catalog = await load_catalog(read_catalog(chosen), settings, ids)
    await catalog.close()
    return catalog


def _document(catalog: Catalog, missing: Sequence[PackageState]) -> dict[str, object]:
    tools = [_tool_json(tool, source="builtin", plugin_id=None) for tool in BUILTIN_TOOLS.values()]
    for plugin_id in catalog.packages:
        tools += [
            _tool_json(tool, source="local", plugin_id=plugin_id)
            for tool in catalog.tools(plugin_id).values()
        ]
    return {
        "tools": tools,
        "notLoaded": [
            {
                "id": state.plugin_id,
                "status": state.status,
                "diagnostics": [diagnostic_json(found) for found in state.diagnostics],
            }
            for state in missing
        ],
    }


def _tool_json(tool: AnyTool, *, source: str, plugin_id: str | None) -> dict[str, object]:
    annotations = tool.annotations
    return {
        "name": tool.name,
        "source": source,
        "pluginId": plugin_id,
        "description": tool.description,
        "annotations": {
            "readOnly": annotations.read_only,
            "stagesWrites": annotations.stages_writes,
            "idempotent": annotations.idempotent,
            "concurrencySafe": annotations.concurrency_safe,
        },
        "timeoutMs": tool.timeout_ms,
        "inputSchema": tool.input_schema,
    }


def _text(catalog: Catalog) -> str:
    parts = ["builtin\n", _tool_rows(BUILTIN_TOOLS.values())]
    for plugin_id, state in catalog.packages.items():
        if state.generation is not None:
            rows = _tool_rows(state.generation.tools.values())
            parts += [f"\n{plugin_id}\n", rows or "  no tools\n"]
    return "".join(parts)


def _tool_rows(tools: Iterable[AnyTool]) -> str:
    return table(
        [(tool.name, _traits(tool), one_line(tool.description, limit=120)) for tool in tools],
        indent="  ",
    )


def _traits(tool: AnyTool) -> str:
    annotations = tool.annotations
    named = {
        "read-only": annotations.read_only,
        "writes": annotations.stages_writes,
        "idempotent": annotations.idempotent,
        "concurrency-safe": annotations.concurrency_safe,
    }
    limit = [] if tool.timeout_ms is None else [f"{tool.timeout_ms} ms"]
    return ", ".join([*(name for name, holds in named.items() if holds), *limit]) or "-"


def _say_missing(missing: Sequence[PackageState], *, named: Sequence[str]) -> None:
    for state in missing:
        if state.plugin_id in named:
            note(_problems(state).rstrip("\n"))
        elif state.status == "untrusted":
            note(f"note: {state.plugin_id!r} was not loaded; allow it: --trust {state.plugin_id}")
        else:
            note(
                f"note: {state.plugin_id!r} was not loaded; see: covel plugins show --load "
                f"{state.plugin_id}"
            )


def _problems(state: PackageState) -> str:
    return safe_text(format_full(state.diagnostics, sources=texts_of(state.reading)))
