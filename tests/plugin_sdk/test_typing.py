"""What authors write passes mypy in strict mode, and what is wrong does not."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytest.importorskip("mypy", reason="mypy comes with the extra 'dev'")
EXAMPLES = Path(__file__).parent / "typing_examples"


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    cache = tmp_path_factory.mktemp("mypy")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-error-summary",
            "--config-file=",
            "--warn-unused-ignores",
            f"--cache-dir={cache}",
            str(EXAMPLES / "accepted.py"),
            str(EXAMPLES / "refused.py"),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert not done.stderr
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def test_the_shapes_of_the_documentation_are_accepted(findings: list[str]) -> None:
    assert [line for line in findings if "refused.py" not in line] == []


def test_each_wrong_line_is_found(findings: list[str]) -> None:
    wrong = (EXAMPLES / "refused.py").read_text(encoding="utf-8").splitlines()
    expected = [number for number, line in enumerate(wrong, 1) if "# wrong" in line]
    found = [int(line.split(":")[1]) for line in findings if "refused.py" in line]
    assert found == expected
