"""A whole package folder: identity, runtimes, bodies, entry, links, and faults kept apart."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from covel_host.diagnostics.formats import format_json
from covel_host.manifest.contributions import Contributions
from covel_host.manifest.model_reading import MAX_PROBLEMS
from covel_host.manifest.package import PackageReading, read_package
from covel_host.manifest.root_manifest import RootManifest
from covel_host.manifest.runtime_manifest import RuntimeManifest
from tests.support.work import hang_guard

ROOT = "---\ndescription: Counts herbs.\n---\nNotes.\n"
RUNTIME = "---\nschedule: { stage: post-turn }\n---\nLook around.\n"


def make(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    return root


def read(tmp_path: Path, files: dict[str, str]) -> PackageReading:
    return read_package(make(tmp_path / "moss-ledger", files))


def with_root(tmp_path: Path, fields: str, **files: str) -> PackageReading:
    return read(tmp_path, {"PLUGIN.md": f"---\n{fields}\n---\nNotes.\n", **files})


def names(reading: PackageReading) -> list[str]:
    return [found.name for found in reading.diagnostics]


def test_the_id_is_the_name_of_the_folder(tmp_path: Path) -> None:
    reading = read(tmp_path, {"PLUGIN.md": ROOT})
    assert reading.plugin_id == "moss-ledger"
    assert reading.manifest is not None
    assert reading.manifest.description == "Counts herbs."
    assert reading.body == "Notes.\n"
    assert (reading.runtimes, reading.entry, reading.diagnostics) == ((), None, ())
    assert not reading.blocks_loading


def test_the_id_can_be_given_for_a_folder_of_another_name(tmp_path: Path) -> None:
    make(tmp_path / "Copy 2", {"PLUGIN.md": ROOT})
    assert names(read_package(tmp_path / "Copy 2")) == ["id-malformed"]
    assert names(read_package(tmp_path / "Copy 2", plugin_id="moss-ledger")) == []


def test_a_relative_folder_has_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(make(tmp_path / "moss-ledger", {"PLUGIN.md": ROOT}))
    assert read_package(Path(".")).plugin_id == "moss-ledger"


def test_an_inline_runtime_has_the_id_of_the_package(tmp_path: Path) -> None:
    reading = with_root(tmp_path, "description: x\nruntime: { schedule: { stage: audit } }")
    (runtime,) = reading.runtimes
    assert runtime.runtime_id == "moss-ledger"
    assert (runtime.folder, runtime.file) == (reading.root, "PLUGIN.md")
    assert runtime.field_prefix == ("runtime",)
    assert runtime.body == "Notes.\n"
    assert runtime.manifest is not None
    assert runtime.manifest.schedule.stage == "audit"


def test_folders_below_runtimes_are_runtimes_in_order_of_name(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        {
            "PLUGIN.md": ROOT,
            "runtimes/review/RUNTIME.md": RUNTIME,
            "runtimes/gather/RUNTIME.md": RUNTIME,
            "runtimes/shared/notes.txt": "",
            "runtimes/.cache/RUNTIME.md": RUNTIME,
            "runtimes/README.md": "",
        },
    )
    assert [runtime.runtime_id for runtime in reading.runtimes] == [
        "moss-ledger/gather",
        "moss-ledger/review",
    ]
    gather = reading.runtimes[0]
    assert gather.folder == reading.root / "runtimes" / "gather"
    assert gather.file == "runtimes/gather/RUNTIME.md"
    assert gather.body == "Look around.\n"
    assert reading.diagnostics == ()


def test_chinese_bodies_are_read_beside_the_english_ones(tmp_path: Path) -> None:
    segments = "contributes: { prompt: [{ id: hint, content: 草药稀少。 }] }"
    reading = read(
        tmp_path,
        {
            "PLUGIN.md": ROOT,
            "PLUGIN.zh.md": f"---\n{segments}\n---\n说明。\n",
            "runtimes/a/RUNTIME.md": RUNTIME,
            "runtimes/a/RUNTIME.zh.md": "四处看看。\n",
            "runtimes/b/RUNTIME.md": RUNTIME,
        },
    )
    assert reading.body_zh == "说明。\n"
    assert reading.prompt_zh == {"hint": "草药稀少。"}
    assert [runtime.body_zh for runtime in reading.runtimes] == ["四处看看。\n", None]
    assert reading.diagnostics == ()


def test_a_variant_is_checked_like_a_manifest_file(tmp_path: Path) -> None:
    reading = read(tmp_path, {"PLUGIN.md": ROOT, "PLUGIN.zh.md": "---js\n{}\n---\n说明。\n"})
    (found,) = reading.diagnostics
    assert (found.name, found.file) == ("frontmatter-engine-marker", "PLUGIN.zh.md")
    assert reading.body_zh is None


def test_the_default_entry_is_used_when_it_exists(tmp_path: Path) -> None:
    reading = read(tmp_path, {"PLUGIN.md": ROOT, "server/index.py": ""})
    assert reading.entry == reading.root / "server" / "index.py"


def test_an_explicit_entry_takes_the_place_of_the_default(tmp_path: Path) -> None:
    files = {"server/index.py": "", "code/main.py": ""}
    reading = with_root(tmp_path, "description: x\nentry: ./code/main.py", **files)
    assert reading.entry == reading.root / "code" / "main.py"
    assert reading.diagnostics == ()


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("server/gone.py", "entry-not-found"),
        ("server", "text-malformed"),
        ("/etc/x.py", "text-malformed"),
        ("server\\index.py", "text-malformed"),
        ("../x.py", "path-outside-package"),
        ("5", "yaml-unquoted-number"),
    ],
)
def test_a_wrong_entry_is_an_error_and_never_the_default(
    entry: str, name: str, tmp_path: Path
) -> None:
    files = {"server/index.py": ""}
    reading = with_root(tmp_path, f"description: x\nentry: {entry}", **files)
    (found,) = reading.diagnostics
    assert (found.name, found.path, found.line) == (name, "entry", 3)
    assert reading.entry is None
    assert reading.blocks_loading


@pytest.mark.parametrize(
    "link", ["PLUGIN.md", "server", "server/index.py", "runtimes", "runtimes/a"]
)
def test_links_out_of_the_package_are_refused(link: str, tmp_path: Path) -> None:
    files = {"PLUGIN.md": ROOT, "server/index.py": "", "runtimes/a/RUNTIME.md": RUNTIME}
    outside = make(tmp_path / "outside", files)
    root = make(tmp_path / "moss-ledger", files)
    target = root / link
    target.rename(tmp_path / "moved")
    target.symlink_to(outside / link)
    reading = read_package(root)
    assert names(reading) == ["path-outside-package"]
    assert reading.blocks_loading


def test_links_inside_the_package_are_followed(tmp_path: Path) -> None:
    root = make(tmp_path / "moss-ledger", {"docs/main.md": ROOT, "code/index.py": ""})
    (root / "PLUGIN.md").symlink_to(root / "docs" / "main.md")
    (root / "server").symlink_to(root / "code")
    reading = read_package(root)
    assert reading.diagnostics == ()
    assert reading.entry == root / "server" / "index.py"


def test_a_package_folder_may_itself_be_a_link(tmp_path: Path) -> None:
    make(tmp_path / "checkout", {"PLUGIN.md": ROOT, "server/index.py": ""})
    (tmp_path / "moss-ledger").symlink_to(tmp_path / "checkout")
    reading = read_package(tmp_path / "moss-ledger")
    assert reading.plugin_id == "moss-ledger"
    assert reading.diagnostics == ()
    assert reading.entry is not None


@pytest.mark.parametrize("file", ["PLUGIN.md", "runtimes/gather/RUNTIME.md"])
@pytest.mark.parametrize(
    ("put", "said"),
    [
        (lambda path: path.symlink_to(path), "a symbolic link that leads nowhere"),
        (lambda path: path.mkdir(), "a folder"),
        (os.mkfifo, "a device, a pipe or a socket"),
    ],
)
def test_what_is_no_file_in_the_place_of_a_manifest_is_told(
    tmp_path: Path, put: Callable[[Path], None], said: str, file: str
) -> None:
    root = make(tmp_path / "moss-ledger", {"PLUGIN.md": "---\ndescription: x\n---\n"})
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    put(path)
    (found,) = read_package(root).diagnostics
    assert (found.name, found.file, found.blocks_loading) == ("file-unreadable", file, True)
    assert found.message == f"{file} cannot be read: it is {said}."


@pytest.mark.parametrize(
    ("file", "right"),
    [("plugin.md", "PLUGIN.md"), ("Plugin.MD", "PLUGIN.md")],
)
def test_a_manifest_in_another_case_is_named(file: str, right: str, tmp_path: Path) -> None:
    (found,) = read(tmp_path, {file: ROOT}).diagnostics
    assert (found.name, found.file) == ("manifest-file-case", file)
    assert found.hint == f"Rename it to {right}."


def test_an_empty_or_missing_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert names(read_package(tmp_path / "empty")) == ["root-manifest-missing"]
    gone = read_package(tmp_path / "gone")
    assert names(gone) == ["file-unreadable"]
    assert gone.blocks_loading


def test_runtimes_are_read_although_the_root_manifest_is_missing(tmp_path: Path) -> None:
    reading = read(tmp_path, {"runtimes/a/RUNTIME.md": RUNTIME})
    assert names(reading) == ["root-manifest-missing"]
    assert reading.manifest is None
    assert [runtime.runtime_id for runtime in reading.runtimes] == ["moss-ledger/a"]


def test_faults_of_one_file_hide_nothing_of_the_others(tmp_path: Path) -> None:
    reading = read(
        tmp_path,
        {
            "PLUGIN.md": "---\ndescription: Herbs: all\n---\n",
            "runtimes/a/RUNTIME.md": "---\nschedule: { stage: later }\n---\n",
            "runtimes/b/RUNTIME.md": "no fence\n",
            "runtimes/c/RUNTIME.md": RUNTIME,
        },
    )
    assert [(found.file, found.name) for found in reading.diagnostics] == [
        ("PLUGIN.md", "yaml-unquoted-colon"),
        ("runtimes/a/RUNTIME.md", "value-not-allowed"),
        ("runtimes/b/RUNTIME.md", "frontmatter-missing"),
    ]
    assert [runtime.manifest is None for runtime in reading.runtimes] == [False, True, False]


def test_faults_of_one_group_hide_nothing_of_the_others(tmp_path: Path) -> None:
    fields = """\
version: 1.10
tags: ["role:narrator"]
contributes:
  tools: log-herb
  actions: ["covel:x"]
  settings: [{ key: season, type: select, label: Season }]
runtime:
  schedule: { stage: post-turn }
  agent: { loop: { maxSteps: 0 } }
  io: { visibility: secret }"""
    reading = with_root(tmp_path, fields)
    assert sorted((found.name, found.path) for found in reading.diagnostics) == [
        ("field-missing", "contributes.settings.0.options"),
        ("field-missing", "description"),
        ("number-out-of-range", "runtime.agent.loop.maxSteps"),
        ("reserved-name", "contributes.actions.0"),
        ("role-tag", "tags.0"),
        ("value-not-allowed", "runtime.io.visibility"),
        ("wrong-type", "contributes.tools"),
        ("yaml-unquoted-number", "version"),
    ]
    assert reading.faulty_groups == {
        "description",
        "version",
        "contributes.tools",
        "runtime.agent.loop.maxSteps",
        "runtime.io.visibility",
    }
    assert reading.manifest is not None
    assert reading.manifest.contributes.actions == ("covel:x",)
    (runtime,) = reading.runtimes
    assert runtime.faulty_groups == {"agent.loop.maxSteps", "io.visibility"}
    assert runtime.manifest is not None
    assert runtime.manifest.schedule.stage == "post-turn"


def test_a_runtime_that_is_no_map_is_still_a_runtime(tmp_path: Path) -> None:
    reading = with_root(tmp_path, "description: x\nruntime: soon")
    assert names(reading) == ["wrong-type"]
    assert [runtime.manifest for runtime in reading.runtimes] == [None]


def test_sources_of_all_files_are_at_hand_for_excerpts(tmp_path: Path) -> None:
    reading = read(tmp_path, {"PLUGIN.md": ROOT, "runtimes/a/RUNTIME.md": RUNTIME})
    source = reading.source("runtimes/a/RUNTIME.md")
    assert source is not None
    assert source.text == RUNTIME
    assert reading.source("README.md") is None


FIELD_NAMES = (
    *sorted(field.alias or name for name, field in RootManifest.model_fields.items()),
    *sorted(field.alias or name for name, field in Contributions.model_fields.items()),
    *sorted(field.alias or name for name, field in RuntimeManifest.model_fields.items()),
    *("needs", "inputs", "from", "loop", "selfData", "name", "label", "authoring", "nosuch"),
)
FIELD = st.sampled_from(FIELD_NAMES)
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | FIELD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELD, inner, max_size=4),
    max_leaves=20,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(fields=st.dictionaries(FIELD, VALUE, max_size=6), file=st.sampled_from(["root", "runtime"]))
def test_no_fields_raise_and_each_problem_has_a_place(
    fields: dict[str, object], file: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = f"---\n{json.dumps(fields, ensure_ascii=False)}\n---\n"
    files = {"PLUGIN.md": text} if file == "root" else {"PLUGIN.md": ROOT}
    if file == "runtime":
        files["runtimes/a/RUNTIME.md"] = text
    reading = read_package(make(tmp_path_factory.mktemp("x") / "moss-ledger", files))
    for found in reading.diagnostics:
        assert found.line is not None
        assert found.message.endswith(".")
    assert reading.blocks_loading == bool(reading.diagnostics)


def test_a_file_of_another_kind_is_not_listed_field_by_field(tmp_path: Path) -> None:
    fields = "\n".join(f"field{number}: x" for number in range(9000))
    with hang_guard():
        reading = with_root(tmp_path, f"description: x\n{fields}")
    assert len(reading.diagnostics) == MAX_PROBLEMS + 1
    (rest,) = [found for found in reading.diagnostics if found.name == "too-many-problems"]
    assert "8,800 more problems" in rest.message
    assert reading.manifest is not None
    assert reading.manifest.description == "x"


def test_keys_that_look_like_our_own_marks_are_fields_like_others(tmp_path: Path) -> None:
    reading = with_root(
        tmp_path,
        'description: x\n"<map>": 1\n"[key]": 1\n'
        'contributes: { "<text>": 1, data: { "[key]": 2 } }',
    )
    assert sorted(found.path for found in reading.diagnostics) == [
        "<map>",
        "[key]",
        "contributes.<text>",
        "contributes.data.[key]",
        "contributes.data.[key]",
    ]
    assert reading.manifest is not None


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are not UTF-8")
def test_names_that_are_not_utf8_can_be_written_as_json(tmp_path: Path) -> None:
    root = make(tmp_path / "moss-ledger", {"PLUGIN.md": ROOT})
    folder = os.fsencode(root) + b"/runtimes/herb\xe9"
    os.makedirs(folder)
    with open(folder + b"/RUNTIME.md", "wb") as manifest:
        manifest.write(b"no fence")
    reading = read_package(root)
    assert [runtime.runtime_id for runtime in reading.runtimes] == ["moss-ledger/herb\ufffd"]
    assert "herb\ufffd/RUNTIME.md" in format_json(reading.diagnostics, packages=1)
