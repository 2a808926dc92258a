"""What counts as a package, which one wins, and what is said about the rest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from covel_host.catalog.discovery import Discovery, FoundPackage, discover
from covel_host.catalog.folders import PluginFolder

HEAVY = (
    "sqlalchemy",
    "pydantic_ai",
    "openai",
    "rich",
    "jsonschema_rs",
    "alembic",
    "asyncio",
    "httpx",
    "click",
)


def make(folder: Path, *files: str) -> Path:
    for file in files:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("---\ndescription: x\n---\n", encoding="utf-8")
    return folder


def discover_in(folder: Path) -> Discovery:
    return discover([PluginFolder(folder, "community")])


def ids(discovery: Discovery) -> list[str]:
    return [found.plugin_id for found in discovery.packages]


def test_packages_come_in_order_of_folder_and_name(tmp_path: Path) -> None:
    make(tmp_path / "bundled", "tide/PLUGIN.md", "herbs/PLUGIN.md")
    make(tmp_path / "user", "atlas/PLUGIN.md")
    bundled = PluginFolder(tmp_path / "bundled", "builtin")
    user = PluginFolder(tmp_path / "user", "community")
    discovery = discover([bundled, user])
    assert ids(discovery) == ["herbs", "tide", "atlas"]
    assert [found.source for found in discovery.packages] == ["builtin", "builtin", "community"]
    assert discovery.packages[2] == FoundPackage(
        "atlas", tmp_path / "user" / "atlas", "community", tmp_path / "user"
    )
    assert discovery.diagnostics == ()


@pytest.mark.parametrize(
    ("files", "is_package"),
    [
        (["PLUGIN.md"], True),
        (["PLUGIN.md", "runtimes/a/RUNTIME.md"], True),
        (["runtimes/a/RUNTIME.md"], True),
        (["runtimes/a/notes.txt"], True),
        (["README.md"], False),
        (["plugin.md"], False),
        (["inner/PLUGIN.md"], False),
        (["PLUGIN.md/x"], True),
        (["runtimes"], False),
        (["PLUGIN.md", "PLUGIN.md.disabled"], False),
        (["runtimes/a/RUNTIME.md", "PLUGIN.md.disabled"], False),
        (["PLUGIN.md", "PLUGIN.md.disabled/x"], True),
    ],
)
def test_a_package_is_known_by_its_files(
    files: list[str], is_package: bool, tmp_path: Path
) -> None:
    make(tmp_path / "herbs", *files)
    discovery = discover_in(tmp_path)
    assert ids(discovery) == (["herbs"] if is_package else [])
    assert discovery.diagnostics == ()


def test_names_with_a_dot_and_files_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path, ".hidden/PLUGIN.md", "PLUGIN.md", "notes.txt")
    assert discover_in(tmp_path) == Discovery((), ())


def test_a_link_to_a_folder_is_a_package_under_its_own_name(tmp_path: Path) -> None:
    checkout = make(tmp_path / "elsewhere" / "checkout", "PLUGIN.md")
    plugins = tmp_path / "plugins"
    plugins.mkdir()
    (plugins / "herbs").symlink_to(checkout)
    (found,) = discover_in(plugins).packages
    assert (found.plugin_id, found.root) == ("herbs", plugins / "herbs")


@pytest.mark.parametrize("target", ["gone", "herbs"])
def test_a_link_that_leads_nowhere_is_a_warning(target: str, tmp_path: Path) -> None:
    make(tmp_path, "tide/PLUGIN.md")
    (tmp_path / "herbs").symlink_to(tmp_path / target)
    discovery = discover_in(tmp_path)
    assert ids(discovery) == ["tide"]
    (warning,) = discovery.diagnostics
    assert (warning.name, warning.severity, warning.plugin) == ("dangling-link", "warning", "herbs")


def test_a_link_to_a_file_is_passed_over_in_silence(tmp_path: Path) -> None:
    make(tmp_path, "notes.txt")
    (tmp_path / "herbs").symlink_to(tmp_path / "notes.txt")
    assert discover_in(tmp_path) == Discovery((), ())


def test_the_first_package_of_an_id_wins_and_the_later_one_is_named(tmp_path: Path) -> None:
    make(tmp_path / "bundled", "herbs/PLUGIN.md")
    make(tmp_path / "user", "herbs/PLUGIN.md", "tide/PLUGIN.md")
    discovery = discover(
        [
            PluginFolder(tmp_path / "bundled", "builtin"),
            PluginFolder(tmp_path / "user", "community"),
        ]
    )
    assert ids(discovery) == ["herbs", "tide"]
    assert discovery.packages[0].source == "builtin"
    (collision,) = discovery.diagnostics
    assert (collision.name, collision.plugin) == ("duplicate-package", "herbs")
    assert str(tmp_path / "user") in collision.message
    assert str(tmp_path / "bundled") in collision.message


def test_a_disabled_package_hides_nothing(tmp_path: Path) -> None:
    make(tmp_path / "bundled", "herbs/PLUGIN.md", "herbs/PLUGIN.md.disabled")
    make(tmp_path / "user", "herbs/PLUGIN.md")
    discovery = discover(
        [
            PluginFolder(tmp_path / "bundled", "builtin"),
            PluginFolder(tmp_path / "user", "community"),
        ]
    )
    assert [found.source for found in discovery.packages] == ["community"]
    assert discovery.diagnostics == ()


def test_folders_that_do_not_exist_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "file")
    for path in (tmp_path / "gone", tmp_path / "file"):
        assert discover_in(path) == Discovery((), ())


def test_one_package_of_a_folder_can_be_asked_for(tmp_path: Path) -> None:
    make(tmp_path, "herbs/PLUGIN.md", "tide/PLUGIN.md")
    (tmp_path / "atlas").symlink_to(tmp_path / "gone")
    discovery = discover([PluginFolder(tmp_path, "community", only="tide")])
    assert ids(discovery) == ["tide"]
    assert discovery.diagnostics == ()


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
def test_a_name_that_is_not_utf8_can_be_shown(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path) + b"/herb\xe9"
    os.mkdir(raw)
    with open(raw + b"/PLUGIN.md", "wb") as manifest:
        manifest.write(b"")
    (found,) = discover_in(tmp_path).packages
    assert found.plugin_id == "herb\ufffd"
    assert found.root.exists()


def test_no_file_is_opened_and_each_folder_is_listed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"herbs-{number}" for number in range(30)]
    make(tmp_path, *(f"{name}/PLUGIN.md" for name in names))
    listed: list[str] = []
    scandir = os.scandir

    def counted(path: str | Path) -> object:
        listed.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    monkeypatch.setattr("builtins.open", None)
    assert len(discover_in(tmp_path).packages) == 30
    assert len(listed) == 31


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("covel_host.catalog.discovery", ("pydantic", "yaml", "frontmatter", "orjson")),
        ("covel_host.manifest.package", ("difflib", "pluggy")),
    ],
)
def test_light_modules_stay_light(module: str, forbidden: tuple[str, ...]) -> None:
    script = (
        f"import sys, {module}; "
        f"print([name for name in {HEAVY + forbidden!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_what_is_passed_over_is_told(tmp_path: Path) -> None:
    make(tmp_path / "bundled", "herbs/PLUGIN.md", "moss/PLUGIN.md", "stone/README.md")
    make(tmp_path / "user", "moss/PLUGIN.md", "lichen/PLUGIN.md", "lichen/PLUGIN.md.disabled")
    off = frozenset({"moss", "stone", "unknown"})
    discovery = discover(
        [
            PluginFolder(tmp_path / "bundled", "builtin", disabled=off),
            PluginFolder(tmp_path / "user", "community"),
            PluginFolder(tmp_path / "user", "community", only="lichen"),
        ]
    )
    assert [(found.plugin_id, found.source) for found in discovery.packages] == [
        ("herbs", "builtin"),
        ("moss", "community"),
    ]
    assert [(found.plugin_id, found.source) for found in discovery.disabled] == [
        ("moss", "builtin"),
        ("lichen", "community"),
    ]
    assert discovery.diagnostics == ()
