"""Where a package keeps its runtime cases (spec/manifest.md 2.1)."""

import os
from pathlib import Path
from typing import Final

from covel_host.manifest.layout import ROOT_MANIFEST

CASE_FILES: Final = ("tests/runtime-cases.json", "covel.test.json")
"""Relative to the package; the first one that is there counts."""


def case_file(package: Path) -> Path | None:
    """The file of a package's cases, None where there is none."""
    for name in CASE_FILES:
        if os.path.lexists(package / name):
            return package / name
    return None


def is_case_file(path: Path) -> bool:
    """Whether `path` is the file of the cases of the package that it lies in."""
    for name in CASE_FILES:
        package = path.parents[name.count("/")]
        if os.path.lexists(package / ROOT_MANIFEST) and path == package / name:
            return path == case_file(package)
    return False
