"""The packages of `manifests/`, one test each; collected by `python -m tests.vectors` alone.

Our own test run has `tests/manifest/rules/test_cases.py` instead, which runs in parallel.
"""

import json
from pathlib import Path

import pytest

from tests.vector_adapters.explaining import explained
from tests.vector_adapters.manifests import check
from tests.vectors import package_folders, vectors_folder

FOLDERS = [
    pytest.param(folder, id=f"manifests/{folder.name}")
    for folder in package_folders(vectors_folder())
]


@pytest.mark.parametrize("folder", FOLDERS)
def test_package(folder: Path) -> None:
    expect = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    with explained(expect.get("why")):
        check(folder, expect)
