"""`make vectors` runs any folder of the same schemas and says what it found."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.vectors import CASES, TOPICS, VectorsError, expand, read_vectors, vector_files

ROOT = Path(__file__).parent.parent
NAME: dict[str, Any] = {"id": "n1", "kind": "character_name", "a": "Wren", "b": "wren"}


def folder_of(place: Path, **files: list[dict[str, Any]]) -> Path:
    for topic, vectors in files.items():
        text = json.dumps({"about": "", "vectors": vectors})
        (place / f"{topic}.json").write_text(text, encoding="utf-8")
    return place


def run(folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tests.vectors", str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def test_vectors_of_another_folder_are_counted_by_file(tmp_path: Path) -> None:
    ended = run(folder_of(tmp_path, keys=[{**NAME, "same": True}], pools=[]))
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.endswith("1 of 1 vectors pass, 0 fail (keys 1/1).\n")


def test_a_failing_vector_shows_its_id_and_why_and_fails_the_run(tmp_path: Path) -> None:
    wrong = {**NAME, "same": False, "why": "seed: 名字相等"}
    ended = run(folder_of(tmp_path, keys=[wrong, {"kind": "character_name"}, {"kind": "spell"}]))
    assert ended.returncode == 1
    assert "keys/n1" in ended.stdout
    assert "why: seed: 名字相等" in ended.stdout
    assert "the kind 'spell' is none of ['character_name'" in ended.stdout
    assert ended.stdout.endswith("0 of 3 vectors pass, 3 fail (keys 0/3).\n")


def test_packages_are_run_and_a_missing_rule_is_a_failure(tmp_path: Path) -> None:
    packages = tmp_path / "manifests"
    shutil.copytree(CASES / "manifests" / "crlf-line-ends", packages / "crlf-line-ends")
    shutil.copytree(packages / "crlf-line-ends", packages / "wanted")
    expect = {"valid": False, "errors": [{}], "why": "no rule says so"}
    (packages / "wanted" / "expect.json").write_text(json.dumps(expect), encoding="utf-8")
    ended = run(tmp_path)
    assert ended.returncode == 1
    assert "why: no rule says so" in ended.stdout
    assert ended.stdout.endswith("1 of 2 vectors pass, 1 fail (manifests 1/2).\n")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("spells.json", "{}", "holds spells.json, which no adapter reads. Known: characters.json"),
        ("keys.json", "[]", "is no file of vectors"),
        ("keys.json", '{"vectors": [1]}', "'vectors' is not a list of objects"),
        ("README.md", "", "holds no vectors"),
    ],
)
def test_a_folder_that_cannot_be_read_is_refused(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(VectorsError, match=message):
        list(map(read_vectors, vector_files(tmp_path).values()))


def test_a_refused_folder_ends_the_run_with_its_reason(tmp_path: Path) -> None:
    ended = run(tmp_path / "gone")
    assert ended.returncode == 2
    assert ended.stderr.endswith("gone is no folder.\n")


def test_every_file_of_ours_has_an_adapter() -> None:
    assert sorted(vector_files(CASES)) == sorted(TOPICS)


def test_repeated_and_joined_texts_are_expanded() -> None:
    assert expand({"a": [{"$join": ["x", {"$repeat": ["ab", 2]}]}]}) == {"a": ["xabab"]}


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize(
    ("called_in", "options", "folder"),
    [("root", [], "root/mine"), ("elsewhere", ["-C"], "elsewhere/mine")],
)
def test_a_relative_folder_starts_where_make_was_called(
    tmp_path: Path, called_in: str, options: list[str], folder: str
) -> None:
    places = {"root": ROOT, "elsewhere": tmp_path}
    ended = subprocess.run(
        ["make", "-n", *options, *([str(ROOT)] if options else []), "vectors", "DIR=mine"],
        cwd=places[called_in],
        env={**os.environ, "PWD": str(places[called_in]), "MAKEFLAGS": ""},
        capture_output=True,
        text=True,
    )
    place, _, name = folder.partition("/")
    assert f'-m tests.vectors "{places[place] / name}"' in ended.stdout
