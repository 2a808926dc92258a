"""Every conformance package of `tests/cases/manifests/`, validated whole."""

import json
from pathlib import Path

import pytest

from tests.vector_adapters.explaining import explained
from tests.vector_adapters.manifests import check

CASES = Path(__file__).parents[2] / "cases" / "manifests"


@pytest.mark.parametrize("folder", sorted(CASES.iterdir()), ids=lambda folder: folder.name)
def test_a_case_is_validated_as_its_vector_says(folder: Path) -> None:
    expected = json.loads((folder / "expect.json").read_text(encoding="utf-8"))
    with explained(expected.get("why")):
        check(folder, expected)
