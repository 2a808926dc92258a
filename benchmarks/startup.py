"""How long light commands take from nothing to done, beside the bare interpreter and peers."""

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROUNDS = 15
ECHO_DEMO = Path(__file__).parent.parent / "templates" / "echo-demo"


@dataclass(frozen=True, slots=True)
class Case:
    """One command; `goal_ms` is what its issue asks for, `None` for floors and peers."""

    name: str
    command: Sequence[str]
    goal_ms: int | None = None


def report() -> str:
    """The section of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        _make_packages(home, count=20)
        cases = [case for case in _cases(home) if shutil.which(case.command[0])]
        times = _measure(cases, {**os.environ, "COVEL_HOME": str(home)})
    floor = times[cases[0].name]
    rows = [_row(case, times[case.name], floor) for case in cases]
    head = "| command | ms | ratio to floor | goal ms | |\n| --- | --- | --- | --- | --- |"
    return "\n".join(["## Start-up", "", "Floor: the bare interpreter.", "", head, *rows, ""])


def _cases(home: Path) -> list[Case]:
    folder = Path(sys.executable).parent
    covel = str(folder / "covel")
    one = str(home / "plugins" / "echo-demo-0")
    return [
        Case("python -c pass (floor)", (sys.executable, "-c", "pass")),
        Case("import click, yaml, pluggy, pydantic", (sys.executable, "-c", IMPORTS)),
        Case("covel --help", (covel, "--help"), goal_ms=100),
        Case("covel plugins list, 20 packages", (covel, "plugins", "list"), goal_ms=300),
        Case("covel validate-plugin, 1 package", (covel, "validate-plugin", one), goal_ms=300),
        Case("peer: npe2 --help", (str(folder / "npe2"), "--help")),
        Case("peer: llm --help", (str(folder / "llm"), "--help")),
        Case("peer: llm plugins", (str(folder / "llm"), "plugins")),
    ]


IMPORTS = "import click, yaml, pluggy, pydantic; pydantic.BaseModel"


def _make_packages(home: Path, *, count: int) -> None:
    for number in range(count):
        shutil.copytree(ECHO_DEMO, home / "plugins" / f"echo-demo-{number}")


def _measure(cases: Sequence[Case], environment: Mapping[str, str]) -> dict[str, float]:
    """Median milliseconds per case; the cases alternate, so noise meets all of them."""
    times: dict[str, list[float]] = {case.name: [] for case in cases}
    for round_number in range(ROUNDS + 1):
        for case in cases:
            start = time.perf_counter()
            subprocess.run(
                case.command, check=True, env=dict(environment), stdout=subprocess.DEVNULL
            )
            # The first round warms the file cache.
            if round_number:
                times[case.name].append((time.perf_counter() - start) * 1000)
    return {name: statistics.median(values) for name, values in times.items()}


def _row(case: Case, milliseconds: float, floor: float) -> str:
    goal = "" if case.goal_ms is None else str(case.goal_ms)
    verdict = ""
    if case.goal_ms is not None:
        verdict = "met" if milliseconds <= case.goal_ms else "missed"
    ratio = milliseconds / floor
    return f"| {case.name} | {milliseconds:.0f} | {ratio:.1f} | {goal} | {verdict} |"
