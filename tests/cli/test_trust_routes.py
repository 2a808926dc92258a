"""Every route that loads code, tried with a package whose code writes a file when it runs.

The routes: run, turn, tools, doctor, plugins list --load, plugins show --load, rpc, mcp, dev; the
ones that must never load: plan, plugins list, plugins show, plugins resolve, validate-plugin,
trust, install, enable and disable, new.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from covel_host.cli.app import COMMANDS
from tests.cli.support import SCRIPT, Covel, write_package

MARKER = "open({path!r}, 'w').close()\n"

ENTRY = """---
description: Marks.
contributes:
  tools: [mark]
runtime:
  schedule: { trigger: { type: manual } }
  agent:
    tools: { plugin: [mark] }
---
Mark.
"""
FUNCTION = """---
description: Marks.
runtime:
  schedule: { trigger: { type: manual } }
  function: { handler: ./work.py }
---
"""
GUARD = """---
description: Marks.
runtime:
  schedule: { trigger: { type: manual } }
  guard: ./work.py
---
Mark.
"""
KINDS = {"by-entry": ENTRY, "by-function": FUNCTION, "by-guard": GUARD}

LOADING = (
    ("run", "{id}", "--model", "offline"),
    ("run", "{path}", "--model", "offline"),
    ("run", "{id}", "--model", "offline", "--json"),
    ("tools",),
    ("tools", "{id}"),
    ("tools", "{path}", "--json"),
    ("doctor",),
    ("plugins", "list", "--load"),
    ("plugins", "show", "{id}", "--load"),
    ("rpc", "new", "{id}", "mark"),
    ("mcp", "{id}", "--json"),
    ("test-runtime", "{id}"),
    ("test-runtime", "{path}"),
)
READING = (
    ("plugins", "list"),
    ("plugins", "show", "{id}"),
    ("plugins", "resolve", "{id}"),
    ("validate-plugin", "{path}"),
    ("validate-plugin", "{path}", "--fix"),
    ("trust", "list"),
    ("trust", "grant", "{id}"),
    ("trust", "grant", "{id}", "--yes"),
    ("install", "{path}", "--id", "another"),
    ("plugins", "disable", "{id}"),
)
ELSEWHERE = {
    "answer",
    "db",
    "explain",
    "jobs",
    "models",
    "new",
    "play",
    "replay",
    "schema",
    "sessions",
    "suspensions",
    "test",
    "trace",
    "uninstall",
    "validate-world",
    "version",
}
"""Commands that are given no package, or remove it; those that load do so as `rpc` does."""


@pytest.fixture
def marker(plugins: Path, tmp_path: Path) -> Path:
    """A file that is there once code of a package ran."""
    path = tmp_path / "ran"
    for plugin_id, manifest in KINDS.items():
        package = write_package(plugins, plugin_id, manifest)
        code = MARKER.format(path=str(path))
        (package / "work.py").write_text(code, encoding="utf-8")
        if plugin_id == "by-entry":
            (package / "server").mkdir()
            (package / "server" / "index.py").write_text(code, encoding="utf-8")
    return path


def filled(command: tuple[str, ...], plugins: Path, plugin_id: str) -> list[str]:
    return [word.format(id=plugin_id, path=plugins / plugin_id) for word in command]


@pytest.mark.parametrize("plugin_id", KINDS)
@pytest.mark.parametrize("command", LOADING, ids=" ".join)
def test_no_route_runs_code_that_nobody_approved(
    covel: Covel, plugins: Path, marker: Path, plugin_id: str, command: tuple[str, ...]
) -> None:
    done = covel(*filled(command, plugins, plugin_id))
    assert done.code in (0, 1)
    assert not marker.exists()


@pytest.mark.parametrize("command", LOADING, ids=" ".join)
def test_the_same_routes_run_what_was_approved(
    covel: Covel, plugins: Path, marker: Path, command: tuple[str, ...]
) -> None:
    covel("trust", "grant", "by-entry", "--yes")
    assert not marker.exists()
    covel(*filled(command, plugins, "by-entry"))
    assert marker.exists()


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_reading_routes_run_nothing_even_of_what_is_trusted(
    covel: Covel,
    plugins: Path,
    marker: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    monkeypatch.setenv("COVEL_TRUST", " ".join(KINDS))
    for plugin_id in KINDS:
        covel(*filled(command, plugins, plugin_id))
        shutil.rmtree(plugins / "another", ignore_errors=True)
    assert not marker.exists()


@pytest.mark.parametrize("has_grant", [False, True])
def test_dev_runs_in_the_users_folder_only_what_was_approved(
    covel: Covel, plugins: Path, marker: Path, has_grant: bool
) -> None:
    if has_grant:
        covel("trust", "grant", "by-entry", "--yes")
    lines = "".join(f"r {plugin_id}\n" for plugin_id in KINDS)
    done = subprocess.run(
        [SCRIPT, "dev", "--model", "offline"],
        input=f"{lines}q\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert marker.exists() is has_grant


@pytest.mark.parametrize("has_grant", [False, True])
def test_a_turn_runs_only_what_was_approved_and_its_plan_nothing(
    covel: Covel, plugins: Path, marker: Path, has_grant: bool
) -> None:
    if has_grant:
        covel("trust", "grant", "by-entry", "--yes")
    made = covel("sessions", "new", "--with", "by-entry", "--json")
    session_id = json.loads(made.out)["sessionId"]
    # Its hooks may hear of the new session.
    assert marker.exists() is has_grant
    marker.unlink(missing_ok=True)
    assert covel("plan", session_id).code == 0
    assert not marker.exists()
    covel("turn", session_id, "Hello.", "--model", "offline")
    assert marker.exists() is has_grant


def test_every_command_is_a_loading_route_a_reading_one_or_neither() -> None:
    tried = {command[0] for command in (*LOADING, *READING)} | {"dev", "plan", "turn"}
    assert tried | ELSEWHERE == set(COMMANDS)
