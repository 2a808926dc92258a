"""What `covel dev` says of packages: one block of text for people, one JSON object for programs."""

from collections.abc import Iterable, Sequence
from typing import Final

from covel_host.catalog.catalog import PackageState
from covel_host.catalog.changes import Change, package_changes
from covel_host.catalog.excerpt_texts import texts_of
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.watching_state import PackageChange
from covel_host.cli.dev_reload import Reloaded
from covel_host.cli.output import counted, path_text, safe_text
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.formats import as_json as diagnostic_json
from covel_host.diagnostics.formats import format_full

MAX_FILES_SHOWN: Final = 4
_COUNTED: Final = (
    "tool", "hook", "runtime", "data set", "service", "action", "extension", "form",
)  # fmt: skip
_NOT_LOADED: Final = {
    "error": "not loaded",
    "untrusted": "not loaded, its code is not trusted",
    "discovered": "loaded when it is needed",
}


def reload_text(reloaded: Reloaded, *, colour: bool) -> str:
    """The block of one change."""
    change, outcome = reloaded.change, reloaded.outcome
    files = f": {_files_text(change)}" if change.files and change.event == "changed" else ""
    lines = [f"{change.event} {change.plugin_id}{files}"]
    lines += (f"  {line}" for line in _changes_text(reloaded))
    text = safe_text("".join(f"{line}\n" for line in lines))
    if outcome.after is not None and reloaded.diagnostics:
        sources = texts_of(outcome.after.reading)
        text += format_full(reloaded.diagnostics, sources=sources, colour=colour)
    return text + f"  {_end_text(reloaded)}\n"


def reload_json(reloaded: Reloaded) -> dict[str, object]:
    """The JSON object of one change."""
    change = reloaded.change
    return {
        "type": "change",
        "pluginId": change.plugin_id,
        "event": change.event,
        "files": [{"file": safe_text(file.file), "kind": file.kind} for file in change.files],
        "result": reloaded.result,
        "generation": reloaded.generation,
        "changes": [_change_json(found) for found in reloaded.changes],
        "diagnostics": [diagnostic_json(found) for found in reloaded.diagnostics],
        "loadMs": reloaded.outcome.duration_ms,
        "sinceEditMs": reloaded.since_edit_ms,
    }


def start_text(states: Sequence[PackageState], found: Iterable[Diagnostic], *, colour: bool) -> str:
    """The packages that were loaded at the start, and every problem."""
    lines = safe_text("".join(f"{_state_line(state)}\n" for state in states))
    blocks = [_problems_text(state, colour=colour) for state in states]
    around = format_full(found, sources=lambda plugin, file: None, colour=colour)
    return "".join([lines, *blocks, around])


def start_json(
    states: Sequence[PackageState], found: Iterable[Diagnostic], folders: Sequence[PluginFolder]
) -> dict[str, object]:
    """The first JSON object: what is watched and what was loaded."""
    return {
        "type": "started",
        "folders": [path_text(folder.path / (folder.only or "")) for folder in folders],
        "packages": [
            {
                "pluginId": state.plugin_id,
                "status": state.status,
                "generation": None if state.generation is None else state.generation.number,
                "diagnostics": [diagnostic_json(each) for each in state.diagnostics],
            }
            for state in states
        ],
        "diagnostics": [diagnostic_json(each) for each in found],
    }


def brought(state: PackageState) -> str:
    """What a loaded package brings, in numbers: `2 tools, 1 runtime`."""
    changes = package_changes(None, state)
    counts = [
        counted(number, kind)
        for kind in _COUNTED
        if (number := sum(change.kind == kind for change in changes))
    ]
    return ", ".join(counts) or "nothing that is called"


def _files_text(change: PackageChange) -> str:
    named = [
        file.file if file.kind == "changed" else f"{file.file} {file.kind}" for file in change.files
    ]
    shown = named[:MAX_FILES_SHOWN]
    rest = len(named) - len(shown)
    return ", ".join(shown) + (f" and {counted(rest, 'file')} more" if rest else "")


def _changes_text(reloaded: Reloaded) -> list[str]:
    outcome = reloaded.outcome
    if reloaded.result == "removed":
        gone = (change for change in reloaded.changes if change.kind in _COUNTED)
        return [change.line for change in gone]
    if reloaded.result != "swapped" or outcome.after is None:
        return []
    if outcome.before is None or outcome.before.generation is None:
        return [f"brings {brought(outcome.after)}"]
    return [change.line for change in reloaded.changes] or [
        "declares and registers the same as before"
    ]


def _end_text(reloaded: Reloaded) -> str:
    outcome = reloaded.outcome
    times = f"{outcome.duration_ms} ms, {reloaded.since_edit_ms} ms after the edit"
    if reloaded.result == "removed":
        return f"gone from the host ({times})"
    if reloaded.result == "swapped":
        return f"generation {reloaded.generation} in {times}"
    if reloaded.result == "kept":
        return f"not taken over; kept the last good generation {reloaded.generation} ({times})"
    return f"not loaded ({times})"


def _state_line(state: PackageState) -> str:
    if state.generation is None:
        return f"{state.plugin_id}: {_NOT_LOADED.get(state.status, state.status)}"
    return f"{state.plugin_id}: generation {state.generation.number}, {brought(state)}"


def _problems_text(state: PackageState, *, colour: bool) -> str:
    shown = [found for found in state.diagnostics if found.severity != "info"]
    return format_full(shown, sources=texts_of(state.reading), colour=colour)


def _change_json(change: Change) -> dict[str, object]:
    return {
        "kind": change.kind,
        "name": change.name,
        "event": change.event,
        "details": list(change.details),
    }
