"""Every conformance package of `tests/cases/manifests/`, validated whole."""

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.validation import validate_folder

CASES = Path(__file__).parents[2] / "cases" / "manifests"


def packages() -> Iterator[Any]:
    for folder in sorted(CASES.iterdir()):
        expected = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
        yield pytest.param(folder, expected, id=folder.name)


def copy_of(folder: Path, expected: dict[str, Any], place: Path) -> Path:
    copy = place / "packages" / folder.name
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("expect.json"))
    if "symlink" in expected:
        make_link(copy, expected["symlink"])
    return copy


def make_link(package: Path, link: dict[str, Any]) -> None:
    target = package / link["to"]
    target.parent.mkdir(parents=True, exist_ok=True)
    if "content" in link:
        target.write_text(link["content"], encoding="utf-8")
    for name, content in link.get("folder", {}).items():
        target.mkdir(exist_ok=True)
        (target / name).write_text(content, encoding="utf-8")
    place = package / link["link"]
    place.parent.mkdir(parents=True, exist_ok=True)
    try:
        place.symlink_to(target)
    except OSError:
        pytest.skip("links cannot be made here")


def meets(found: Diagnostic, wanted: dict[str, Any]) -> bool:
    if "code" in wanted and found.name != wanted["code"]:
        return False
    if any(text not in found.message for text in wanted.get("mentions", ())):
        return False
    places = [wanted, *wanted.get("accept", ())]
    return any(
        ("file" not in place or found.file == place["file"])
        and ("path" not in place or found.path == place["path"])
        for place in places
    )


@pytest.mark.parametrize(("folder", "expected"), list(packages()))
def test_a_case_is_validated_as_its_vector_says(
    folder: Path, expected: dict[str, Any], tmp_path: Path
) -> None:
    started = time.process_time()
    validation = validate_folder(copy_of(folder, expected, tmp_path))
    assert time.process_time() - started < 2
    errors = [found for found in validation.diagnostics if found.severity == "error"]
    if expected["valid"]:
        assert errors == [], expected["why"]
        return
    for wanted in expected["errors"]:
        assert any(meets(found, wanted) for found in errors), (expected["why"], errors)
