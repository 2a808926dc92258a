"""Times of alternating rounds, and the tables they go into."""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence


def median_times(
    cases: Mapping[str, Callable[[], object]], *, rounds: int, repeat: int = 1
) -> dict[str, float]:
    """Median seconds per call of each case; the cases alternate, so noise meets all of them.

    A round calls a case `repeat` times. One round more warms up and is not counted.
    """
    times: dict[str, list[float]] = {name: [] for name in cases}
    for round_number in range(rounds + 1):
        for name, case in cases.items():
            start = time.perf_counter()
            for _ in range(repeat):
                case()
            if round_number:
                times[name].append((time.perf_counter() - start) / repeat)
    return {name: statistics.median(values) for name, values in times.items()}


def verdict(value: float, goal: float | None) -> str:
    """The last cell of a row: whether a goal is met, empty without one."""
    return "" if goal is None else "met" if value <= goal else "missed"


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines) + "\n"
