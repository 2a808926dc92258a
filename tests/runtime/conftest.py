"""What the tests of this folder share."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.runs import RunBench, function_manifest

BenchMaker = Callable[..., RunBench]


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[BenchMaker]:
    """Makes the bench of one test; a function runtime where no manifest is given."""
    made: list[RunBench] = []

    def make(**facts: Any) -> RunBench:
        facts.setdefault("manifest", function_manifest())
        made.append(RunBench(tmp_path, **facts))
        return made[-1]

    yield make
    for one in made:
        one.close()
