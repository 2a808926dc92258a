"""Light commands import little: a slow start is felt on every call."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.support import copy_echo

HEAVY = (
    "alembic",
    "asyncio",
    "httpx",
    "jsonschema",
    "jsonschema_rs",
    "logging",
    "openai",
    "packaging",
    "pluggy",
    "pydantic_ai",
    "rich",
    "sqlalchemy",
)
_HOST_ROOMS = ("host", "models", "runtime", "schemas", "store", "tools", "turn")
_PRINT_MODULES = """
import json, sys
from covel_host.cli.app import run
code = run(sys.argv[1:])
print(json.dumps([code, sorted(sys.modules)]), file=sys.stderr)
"""


def imported_by(home: Path, *arguments: str) -> set[str]:
    """Modules in the process after the command, which must succeed."""
    done = subprocess.run(
        [sys.executable, "-c", _PRINT_MODULES, *arguments],
        env={**os.environ, "COVEL_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    code, modules = json.loads(done.stderr.splitlines()[-1])
    assert code == 0
    return set(modules)


@pytest.mark.parametrize(
    "command",
    [("plugins", "list"), ("plugins", "list", "--json"), ("validate-plugin", "plugins/echo-demo")],
    ids=" ".join,
)
def test_reading_commands_import_neither_host_nor_heavy_libraries(
    home: Path, plugins: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    copy_echo(plugins)
    monkeypatch.chdir(home)
    modules = imported_by(home, *command)
    assert modules.isdisjoint(HEAVY)
    assert not [name for name in modules if name.startswith(_rooms())]


@pytest.mark.parametrize(
    "command", [("--help",), ("version",), ("run", "--help"), ("plugins", "--help")], ids=" ".join
)
def test_help_and_version_read_no_manifest_machinery(home: Path, command: tuple[str, ...]) -> None:
    modules = imported_by(home, *command)
    assert modules.isdisjoint((*HEAVY, "pydantic", "yaml", "frontmatter"))
    assert not [name for name in modules if name.startswith((*_rooms(), "covel_host.manifest"))]


def test_nothing_of_a_listed_package_is_imported(home: Path, plugins: Path) -> None:
    package = copy_echo(plugins)
    (package / "server" / "index.py").write_text("raise SystemExit('imported')\n")
    imported_by(home, "plugins", "list")
    imported_by(home, "plugins", "show", "echo-demo")
    imported_by(home, "validate-plugin", str(package))


def test_sessions_need_no_models_and_no_host(home: Path) -> None:
    modules = imported_by(home, "sessions", "list")
    assert modules.isdisjoint(("alembic", "pydantic_ai", "openai", "rich"))


def _rooms() -> tuple[str, ...]:
    return tuple(f"covel_host.{room}" for room in _HOST_ROOMS)
