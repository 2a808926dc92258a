"""Small packages beside the conformance ones: each breaks one rule, or just does not.

A case about a runtime is tried in both places a runtime can be written: inline in `PLUGIN.md`,
where paths begin with `runtime.`, and in a `RUNTIME.md`.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from covel_host.manifest.validation import Validation, validate_folder

PLUGIN_ID = "moss-ledger"
DESCRIPTION = "description: Counts herbs."
# Placeholders register nothing; cases about code look for these themselves.
PLACEHOLDER_WARNINGS = ("function-not-found", "registration-not-seen")


@dataclass(frozen=True)
class Case:
    """One package and the problems it has, as (path, name); none for a near miss.

    `rule` is where the rule is stated. `runtime` and `root` are YAML. Paths of runtime problems
    are relative to the runtime; one that begins with `/` is from the top of `PLUGIN.md`.
    """

    id: str
    rule: str
    runtime: str = ""
    root: str = ""
    expect: Sequence[tuple[str, str]] = ()
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    mentions: Sequence[str] = ()


def params(cases: Sequence[Case]) -> list[Any]:
    """Each case in each of its forms, for `parametrize`."""
    found = []
    for case in cases:
        for form in ("inline", "file") if case.runtime else ("root",):
            found.append(pytest.param(case, form, id=f"{case.id}-{form}"))
    return found


def check(case: Case, form: str, place: Path) -> Validation:
    """Validates the package of `case`; its problems are exactly the expected ones."""
    validation = validate_folder(make(case, form, place))
    problems = [
        found for found in validation.diagnostics if found.name not in PLACEHOLDER_WARNINGS
    ]
    told = "\n".join(found.message for found in problems)
    assert sorted((found.file, found.path, found.name) for found in problems) == sorted(
        (*_place(path, form), name) for path, name in case.expect
    ), told
    for text in case.mentions:
        assert text in told + "".join(found.hint or "" for found in problems)
    return validation


def make(case: Case, form: str, place: Path) -> Path:
    """The folder of the package, written below `place`."""
    folder = place / PLUGIN_ID
    root = textwrap.dedent(case.root).strip("\n")
    if "description:" not in root:
        root = f"{DESCRIPTION}\n{root}"
    runtime = textwrap.dedent(case.runtime).strip("\n")
    if form == "inline":
        root += "\nruntime:\n" + textwrap.indent(runtime, "  ")
    elif form == "file":
        write(folder / "runtimes/a/RUNTIME.md", f"---\n{runtime}\n---\nCount.\n")
    write(folder / "PLUGIN.md", f"---\n{root}\n---\nNotes.\n")
    for name, content in case.files.items():
        write(folder / name, content)
    return folder


def write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))


def _place(path: str, form: str) -> tuple[str, str]:
    file, separator, inner = path.partition("#")
    if separator:
        return file, inner
    if path.startswith("/") or form == "root":
        return "PLUGIN.md", path.removeprefix("/")
    if form == "inline":
        return "PLUGIN.md", f"runtime.{path}"
    return "runtimes/a/RUNTIME.md", path
