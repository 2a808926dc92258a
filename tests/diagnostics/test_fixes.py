"""Fixes repair what they claim to, touch nothing else, and are made once."""

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, FileRename, Fix
from covel_host.diagnostics.fix_diff import diff_text
from covel_host.diagnostics.fix_files import settle, write_fixes
from covel_host.diagnostics.fixes import FixPlan, apply_edits, fixable, plan_fixes
from covel_host.diagnostics.source import SourceText
from covel_host.manifest.frontmatter import read_frontmatter
from covel_host.manifest.model_reading import read_model
from covel_host.manifest.package import read_package
from covel_host.manifest.root_manifest import RootManifest

GOLDEN = Path(__file__).parents[1] / "golden" / "fixes"
# `UPDATE_GOLDEN=1 pytest …` rewrites the folders `after`; the diff is then reviewed.
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
PLUGIN = "moss-ledger"


def planned(root: Path) -> FixPlan:
    reading = read_package(root, plugin_id=PLUGIN)
    return plan_fixes(reading.diagnostics, sources=lambda plugin, file: reading.source(file))


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def fixed_copy(folder: Path, place: Path) -> Path:
    root = place / PLUGIN
    shutil.copytree(folder, root)
    outcome = settle(lambda: planned(root), roots={PLUGIN: root})
    assert outcome.not_written == ()
    assert outcome.fixed
    return root


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_a_fixed_package_is_this_one_and_valid(name: str, tmp_path: Path) -> None:
    before, after = GOLDEN / name / "before", GOLDEN / name / "after"
    root = fixed_copy(before, tmp_path)
    if UPDATE:
        shutil.rmtree(after, ignore_errors=True)
        shutil.copytree(root, after)
    assert files_of(root) == files_of(after)
    reading = read_package(root, plugin_id=PLUGIN)
    assert [found for found in reading.diagnostics if found.severity == "error"] == []
    assert fixable(reading.diagnostics) == 0


def test_every_kind_of_fix_has_a_golden_folder() -> None:
    diagnosed = GOLDEN.parent / "diagnostics"
    names = {
        found["name"]
        for document in diagnosed.glob("*/expected.json")
        for found in json.loads(document.read_text(encoding="utf-8"))["diagnostics"]
        if "fix" in found
    }
    assert names == {path.name for path in GOLDEN.iterdir()} & names


def test_a_file_keeps_its_mark_line_ends_and_rights(tmp_path: Path) -> None:
    root = tmp_path / PLUGIN
    root.mkdir()
    manifest = root / "PLUGIN.md"
    manifest.write_bytes(b"\xef\xbb\xbf---\r\ndescription: A: b\r\nversion: 1.10\r---\r\n\tx\n")
    manifest.chmod(0o640)
    assert settle(lambda: planned(root), roots={PLUGIN: root}).not_written == ()
    assert manifest.read_bytes() == (
        b'\xef\xbb\xbf---\r\ndescription: "A: b"\r\nversion: "1.10"\r---\r\n\tx\n'
    )
    if os.name != "nt":
        assert stat.S_IMODE(manifest.stat().st_mode) == 0o640
    assert [path.name for path in root.iterdir()] == ["PLUGIN.md"]


def test_a_linked_file_is_changed_where_it_lies(tmp_path: Path) -> None:
    root = tmp_path / PLUGIN
    root.mkdir()
    (root / "real.md").write_text("---\ndescription: A: b\n---\n", encoding="utf-8")
    try:
        (root / "PLUGIN.md").symlink_to("real.md")
    except OSError:
        pytest.skip("links cannot be made here")
    settle(lambda: planned(root), roots={PLUGIN: root})
    assert (root / "PLUGIN.md").is_symlink()
    assert '"A: b"' in (root / "real.md").read_text(encoding="utf-8")


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    root = tmp_path / PLUGIN
    root.mkdir()
    (root / "PLUGIN.md").write_text("---\ndescription: A: b\n---\n", encoding="utf-8")
    plan = planned(root)
    (root / "PLUGIN.md").write_text("---\ndescription: other\n---\n", encoding="utf-8")
    (missed,) = write_fixes(plan, roots={PLUGIN: root})
    assert missed.reason == "it changed since it was read"
    assert (root / "PLUGIN.md").read_text(encoding="utf-8") == "---\ndescription: other\n---\n"


def test_a_file_in_the_way_of_a_new_name_stays(tmp_path: Path) -> None:
    root = tmp_path / PLUGIN
    root.mkdir()
    (root / "old.md").write_text("old", encoding="utf-8")
    (root / "new.md").write_text("new", encoding="utf-8")
    found = report(
        "manifest-file-case",
        "x",
        plugin=PLUGIN,
        fix=Fix("Rename", rename=FileRename("old.md", "new.md")),
    )
    plan = plan_fixes([found], sources=lambda plugin, file: None)
    outcome = settle(lambda: plan, roots={PLUGIN: root})
    assert [missed.reason for missed in outcome.not_written] == ["new.md is there already"]
    assert outcome.fixed == ()
    assert files_of(root) == {"old.md": b"old", "new.md": b"new"}


def edits(text: str, *places: tuple[int, int, str]) -> Diagnostic:
    source = SourceText(text)
    made = tuple(source.edit("PLUGIN.md", *place) for place in places)
    return report("unknown-field", "x", plugin=PLUGIN, file="PLUGIN.md", fix=Fix("Edit", made))


def test_of_overlapping_fixes_the_first_is_made_and_the_rest_is_left() -> None:
    text = "abcdef"
    first, second = edits(text, (0, 3, "X")), edits(text, (2, 4, "Y"), (5, 6, "Z"))
    third = edits(text, (3, 4, "W"))
    plan = plan_fixes([first, second, third], sources=lambda plugin, file: SourceText(text))
    assert plan.fixed == (first, third)
    assert plan.left == (second,)
    assert plan.changes[0].after == "XWef"


def test_one_edit_asked_for_twice_is_made_once() -> None:
    text = "abcdef"
    both = [edits(text, (1, 1, "X")), edits(text, (1, 1, "X"))]
    plan = plan_fixes(both, sources=lambda plugin, file: SourceText(text))
    assert plan.changes[0].after == "aXbcdef"
    assert len(plan.fixed) == 2


def test_two_insertions_at_one_place_have_no_order_and_overlap() -> None:
    text = "abcdef"
    both = [edits(text, (1, 1, "X")), edits(text, (1, 1, "Y"))]
    plan = plan_fixes(both, sources=lambda plugin, file: SourceText(text))
    assert plan.changes[0].after == "aXbcdef"
    assert len(plan.left) == 1


def test_a_file_that_is_not_at_hand_is_left() -> None:
    found = edits("abc", (0, 1, "X"))
    plan = plan_fixes([found], sources=lambda plugin, file: None)
    assert (plan.changes, plan.fixed, plan.left) == ((), (), (found,))


def test_the_difference_is_unified_and_keeps_line_ends() -> None:
    text = "a\r\nb\nc"
    plan = plan_fixes([edits(text, (0, 1, "X"))], sources=lambda plugin, file: SourceText(text))
    assert diff_text(plan) == (
        "--- a/moss-ledger/PLUGIN.md\n+++ b/moss-ledger/PLUGIN.md\n@@ -1,3 +1,3 @@\n"
        "-a\r\n+X\r\n b\n c\n\\ No newline at end of file\n"
    )


def test_the_difference_of_a_renamed_file_names_both() -> None:
    found = report(
        "manifest-file-case",
        "x",
        plugin=PLUGIN,
        fix=Fix("Rename", rename=FileRename("Plugin.md", "PLUGIN.md")),
    )
    plan = plan_fixes([found], sources=lambda plugin, file: None)
    assert diff_text(plan) == (
        "rename from moss-ledger/Plugin.md\nrename to moss-ledger/PLUGIN.md\n"
    )


LINES = (
    "description: Herbs: a list",
    "description: fine  # Note: well",
    "version: 1.10",
    "licence: MIT",
    "license: MIT",
    "tags: herbs",
    "tags: [a, no, 3]",
    "kind: core-plugin",
    "author:",
    "\tname: A. Reed",
    "  name: A: Reed",
    "runtime:",
    "  agent:",
    "    loop:",
    "      completion: { require: tool-use }",
    "      maxSteps: '6'",
    "    advertiseEvents: yes",
    "\tagent: { loop: { completion: x } }",
    "  effects:",
    "    reads: ['ui:*', 'ui:*']",
    "      - ui:*",
    "# a comment",
    "",
    "contributes: &c { tool: x, tools: [] }",
    "runtim: *c",
    "  <<: *c",
)


def diagnosed(text: str) -> tuple[SourceText, list[Diagnostic]]:
    reading = read_frontmatter(text, plugin=PLUGIN, file="PLUGIN.md")
    shape = read_model(RootManifest, reading, stand_ins={"description": "x"})
    return reading.source, [*reading.diagnostics, *shape.diagnostics]


def rounds(text: str) -> Iterator[tuple[str, FixPlan]]:
    for _ in range(12):
        source, found = diagnosed(text)
        plan = plan_fixes(found, sources=lambda plugin, file, source=source: source)
        if not plan.changes:
            return
        yield text, plan
        text = plan.changes[0].after or ""
    pytest.fail(f"fixing does not end: {text!r}")


@settings(deadline=None)
@given(
    lines=st.lists(st.sampled_from(LINES), max_size=12),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_fixing_ends_repairs_what_it_says_and_touches_nothing_else(
    lines: list[str], end: str, mark: str
) -> None:
    text = mark + end.join(["---", *lines, "---", "Body: of text", "\tx"])
    for before, plan in rounds(text):
        (change,) = plan.changes
        assert change.after is not None
        assert change.after != before
        made = sorted(
            {edit for fixed in plan.fixed if fixed.fix for edit in fixed.fix.edits},
            key=lambda edit: (edit.start, edit.end),
        )
        assert apply_edits(before, made) == change.after
        outside, at, rest = [], 0, change.after
        for edit in made:
            outside.append(before[at : edit.start])
            at = edit.end
        outside.append(before[at:])
        for part, edit in zip(outside, made, strict=False):
            assert rest.startswith(part + edit.replacement)
            rest = rest[len(part + edit.replacement) :]
        assert rest == outside[-1]
        assert before.count("#") == change.after.count("#")
