"""Every example has the problem it shows, and its right form has no problem of shape."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from covel_host.diagnostics.code_info import CodeInfo
from covel_host.diagnostics.code_table import ALL_CODES
from covel_host.diagnostics.codes import CODES_BY_NAME
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.explain import EXAMPLES
from covel_host.manifest.package import read_package
from covel_host.manifest.validation import validate_folder


def manifest_text(example: str) -> str:
    """One text of an example as a whole `PLUGIN.md`."""
    if example.startswith(("---", "# ")):
        return example
    given = any(line.startswith("description:") for line in example.splitlines())
    description = "" if given else "description: Counts herbs.\n"
    return f"---\n{description}{example}---\n"


def package(text: str, folder: Path) -> Path:
    root = folder / "moss-ledger"
    root.mkdir()
    (root / "PLUGIN.md").write_text(manifest_text(text), encoding="utf-8")
    return root


def names(diagnostics: Iterable[Diagnostic]) -> set[str]:
    return {found.name for found in diagnostics}


def severe(names: set[str]) -> set[str]:
    return {name for name in names if CODES_BY_NAME[name].severity == "error"}


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_wrong_form_has_the_problem(name: str, tmp_path: Path) -> None:
    root = package(EXAMPLES[name].wrong, tmp_path)
    assert name in names(validate_folder(root).diagnostics)


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_the_right_form_has_none(name: str, tmp_path: Path) -> None:
    root = package(EXAMPLES[name].right, tmp_path)
    assert name not in names(validate_folder(root).diagnostics)
    # Files that a right example names are not there, so the manifest alone is judged.
    assert severe(names(read_package(root).diagnostics)) == set()


# What no manifest alone shows: bytes, limits, folder names, and files of their own.
WITHOUT_EXAMPLE = {
    "yaml-control-character",
    "yaml-too-deep",
    "yaml-too-large",
    "id-malformed",
    "too-many-problems",
}


@pytest.mark.parametrize(
    "info", [info for info in ALL_CODES if info.code[3] in "01"], ids=lambda info: info.name
)
def test_every_code_of_yaml_and_shape_has_an_example(info: CodeInfo) -> None:
    if info.name.startswith("file-") or info.name in WITHOUT_EXAMPLE:
        return
    assert info.name in EXAMPLES
