"""Rules on several runtimes of a package (spec/manifest.md 6.3 rule 5, 5.2)."""

from pathlib import Path

from covel_host.manifest.validation import validate_folder
from tests.manifest.rules.siblings import Case, make


def audit(rest: str) -> str:
    return f"schedule: {{ stage: audit, {rest} }}"


def several(place: Path, root: str, **runtimes: str) -> list[tuple[str, str, str]]:
    files = {
        f"runtimes/{name}/RUNTIME.md": f"---\n{fields}\n---\nCount.\n"
        for name, fields in runtimes.items()
    }
    validation = validate_folder(make(Case("several", "", root=root, files=files), "root", place))
    return [(found.file, found.path, found.name) for found in validation.diagnostics]


def test_later_producers_of_a_contract_are_told_the_first(tmp_path: Path) -> None:
    producer = "schedule: { stage: audit }\nio: { output: { contract: a@1 } }"
    found = several(tmp_path, "provides: [a@1]\n", x=producer, y=producer, z=producer)
    assert found == [
        ("runtimes/y/RUNTIME.md", "io.output.contract", "contract-produced-twice"),
        ("runtimes/z/RUNTIME.md", "io.output.contract", "contract-produced-twice"),
    ]


def test_a_circle_is_reported_once_with_its_way(tmp_path: Path) -> None:
    found = several(
        tmp_path,
        "",
        x=audit("needs: [moss-ledger/y]"),
        y=audit("after: [{ runtime: moss-ledger/z }]"),
        z="schedule: { stage: audit }\nio: { inputs: { v: { from: { runtime: moss-ledger/x } } } }",
        out=audit("needs: [moss-ledger/x]"),
    )
    assert found == [("runtimes/z/RUNTIME.md", "io.inputs.v.from.runtime", "runtime-cycle")]


def test_a_committed_input_closes_no_circle(tmp_path: Path) -> None:
    again = (
        "schedule: { stage: audit }\nio:\n  output: { recordAs: k, schema: s.json }\n"
        "  inputs: { v: { from: { runtime: moss-ledger/x }, scope: committed, recordAs: k } }"
    )
    assert several(tmp_path, "", x=again) == [
        ("runtimes/x/RUNTIME.md", "io.output.schema", "file-not-found")
    ]


def test_a_path_from_the_root_of_the_package_is_told_as_it_has_to_be(tmp_path: Path) -> None:
    runtime = "---\nschedule: { stage: audit }\nio: { output: { schema: ./s.json } }\n---\nCount.\n"
    files = {"runtimes/x/RUNTIME.md": runtime, "s.json": "{}"}
    validation = validate_folder(make(Case("above", "", root="", files=files), "root", tmp_path))
    hints = [found.hint for found in validation.diagnostics]
    assert hints == ["Paths of a runtime start from its own folder: write '../../s.json'."]


def test_a_runtime_that_waits_for_itself_is_told_so(tmp_path: Path) -> None:
    found = several(tmp_path, "", x=audit("needs: [moss-ledger/x]"))
    assert found == [("runtimes/x/RUNTIME.md", "schedule.needs.0", "runtime-cycle")]


def test_a_faulty_runtime_is_still_there_for_the_others(tmp_path: Path) -> None:
    found = several(tmp_path, "", x="schedule: { stage: later }", y=audit("after: [moss-ledger/x]"))
    assert found == [("runtimes/x/RUNTIME.md", "schedule.stage", "value-not-allowed")]


def test_code_of_a_runtime_is_looked_at_whatever_the_root_says(tmp_path: Path) -> None:
    runtime = "schedule: { stage: audit }\nfunction: { handler: run.py }\n"
    case = Case("x", "", runtime, files={"runtimes/a/run.py": "def handle(\n"})
    folder = make(case, "file", tmp_path)
    (folder / "PLUGIN.md").write_text("no fence", encoding="utf-8")
    found = [(one.file, one.name) for one in validate_folder(folder).diagnostics]
    assert found == [
        ("PLUGIN.md", "frontmatter-missing"),
        ("runtimes/a/run.py", "python-syntax"),
    ]


def test_references_need_no_root_manifest_that_can_be_read(tmp_path: Path) -> None:
    folder = make(
        Case("x", "", audit("needs: [{ contract: a@1 }, other/x]") + "\n"), "file", tmp_path
    )
    (folder / "PLUGIN.md").write_text("no fence", encoding="utf-8")
    found = [(one.file, one.path, one.name) for one in validate_folder(folder).diagnostics]
    assert found == [
        ("PLUGIN.md", "", "frontmatter-missing"),
        ("runtimes/a/RUNTIME.md", "schedule.needs.1", "runtime-of-another-package"),
    ]
