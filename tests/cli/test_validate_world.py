"""`covel validate-world`, and `covel sessions new` over the same packs."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.support import ROOT, Covel

FIVE = ROOT / "tests" / "golden" / "worlds" / "five-mistakes"
WORLDS = ROOT / "templates" / "worlds"

# `UPDATE_GOLDEN=1 pytest …` rewrites the expected texts; the diff is then reviewed.
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
REPORTS = {"full": "full.txt", "json": "report.json"}


@pytest.fixture
def fog_ferry() -> Path:
    """The pack with five mistakes in the working folder."""
    return Path(shutil.copytree(FIVE / "fog-ferry", "fog-ferry"))


def test_five_mistakes_are_shown_as_reviewed(covel: Covel, fog_ferry: Path) -> None:
    outputs = [f"--output={style}={file}" for style, file in REPORTS.items()]
    checked = covel("validate-world", "fog-ferry", *outputs)
    assert checked.code == 1
    assert checked.out == Path("full.txt").read_text(encoding="utf-8")
    for file in REPORTS.values():
        written = Path(file).read_text(encoding="utf-8")
        if UPDATE:
            (FIVE / file).write_text(written, encoding="utf-8")
        assert written == (FIVE / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", [WORLDS, WORLDS / "salt-lantern" / "world.yaml"])
def test_the_worlds_of_the_templates_pass_the_strict_check(covel: Covel, path: Path) -> None:
    checked = covel("validate-world", str(path), "--strict")
    assert (checked.code, checked.out) == (0, "No problems in 1 world.\n")


def test_several_worlds_end_with_a_table(covel: Covel, fog_ferry: Path) -> None:
    shutil.copytree(WORLDS / "salt-lantern", "salt-lantern")
    lines = covel("validate-world", ".").out.splitlines()[-5:]
    assert lines[1].split() == ["fog-ferry", "5", "0", "0", "0"]
    assert lines[2:] == ["1 world without problems.", "", "5 errors in 2 worlds."]
    assert lines[0].startswith("WORLD")


def test_two_worlds_of_one_id_are_told(covel: Covel) -> None:
    for name in ("first", "second"):
        shutil.copytree(WORLDS / "salt-lantern", name)
    document = covel("validate-world", "first", "second", "--json").json
    [found] = document["diagnostics"]
    assert (found["name"], found["plugin"], found["path"]) == ("world-duplicate", "second", "id")


@pytest.mark.parametrize("style", ["concise", "sarif", "github"])
def test_every_format_names_the_files(covel: Covel, fog_ferry: Path, style: str) -> None:
    checked = covel("validate-world", "fog-ferry", "--format", style)
    assert checked.code == 1
    assert "fog-ferry/data/world.data.yaml" in checked.out


def test_a_slip_of_yaml_is_told_without_a_fix(covel: Covel, fog_ferry: Path) -> None:
    (fog_ferry / "data" / "rules.yaml").write_text("- id: a: b\n", encoding="utf-8")
    world = (fog_ferry / "world.yaml").read_text(encoding="utf-8")
    (fog_ferry / "world.yaml").write_text(world + "tags: the: sea\n", encoding="utf-8")
    document = covel("validate-world", "fog-ferry", "--json").json
    assert "yaml-unquoted-colon" in {found["name"] for found in document["diagnostics"]}
    assert document["summary"]["fixable"] == 0


def test_a_folder_without_a_world_is_said_to_be_one(covel: Covel) -> None:
    Path("empty").mkdir()
    called = covel("validate-world", "empty", "--json")
    assert (called.code, called.json["error"]["code"]) == (1, "world-not-found")


def test_a_session_begins_in_a_world(covel: Covel, home: Path) -> None:
    begun = covel("sessions", "new", "--world", str(WORLDS / "salt-lantern"), "--locale", "zh")
    session_id, world, imported, packages = begun.out.splitlines()
    assert begun.code == 0
    assert world == "  world salt-lantern (灯盐滩), locale zh"
    assert imported == ("  imported: 3 characters, 4 lorebook entries, 0 dimensions, 0 records")
    assert packages == "  packages: none"
    assert begun.err.startswith("warning: world.yaml:1: The world has 2 dimensions")
    assert "world salt-lantern" in covel("sessions", "show", session_id).out


def test_a_faulty_pack_makes_no_session_and_shows_why(
    covel: Covel, home: Path, fog_ferry: Path
) -> None:
    refused = covel("sessions", "new", "--world", "fog-ferry")
    assert (refused.code, refused.out) == (1, "")
    assert "error[COV518] character-invalid" in refused.err
    assert "error: No session was made: the world pack 'fog-ferry' has errors." in refused.err
    error: Any = covel("sessions", "new", "--world", "fog-ferry", "--json").json["error"]
    assert error["code"] == "world-invalid"
    assert len(error["diagnostics"]) == 5
    assert covel("sessions", "list", "--json").json == {"sessions": []}


def test_a_session_may_begin_empty(covel: Covel, home: Path) -> None:
    document = json.loads(covel("sessions", "new", "--json").out)
    assert covel("sessions", "show", document["sessionId"]).code == 0
    assert covel("sessions", "new", "--with", "nobody").code == 1
