"""Kills at random moments of a commit loop; a damaged or half turn stops the benchmark."""

from pathlib import Path

from benchmarks.rounds import table
from tests.store.kill_loop import kill_often

KILLS = 1_000
SEED = 9


def report(folder: Path) -> str:
    """The table of this part."""
    place = folder / "killed"
    place.mkdir()
    kills = kill_often(place, count=KILLS, seed=SEED)
    goal = KILLS // 2
    is_met = "met" if kills.inside >= goal else "missed"
    rows = [
        ["kills, each followed by a whole check", kills.count, "", ""],
        ["of them inside an open transaction", kills.inside, f"{goal} or more", is_met],
        ["turns committed meanwhile", kills.turns, "", ""],
        ["acknowledged turns lost, partial turns, damaged files", 0, 0, "met"],
    ]
    return table(["kill -9, synchronous=FULL", "", "goal", ""], rows)
