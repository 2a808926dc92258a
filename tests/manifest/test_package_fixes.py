"""Fixing a package ends, changes nothing the second time, and leaves sound packages alone."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.diagnostics.fixes import fixable
from covel_host.manifest.package_fixes import fix_package, plan_package
from covel_host.manifest.validation import validate_folder

CASES = sorted((Path(__file__).parents[1] / "cases" / "manifests").iterdir())


def contents(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def errors_of(root: Path) -> set[tuple[str, str, str]]:
    return {
        (found.name, found.file, found.path)
        for found in validate_folder(root).diagnostics
        if found.severity == "error"
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_fixing_a_case_ends_and_is_done_once(case: Path, tmp_path: Path) -> None:
    root = tmp_path / case.name
    shutil.copytree(case, root, ignore=shutil.ignore_patterns("expect.json"))
    before = contents(root)
    errors = errors_of(root)
    outcome = fix_package(root)
    assert outcome.not_written == ()
    once = contents(root)
    after = validate_folder(root).diagnostics
    assert fixable(after) == 0
    assert fix_package(root).fixed == ()
    assert contents(root) == once
    if not outcome.fixed:
        assert once == before
    if json.loads((case / "expect.json").read_text(encoding="utf-8"))["valid"]:
        # A note may be fixed; an error never comes from fixing.
        assert errors_of(root) <= errors
    repaired = {(found.name, found.file, found.path) for found in outcome.fixed}
    assert not repaired & {(found.name, found.file, found.path) for found in after}


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    root = tmp_path / "moss-ledger"
    root.mkdir()
    (root / "PLUGIN.md").write_text("---\ndescription: a: b\n---\n", encoding="utf-8")
    before = contents(root)
    (change,) = plan_package(validate_folder(root)).changes
    assert change.after == '---\ndescription: "a: b"\n---\n'
    assert contents(root) == before


def test_of_two_packages_with_one_id_each_is_fixed_by_itself(tmp_path: Path) -> None:
    for folder, text in (("one", "a: b"), ("two", "c: d")):
        root = tmp_path / folder / "moss-ledger"
        root.mkdir(parents=True)
        (root / "PLUGIN.md").write_text(f"---\ndescription: {text}\n---\n", encoding="utf-8")
    fix_package(tmp_path / "two" / "moss-ledger")
    assert b"description: a: b" in contents(tmp_path / "one")["moss-ledger/PLUGIN.md"]
    assert b'description: "c: d"' in contents(tmp_path / "two")["moss-ledger/PLUGIN.md"]


def test_label_files_are_fixed_like_manifests(tmp_path: Path) -> None:
    root = tmp_path / "moss-ledger"
    (root / "locales").mkdir(parents=True)
    (root / "PLUGIN.md").write_text("---\ndescription: x\n---\n", encoding="utf-8")
    (root / "locales" / "zh.yaml").write_text(
        "PLUGIN.md:\n  description: 草药: 清单 # 一\n", encoding="utf-8"
    )
    assert [found.file for found in fix_package(root).fixed] == ["locales/zh.yaml"]
    assert contents(root)["locales/zh.yaml"].decode("utf-8") == (
        'PLUGIN.md:\n  description: "草药: 清单" # 一\n'
    )


def test_a_package_under_another_folder_name_is_fixed(tmp_path: Path) -> None:
    (tmp_path / "PLUGIN.md").write_text("---\ndescription: a: b\n---\n", encoding="utf-8")
    outcome = fix_package(tmp_path, plugin_id="moss-ledger")
    assert [found.plugin for found in outcome.fixed] == ["moss-ledger"]


MANIFESTS = [
    file.read_bytes().decode("utf-8")
    for case in CASES
    for file in sorted(case.rglob("*.md"))
    if file.name in ("PLUGIN.md", "RUNTIME.md")
]
MUTATIONS = ("", "\n", " ", "\t", ": ", "- ", "no", "1.1", '"', "'", " # kept", "&a ", "*a", "\r")


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.sampled_from(MANIFESTS),
    places=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(MUTATIONS)), max_size=4),
    length=st.integers(0, 3),
    name=st.sampled_from(["PLUGIN.md", "runtimes/a/RUNTIME.md", "Plugin.md"]),
)
def test_whatever_a_manifest_looks_like_fixing_it_ends(
    text: str,
    places: list[tuple[float, str]],
    length: int,
    name: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    for at, put in places:
        start = int(at * len(text))
        text = text[:start] + put + text[start + length :]
    root = tmp_path_factory.mktemp("x") / "moss-ledger"
    (root / name).parent.mkdir(parents=True)
    (root / name).write_bytes(text.encode("utf-8"))
    comments = text.count(" # kept")
    assert fix_package(root).not_written == ()
    once = contents(root)
    assert fix_package(root).fixed == ()
    assert contents(root) == once
    assert sum(data.count(b" # kept") for data in once.values()) == comments
