"""A turn of the story, broken at every await that crosses a port.

A sample of the faults runs here; `COVEL_ALL_FAULTS=1` runs all of them.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from tests.support.crossings import MODES, Fault
from tests.support.story_faults import run_faults

PORTS = {"model", "store", "tool", "hook", "guard", "handler", "service", "extension"}


def chosen(seen: list[str]) -> Iterator[Fault]:
    """The first and the last crossing of each port, or all; in each of the modes."""
    everything = "COVEL_ALL_FAULTS" in os.environ
    for port in sorted({name.split()[0] for name in seen}):
        numbers = [number for number, name in enumerate(seen, 1) if name.startswith(f"{port} ")]
        picked = numbers if everything else {numbers[0], numbers[-1]}
        for number in sorted(picked):
            for mode in MODES:
                yield Fault(number, mode)


def test_a_turn_that_breaks_anywhere_is_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    seen, problems = run_faults(tmp_path, chosen)
    print(f"{len(seen)} awaits of the turn cross a port")
    assert {name.split()[0] for name in seen} >= PORTS
    assert problems == {}
