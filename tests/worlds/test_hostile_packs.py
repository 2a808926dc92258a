"""Packs made to do harm: each gives a problem, and reads nothing that is not in it."""

import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.media.sniffing import checked_mime
from covel_host.worlds.pack_file import MAX_NODES
from covel_host.worlds.validation import validate_pack
from tests.worlds.packs import installed, receiver, sources, told, write_pack

DESCRIPTOR = "data/world.data.yaml"
NOTES = {"kind": "yaml", "path": "data/n.yaml", "to": "contract:notes@1"}
RECORD = "- { id: a, text: A. }\n"
SECRET = "A secret of the machine."


def checked(root: Path) -> tuple[Diagnostic, ...]:
    return validate_pack(root, installed(receiver()), mime_of=checked_mime).diagnostics


def pack(folder: Path, notes: str = RECORD, **fields: Any) -> Path:
    entry = {**NOTES, **fields}
    files = {DESCRIPTOR: sources(n=entry), str(entry["path"]): notes}
    return write_pack(folder, files=files, supportedLocales=["zh"])


@pytest.mark.parametrize(
    "path",
    [
        "../secret.yaml",
        "/etc/passwd",
        "data/../../secret.yaml",
        "..\\secret.yaml",
        "C:/x",
        "a" * 5000,
        "file:///etc/passwd",
        "~/x",
        "data/n.yaml\x00",
        ".",
        "data",
        "",
    ],
)
@pytest.mark.parametrize("field", ["path", "schema", "worldData", "dimensionSources"])
def test_no_path_leads_out_of_the_pack(tmp_path: Path, path: str, field: str) -> None:
    (tmp_path / "secret.yaml").write_text(SECRET)
    files: dict[str, object] = {"data/n.yaml": RECORD}
    world: dict[str, Any] = {}
    if field == "worldData":
        world = {"worldData": path}
    elif field == "dimensionSources":
        world = {"dimensionSources": {"tide": path}}
    else:
        files[DESCRIPTOR] = sources(n={**NOTES, field: path})
    found = checked(write_pack(tmp_path, files=files, **world))
    assert [one.severity for one in found] == ["error"]
    assert SECRET not in repr(found)


@pytest.mark.parametrize(
    "name",
    [
        "world.yaml",
        "world.zh.yaml",
        "WORLD.md",
        "WORLD.zh.md",
        "data/n.yaml",
        "data/n.zh.yaml",
        DESCRIPTOR,
        "data/world.data.zh.yaml",
    ],
)
@pytest.mark.parametrize("target", ["outside", "itself", "nowhere", "folder", "pipe"])
def test_links_and_odd_files_are_problems_or_passed_by(
    tmp_path: Path, name: str, target: str
) -> None:
    (tmp_path / "secret.yaml").write_text(SECRET)
    root = pack(tmp_path)
    place = root / name
    place.unlink(missing_ok=True)
    makers: dict[str, Callable[[], object]] = {
        "outside": lambda: place.symlink_to(tmp_path / "secret.yaml"),
        "itself": lambda: place.symlink_to(place.name),
        "nowhere": lambda: place.symlink_to("nothing-here"),
        "folder": place.mkdir,
        "pipe": lambda: os.mkfifo(place),
    }
    makers[target]()
    found = checked(root)
    assert SECRET not in repr(found)
    # A translation of the descriptor would be read by nobody.
    if name != "data/world.data.zh.yaml" and not (name == DESCRIPTOR and target != "outside"):
        assert [one for one in found if one.severity == "error"], told(found)


def aliases(width: int, levels: str) -> str:
    first = f"{levels[0]}: &{levels[0]} [{', '.join(['x'] * width)}]\n"
    return first + "".join(
        f"{name}: &{name} [{', '.join([f'*{before}'] * width)}]\n"
        for before, name in pairwise(levels)
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (aliases(9, "abcdefghi"), "yaml-too-large"),
        ("- &a { id: x, self: *a }\n", "yaml-recursive-alias"),
        (
            f"- id: a\n  s: &s '{'x' * 1_000_000}'\n  l: [{', '.join(['*s'] * 400)}]\n",
            "file-too-large",
        ),
        ("- { id: a, v: " + "[" * 3_000 + "]" * 3_000 + " }\n", "yaml-syntax"),
        ("- { id: a }\n" * 1_000_000, "file-too-large"),
        ("- { id: !!python/object/apply:os.system x }\n", "yaml-tag"),
        ("- { id: a, v: .nan }\n", "yaml-number"),
        (f"- {{ id: a, v: {'9' * 5_000} }}\n", "yaml-number"),
    ],
)
def test_a_small_text_never_becomes_a_large_value(tmp_path: Path, text: str, name: str) -> None:
    found = checked(pack(tmp_path, text))
    errors = [one for one in found if one.severity == "error"]
    assert (errors[0].name, errors[0].file) == (name, "data/n.yaml")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('[{"id":"a","v":' + "[" * 900 + "]" * 900 + "}]", "json-syntax"),
        ('[{"id":"a","v":' + "[" * 5_000 + "]" * 5_000 + "}]", "json-syntax"),
        ('[{"id":"\\ud800"}]', "json-syntax"),
        ('[{"id":"a","v":1e999}]', "json-syntax"),
        ('[{"id":"a","v":[' + "0," * (MAX_NODES + 10) + "0]}]", "file-too-large"),
        ('[{"id":"a","v":[' + "[]," * 1_500_000 + "0]}]", "file-too-large"),
    ],
)
def test_a_json_file_is_bounded_like_a_yaml_file(tmp_path: Path, text: str, name: str) -> None:
    found = checked(pack(tmp_path, text, kind="json", path="data/n.json"))
    assert [(one.name, one.file) for one in found] == [(name, "data/n.json")]


def test_commas_in_texts_are_no_values(tmp_path: Path) -> None:
    text = json.dumps([{"id": f"n{number}", "t": "," * 200_000} for number in range(4)])
    assert checked(pack(tmp_path, text, kind="json", path="data/n.json")) == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "https://example.com/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"properties": {"id": {"pattern": "^(a+)+$"}}},
    ],
)
def test_a_schema_reaches_nothing_and_costs_no_time(tmp_path: Path, schema: object) -> None:
    root = pack(tmp_path, f"- {{ id: {'a' * 200}b }}\n", schema="s.json")
    (root / "s.json").write_text(json.dumps(schema))
    assert {one.name for one in checked(root)} <= {"schema-unusable", "world-record-invalid"}


def test_two_hundred_sources_in_a_ring_are_told_and_end(tmp_path: Path) -> None:
    ring = {f"s{number}": {**NOTES, "after": f"s{(number + 1) % 200}"} for number in range(200)}
    files = {DESCRIPTOR: sources(**ring), "data/n.yaml": "[]\n"}
    found = checked(write_pack(tmp_path, files=files))
    assert [one.name for one in found] == ["world-source-order"]
