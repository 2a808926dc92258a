"""Small packages beside the conformance ones: each breaks one rule, or just does not.

They lie in `cases/*.yaml`. A case about a runtime is tried in both places a runtime can be written:
inline in `PLUGIN.md`, where paths begin with `runtime.`, and in a `RUNTIME.md`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from covel_host.manifest.validation import Validation, validate_folder
from tests.vectors import expand

CASES = Path(__file__).parent / "cases"
PLUGIN_ID = "moss-ledger"
# Code of most cases is a placeholder that registers nothing; cases about code expect these.
PLACEHOLDER_WARNINGS = ("function-not-found", "registration-not-seen")


@dataclass(frozen=True)
class Case:
    """One package and the problems it has, each `<path> <name>`; none for a near miss.

    `rule` is where the rule is stated. `runtime` and `root` are YAML, `body` the text of the
    runtime. Paths of runtime problems are relative to the runtime; one that begins with `/` is
    from the top of `PLUGIN.md`, and `file#path` lies in another file. `only` is a form (`inline`
    or `file`) where the case makes sense in one alone.
    """

    id: str
    rule: str
    runtime: str = ""
    root: str = ""
    expect: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    mentions: Sequence[str] = ()
    only: str = ""
    body: str = "Count."

    @property
    def forms(self) -> tuple[str, ...]:
        """The places in which the case is tried."""
        if not self.runtime:
            return ("root",)
        return (self.only,) if self.only else ("inline", "file")


def load_cases() -> list[Case]:
    """All cases, in the order of their files."""
    found: list[Case] = []
    for file in sorted(CASES.glob("*.yaml")):
        items: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
        found += [Case(**{**item, "files": expand(item.get("files", {}))}) for item in items]
    return found


def params(cases: Sequence[Case]) -> list[Any]:
    """Each case in each of its forms, for `parametrize`."""
    return [
        pytest.param(case, form, id=f"{case.id}-{form}") for case in cases for form in case.forms
    ]


def check(case: Case, form: str, place: Path) -> Validation:
    """Validates the package of `case`; its problems are exactly the expected ones."""
    validation = validate_folder(make(case, form, place))
    expected = [(*_place(path, form), name) for path, _, name in map(_parts, case.expect)]
    looked_for = {name for _, _, name in expected}
    problems = [
        found
        for found in validation.diagnostics
        if found.name not in PLACEHOLDER_WARNINGS or found.name in looked_for
    ]
    told = "\n".join(f"{found.message} {found.hint or ''}" for found in problems)
    found_places = [(found.file, found.path, found.name) for found in problems]
    assert sorted(found_places) == sorted(expected), told
    for text in case.mentions:
        assert text in told
    return validation


def make(case: Case, form: str, place: Path) -> Path:
    """The folder of the package, written below `place`."""
    folder = place / PLUGIN_ID
    root = case.root
    if not any(line.startswith("description:") for line in root.splitlines()):
        root = f"description: Counts herbs.\n{root}"
    if form == "inline":
        root += "runtime:\n" + "".join(f"  {line}\n" for line in case.runtime.splitlines())
    elif form == "file":
        write(folder / "runtimes/a/RUNTIME.md", f"---\n{case.runtime}---\n{case.body}\n")
    write(folder / "PLUGIN.md", f"---\n{root}---\n{case.body}\n")
    for name, content in case.files.items():
        if form == "file" or not name.startswith("runtimes/a/") or not case.runtime:
            write(folder / name, content)
    return folder


def write(file: Path, content: str) -> None:
    """Writes a text file and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode("utf-8"))


def _parts(expected: str) -> tuple[str, str, str]:
    return expected.rpartition(" ")


def _place(path: str, form: str) -> tuple[str, str]:
    file, separator, inner = path.partition("#")
    if separator:
        return file, inner
    if path.startswith("/") or form == "root":
        return "PLUGIN.md", path.removeprefix("/")
    if form == "inline":
        return "PLUGIN.md", f"runtime.{path}"
    return "runtimes/a/RUNTIME.md", path
