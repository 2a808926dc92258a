"""The rings and private modules, checked on the syntax trees (design: three rings, floors)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HOST = ROOT / "covel_host"
PACKAGE_FOLDERS = (ROOT / "builtin_plugins", ROOT / "templates")


def imported_modules(source: str) -> Iterator[str]:
    """Dotted names that `source` imports, `from a import b` giving both `a` and `a.b`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def kernel_imports(source: str) -> list[str]:
    return [name for name in imported_modules(source) if name.split(".")[0] == "covel_host"]


def private_imports(source: str, *, room: str) -> list[str]:
    """Imports of private modules and names: those of other rooms, and those of the SDK."""
    found = []
    for name in imported_modules(source):
        top, *parts = name.split(".")
        is_foreign = top == "plugin_sdk" or (top == "covel_host" and parts[:1] != [room])
        inside = parts if top == "plugin_sdk" else parts[1:]
        if is_foreign and any(part.startswith("_") for part in inside):
            found.append(name)
    return found


@pytest.mark.parametrize("folder", PACKAGE_FOLDERS, ids=lambda folder: folder.name)
def test_packages_import_the_sdk_and_nothing_else_of_ours(folder: Path) -> None:
    wrong = {
        str(path.relative_to(ROOT)): kernel_imports(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.py"))
    }
    assert {path: names for path, names in wrong.items() if names} == {}


def test_private_modules_stay_in_their_room() -> None:
    wrong = {}
    for path in sorted(HOST.rglob("*.py")):
        room = path.relative_to(HOST).parts[0].removesuffix(".py")
        if names := private_imports(path.read_text(encoding="utf-8"), room=room):
            wrong[str(path.relative_to(ROOT))] = names
    assert wrong == {}


@pytest.mark.parametrize(
    "source",
    [
        "import covel_host",
        "from covel_host.store import sessions",
        "def late():\n    import covel_host.base.errors",
        "if True:\n    from covel_host import host",
    ],
)
def test_an_import_of_the_kernel_is_seen_wherever_it_stands(source: str) -> None:
    assert kernel_imports(source)


def test_a_private_import_is_seen() -> None:
    assert private_imports("from covel_host.store import _sql", room="turn")
    assert private_imports("from covel_host.store._sql import run", room="turn")
    assert private_imports("from plugin_sdk.rules._json import json_copy", room="turn")
    assert not private_imports("from covel_host.store import _sql", room="store")
    assert not private_imports("from covel_host.store import sessions", room="turn")


def test_every_room_says_what_it_holds() -> None:
    rooms = [path for path in sorted(HOST.iterdir()) if (path / "__init__.py").exists()]
    silent = [
        room.name
        for room in rooms
        if not ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    ]
    assert rooms
    assert silent == []
