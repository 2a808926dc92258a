"""Running the tests of a package with pytest, in a process of its own."""

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from covel_host.base.errors import HostError
from covel_host.cli.failures import FINDINGS
from covel_host.cli.junit_reports import results_json
from covel_host.cli.output import safe_text, write_json
from covel_host.cli.targets import parse_target
from covel_host.testing.case_paths import case_file

_NO_TESTS: Final = 5
"""pytest's exit code when it found nothing to run."""


def run_tests(
    path: Path, arguments: Sequence[str], *, mode: str, junit: Path | None, as_json: bool
) -> int:
    """Run the tests of the package at `path`; the exit code is 0 when all of them passed.

    With `as_json` pytest's own report goes to standard error.

    Raises:
        HostError: `path` is no package, it has no tests, or pytest is not installed.
    """
    package = parse_target(os.path.abspath(path)).folder
    assert package is not None
    found = _found(package)
    if importlib.util.find_spec("pytest") is None:
        raise HostError(
            "The tests of packages need pytest, which is not installed.",
            code="pytest-missing",
            hint="pip install 'covel-host[kit]'",
        )
    with tempfile.TemporaryDirectory(prefix="covel-results-") as folder:
        results = None if junit is None else Path(os.path.abspath(junit))
        if as_json and results is None:
            results = Path(folder) / "results.xml"
        call = [*_pytest(package, mode, results), *arguments, *found]
        done = subprocess.run(
            call, cwd=package, stdout=sys.stderr if as_json else None, env=_environ(), check=False
        )
        if done.returncode == _NO_TESTS:
            raise _none_chosen(package) if arguments else _nothing(package)
        if as_json and results is not None:
            write_json(results_json(results, package.name, exit_code=done.returncode))
    return 0 if done.returncode == 0 else FINDINGS


def _found(package: Path) -> list[str]:
    """What pytest is to look at."""
    paths = [package / "tests"] if (package / "tests").is_dir() else []
    cases = case_file(package)
    if cases is not None and not (paths and cases.is_relative_to(paths[0])):
        paths.append(cases)
    if not paths:
        raise _nothing(package)
    return [str(each) for each in paths]


def _nothing(package: Path) -> HostError:
    return HostError(
        f"The package {safe_text(package.name)!r} has no tests.",
        code="no-tests",
        hint="Write some into its 'tests' folder; docs/testing.md begins with one.",
    )


def _none_chosen(package: Path) -> HostError:
    return HostError(f"None of the tests of {package.name!r} was chosen.", code="no-tests")


def _pytest(package: Path, mode: str, results: Path | None) -> list[str]:
    options = [f"--rootdir={package}", "--import-mode=importlib", f"--covel-mode={mode}"]
    # A package's folder holds what its author put there, and nothing of its tests' runs.
    options += ["-p", "no:cacheprovider"]
    if results is not None:
        options += [f"--junitxml={results}", "-o", "junit_family=xunit1"]
    return [sys.executable, "-B", "-m", "pytest", *options]


def _environ() -> dict[str, str]:
    """The environment, in which the host and its plugin are found as they are here."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
