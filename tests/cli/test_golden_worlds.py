"""Every kind of problem of world packs has a pack and the exact output shown for it."""

import json
import os
import shutil
from pathlib import Path

import pytest

from covel_host.diagnostics.code_table_worlds import WORLDS
from tests.cli.support import ROOT, Covel

GOLDEN = ROOT / "tests" / "golden" / "worlds"
CASES = sorted(info.name for info in WORLDS)
OF_SESSIONS = ("dimensions-without-provider", "receiver-inactive")
"""What depends on the packages that are played with, so that only a new session tells it."""

# `UPDATE_GOLDEN=1 pytest …` rewrites the expected texts; the diff is then reviewed.
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


def shown(covel: Covel, name: str) -> tuple[str, str]:
    """What the command over the packs of a case shows, as text and as JSON."""
    if name in OF_SESSIONS:
        pack = Path("worlds", "reed-bank")
        text = covel("sessions", "new", "--world", pack).err
        document = covel("sessions", "new", "--world", pack, "--json").json
        kept = {"imported": document["imported"], "diagnostics": document["diagnostics"]}
        return text, json.dumps(kept, ensure_ascii=False, indent=2) + "\n"
    printed = (covel("validate-world", "worlds", *options).out for options in ((), ("--json",)))
    # The working folder of a test differs from run to run.
    text, document = (one.replace(str(Path.cwd()), "") for one in printed)
    return text, document


@pytest.mark.parametrize("name", CASES)
def test_a_problem_of_a_pack_is_shown_as_expected(covel: Covel, home: Path, name: str) -> None:
    shutil.copytree(GOLDEN / name / "worlds", "worlds")
    if (GOLDEN / name / "plugins").exists():
        shutil.copytree(GOLDEN / name / "plugins", home / "plugins")
    text, document = shown(covel, name)
    for given, file in ((text, "expected.txt"), (document, "expected.json")):
        if UPDATE:
            (GOLDEN / name / file).write_text(given, encoding="utf-8")
        assert given == (GOLDEN / name / file).read_text(encoding="utf-8")
    assert name in {found["name"] for found in json.loads(document)["diagnostics"]}


def test_every_code_of_world_packs_is_in_a_golden_output() -> None:
    folders = {folder.name for folder in GOLDEN.iterdir()} - {"five-mistakes"}
    assert folders == {info.name for info in WORLDS}
