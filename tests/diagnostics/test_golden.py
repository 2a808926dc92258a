"""Every kind of problem these rooms report has a bad package and the exact text shown for it."""

import ast
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.diagnostics.code_table import ALL_CODES
from covel_host.diagnostics.codes import CODES_BY_NAME
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.file_text import MAX_FILE_BYTES
from covel_host.diagnostics.formats import format_full, format_json
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.package import read_package
from covel_host.manifest.validation import Validation, validate_folder, validate_package

REPOSITORY = Path(__file__).parents[2]
GOLDEN = REPOSITORY / "tests" / "golden" / "diagnostics"
# Rooms and modules whose problems are checked here; other rooms bring their own golden folders.
REPORTING = (
    "diagnostics/*.py",
    "manifest/*.py",
    "manifest/rules/*.py",
    "catalog/discovery.py",
    "catalog/folders.py",
)
# The table and its examples; and what a version does not serve, which is a matter of loading.
NOT_LOOKED_AT = ("code_table", "code_examples", "served")
# `UPDATE_GOLDEN=1 pytest …` rewrites the expected texts; the diff is then reviewed.
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


def package(plugins: Path, name: str = "moss-ledger") -> Path:
    folder = plugins / name
    folder.mkdir(parents=True)
    (folder / "PLUGIN.md").write_text("---\ndescription: Counts herbs.\n---\n", encoding="utf-8")
    return folder


def unlistable(plugins: Path) -> list[PluginFolder]:
    package(plugins)
    return [PluginFolder(plugins / ("long-name-" * 30), "community")]


def huge(plugins: Path) -> list[PluginFolder]:
    with (package(plugins) / "PLUGIN.md").open("ab") as manifest:
        manifest.truncate(MAX_FILE_BYTES + 1)
    return [PluginFolder(plugins, "community")]


def hopeless(plugins: Path) -> list[PluginFolder]:
    fields = "".join(f"field{number}: x\n" for number in range(300))
    manifest = package(plugins) / "PLUGIN.md"
    manifest.write_text(f"---\ndescription: x\n{fields}---\n", encoding="utf-8")
    return [PluginFolder(plugins, "community")]


def dangling(plugins: Path) -> list[PluginFolder]:
    plugins.mkdir()
    (plugins / "moss-ledger").symlink_to(plugins / "gone")
    return [PluginFolder(plugins, "community")]


def twice(plugins: Path) -> list[PluginFolder]:
    package(plugins / "bundled")
    package(plugins / "user")
    return [
        PluginFolder(plugins / "bundled", "builtin"),
        PluginFolder(plugins / "user", "community"),
    ]


# Packages that cannot lie in version control as they are.
MADE: dict[str, Callable[[Path], list[PluginFolder]]] = {
    "file-too-large": huge,
    "duplicate-package": twice,
    "dangling-link": dangling,
    "too-many-problems": hopeless,
    "folder-unreadable": unlistable,
}


def found_in(name: str, tmp_path: Path) -> tuple[list[Diagnostic], dict[str, Validation]]:
    plugins = tmp_path / "plugins"
    if name == "file-unreadable":
        validation = validate_folder(plugins / "moss-ledger")
        return list(validation.diagnostics), {validation.reading.plugin_id: validation}
    if name in MADE:
        folders = MADE[name](plugins)
    else:
        shutil.copytree(GOLDEN / name / "plugins", plugins)
        folders = [PluginFolder(plugins, "community")]
    discovery = discover(folders)
    validations = {
        found.plugin_id: validate_package(read_package(found.root, plugin_id=found.plugin_id))
        for found in discovery.packages
    }
    problems = list(discovery.diagnostics)
    for validation in validations.values():
        problems += validation.diagnostics
    return problems, validations


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_a_bad_package_is_reported_in_these_words(name: str, tmp_path: Path) -> None:
    if name == "folder-unreadable" and os.name == "nt":
        pytest.skip("needs a file system that refuses long names")
    problems, validations = found_in(name, tmp_path)
    if name == "too-many-problems":
        problems = [problem for problem in problems if problem.name == name]

    def source(plugin: str, file: str) -> SourceText | None:
        return validations[plugin].source(file) if plugin in validations else None

    text = format_full(problems, sources=source)
    document = json.loads(format_json(problems, packages=len(validations)))
    shown = {
        "expected.txt": text,
        "expected.json": json.dumps(document, indent=2, ensure_ascii=False) + "\n",
    }
    assert name in {problem.name for problem in problems}
    for file, written in shown.items():
        expected = GOLDEN / name / file
        portable = written.replace(str(tmp_path), "<tmp>")
        if UPDATE:
            expected.write_text(portable, encoding="utf-8")
        assert portable == expected.read_text(encoding="utf-8")


def test_every_kind_of_problem_reported_here_has_a_golden_folder() -> None:
    named = set()
    for pattern in REPORTING:
        for module in (REPOSITORY / "covel_host").glob(pattern):
            if module.name.startswith(NOT_LOOKED_AT):
                continue
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and node.value in CODES_BY_NAME:
                    named.add(node.value)
    assert named == {path.name for path in GOLDEN.iterdir()} & named
    assert {path.name for path in GOLDEN.iterdir()} <= {info.name for info in ALL_CODES}
