"""What five packages show, in full."""

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.support import ROOT, Covel

FOLDERS = sorted((ROOT / "tests" / "golden" / "cli").iterdir())

# `UPDATE_GOLDEN=1 pytest …` rewrites the expected texts; the diff is then reviewed.
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"
REPORTS = {"full": "full.txt", "json": "report.json"}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_package_shows_what_was_reviewed(covel: Covel, folder: Path) -> None:
    (package,) = (path for path in folder.iterdir() if path.is_dir())
    shutil.copytree(package, package.name)
    outputs = [f"--output={style}={file}" for style, file in REPORTS.items()]
    checked = covel("validate-plugin", package.name, *outputs)
    assert checked.out == Path("full.txt").read_text(encoding="utf-8")
    assert checked.code == ("error[" in checked.out)
    for file in REPORTS.values():
        written = Path(file).read_text(encoding="utf-8")
        if UPDATE:
            (folder / file).write_text(written, encoding="utf-8")
        assert written == (folder / file).read_text(encoding="utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_fixing_leaves_nothing_fixable(covel: Covel, folder: Path) -> None:
    (package,) = (path for path in folder.iterdir() if path.is_dir())
    shutil.copytree(package, package.name)
    fixed = covel("validate-plugin", package.name, "--fix", "--json")
    assert fixed.json["summary"]["fixable"] == 0
    again = covel("validate-plugin", package.name, "--diff")
    assert again.out == ""
