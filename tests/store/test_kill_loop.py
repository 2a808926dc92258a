"""However often a process is killed, no turn is half there and none that was promised is gone."""

from pathlib import Path

from tests.store.kill_loop import kill_often


def test_kills_at_random_moments_leave_whole_turns(tmp_path: Path) -> None:
    kills = kill_often(tmp_path, count=30, seed=5)
    assert kills.count == 30
    assert kills.turns > 0
