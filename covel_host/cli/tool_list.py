"""Packages loaded for their tools, and the tools as text and JSON."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

import click

from covel_host.base.json_text import dump_json
from covel_host.catalog.building import read_catalog
from covel_host.catalog.catalog import Catalog, PackageState
from covel_host.catalog.discovery import Discovery, discover
from covel_host.catalog.excerpt_texts import texts_of
from covel_host.cli.event_loop import run_loop
from covel_host.cli.failures import FINDINGS
from covel_host.cli.output import note, safe_text
from covel_host.cli.targets import package_not_found, say_hidden
from covel_host.cli.tool_rows import ListedTool, listed_tools, tool_json, tool_table
from covel_host.diagnostics.formats import as_json as diagnostic_json
from covel_host.diagnostics.formats import format_full
from covel_host.opening import load_catalog
from covel_host.settings import Settings
from covel_host.tools.approval import ApprovalPolicy


def list_tools(
    settings: Settings, plugin_ids: Sequence[str], *, output: TextIO, as_json: bool
) -> int:
    """Print the tools of these packages, or of all whose code may run, then the builtin ones.

    Returns:
        The exit code: 1 when a package that was named is not loaded.

    Raises:
        NoPackage: a package that was named was not found.
    """
    catalog = run_loop(_load(settings, _chosen(settings, plugin_ids)))
    missing = [state for state in catalog.packages.values() if state.generation is None]
    tools = listed_tools(catalog, ApprovalPolicy(settings.tool_rules))
    if as_json:
        text = f"{dump_json(_document(tools, missing))}\n"
    else:
        text = safe_text(tool_table(tools))
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
            raise package_not_found(plugin_id, by_id, disabled=discovery.disabled)
    return replace(discovery, packages=tuple(by_id[name] for name in dict.fromkeys(plugin_ids)))


async def _load(settings: Settings, chosen: Discovery) -> Catalog:
    """The loaded catalog; its packages have been ended, what they registered can still be read."""
    ids = [found.plugin_id for found in chosen.packages]
    catalog = await load_catalog(read_catalog(chosen), settings, ids)
    await catalog.close()
    return catalog


def _document(tools: Sequence[ListedTool], missing: Sequence[PackageState]) -> dict[str, object]:
    return {
        "tools": [tool_json(tool) for tool in tools],
        "notLoaded": [
            {
                "id": state.plugin_id,
                "status": state.status,
                "diagnostics": [diagnostic_json(found) for found in state.diagnostics],
            }
            for state in missing
        ],
    }


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
