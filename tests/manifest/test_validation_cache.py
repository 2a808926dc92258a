"""Kept results: the same as fresh ones, and never older than the files."""

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from covel_host.manifest import validation_cache
from covel_host.manifest.validation import validate_folder
from covel_host.manifest.validation_cache import SETTLED_NS, ValidationCache

CASES = sorted(
    path
    for path in (Path(__file__).parent.parent / "cases" / "manifests").iterdir()
    if path.is_dir()
)
MANIFEST = "---\ndescription: Counts herbs.\nlicence: MIT\n---\n"


class Reads:
    """Counts the validations behind a cache whose clock runs hours ahead of the files."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        monkeypatch.setattr(validation_cache, "validate_folder", self._validate)
        self.cache = ValidationCache(now_ns=lambda: time.time_ns() + 10_000 * SETTLED_NS)

    def _validate(self, root: Path, *, plugin_id: str | None = None) -> object:
        self.count += 1
        return validate_folder(root, plugin_id=plugin_id)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


@pytest.fixture
def package(tmp_path: Path) -> Path:
    root = tmp_path / "moss-ledger"
    (root / "runtimes" / "gather").mkdir(parents=True)
    (root / "PLUGIN.md").write_text(MANIFEST)
    (root / "runtimes" / "gather" / "RUNTIME.md").write_text("---\nschedule: x\n---\n")
    return root


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_kept_result_is_the_fresh_one(case: Path, reads: Reads) -> None:
    fresh = validate_folder(case).diagnostics
    assert reads.cache.diagnostics(case) == fresh
    assert reads.cache.diagnostics(case) == fresh
    assert reads.count == 1


def edit(root: Path) -> None:
    (root / "PLUGIN.md").write_text(MANIFEST.replace("licence", "license"))


def edit_of_equal_size_and_time(root: Path) -> None:
    before = (root / "PLUGIN.md").stat()
    (root / "PLUGIN.md").write_text(MANIFEST.replace("licence", "license"))
    os.utime(root / "PLUGIN.md", ns=(before.st_atime_ns, before.st_mtime_ns))


def replacement(root: Path) -> None:
    new = root / "new"
    new.write_text(MANIFEST.replace("licence", "license"))
    new.replace(root / "PLUGIN.md")


def new_file(root: Path) -> None:
    (root / "PLUGIN.fr.md").write_text("Bonjour.\n")


def removed_file(root: Path) -> None:
    (root / "runtimes" / "gather" / "RUNTIME.md").unlink()


def renamed_folder(root: Path) -> None:
    (root / "runtimes" / "gather").rename(root / "runtimes" / "Gather")


def removed_package(root: Path) -> None:
    shutil.rmtree(root)


def rights(root: Path) -> None:
    (root / "PLUGIN.md").chmod(0o640)


CHANGES: tuple[Callable[[Path], None], ...] = (
    *(edit, edit_of_equal_size_and_time, replacement, new_file, removed_file, renamed_folder),
    *(removed_package, rights),
)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_after_a_change_the_result_is_a_fresh_one(
    package: Path, reads: Reads, change: Callable[[Path], None]
) -> None:
    reads.cache.diagnostics(package)
    reads.cache.diagnostics(package)
    assert reads.count == 1
    change(package)
    assert reads.cache.diagnostics(package) == validate_folder(package).diagnostics
    assert reads.count == 2


def test_what_a_link_leads_to_counts(package: Path, reads: Reads, tmp_path: Path) -> None:
    (package / "schema.json").symlink_to(tmp_path / "outside.json")
    (package / "PLUGIN.md").write_text(
        "---\ndescription: x\ncontributes:\n  data: { a: { schema: ./schema.json, version: 1 } }\n"
        "---\n"
    )
    reads.cache.diagnostics(package)
    (tmp_path / "outside.json").write_text("{}")
    assert reads.cache.diagnostics(package) == validate_folder(package).diagnostics
    assert reads.count == 2


def test_a_package_that_just_changed_is_not_kept(package: Path, reads: Reads) -> None:
    now = max(path.stat().st_ctime_ns for path in package.rglob("*"))
    cache = ValidationCache(now_ns=lambda: now + SETTLED_NS - 1)
    cache.diagnostics(package)
    cache.diagnostics(package)
    assert reads.count == 2


def test_results_belong_to_folder_and_id(package: Path, reads: Reads) -> None:
    (here,) = {found.plugin for found in reads.cache.diagnostics(package)}
    (other,) = {found.plugin for found in reads.cache.diagnostics(package, plugin_id="herbs")}
    assert (here, other) == ("moss-ledger", "herbs")
