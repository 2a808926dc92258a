import importlib.metadata
from pathlib import Path

import pytest

from covel_host import __version__
from covel_host.catalog.requirements import host_fits, unmet_requirements
from covel_host.manifest.package import read_package
from tests.catalog.builders import write_package


@pytest.mark.parametrize(
    ("host_range", "version", "fits"),
    [
        (">=0.2.0 <1.0.0", "0.2.0", True),
        (">=0.2.0 <1.0.0", "1.0.0", False),
        (">=0.2.0", "0.2.0.dev3+local", True),
        ("0.2.0", "0.2.0", True),
        ("=0.2.0", "0.2.1", False),
        (">0.2.0", "0.10.0", True),
        ("<=0.2.0", "0.2.0rc1", True),
        ("^0.2.0", "0.2.0", None),
        (">=0.2.0", "unknown", None),
    ],
)
def test_host_ranges_are_comparators_that_all_hold(
    host_range: str, version: str, fits: bool | None
) -> None:
    assert host_fits(host_range, version) is fits


def found(root: Path, manifest: str) -> list[tuple[str, str, str, str | None]]:
    reading = read_package(write_package(root / "moss-ledger", {}, manifest=manifest))
    return [
        (problem.name, problem.path, problem.message, problem.hint)
        for problem in unmet_requirements(reading)
    ]


def test_a_host_out_of_range_is_named_with_its_version(tmp_path: Path) -> None:
    assert found(tmp_path, "covel: '>=99.0.0'\n") == [
        (
            "host-version-unfit",
            "covel",
            f"The package wants a host of version '>=99.0.0'; this one is {__version__}.",
            "Install a host in that range, or another version of the package.",
        )
    ]


def test_python_and_libraries_that_do_not_fit_are_all_named(tmp_path: Path) -> None:
    manifest = (
        "python:\n  requires: '>=99'\n"
        "  dependencies: [pytest, 'pytest>=999', no-such-library, 'other; os_name == \"none\"']\n"
    )
    version = importlib.metadata.version("pytest")
    problems = found(tmp_path, manifest)
    assert [problem[:2] for problem in problems] == [
        ("python-requirement-unmet", "python.requires"),
        ("python-requirement-unmet", "python.dependencies.1"),
        ("python-requirement-unmet", "python.dependencies.2"),
    ]
    assert problems[1][2:] == (
        f"The package needs 'pytest>=999': version {version} is installed.",
        "Install it: python -m pip install 'pytest>=999'",
    )
    assert problems[2][2] == "The package needs 'no-such-library': it is not installed."


def test_a_package_without_needs_is_fit(tmp_path: Path) -> None:
    assert found(tmp_path, "covel: '>=0.0.0'\npython:\n  requires: '>=3.11'\n") == []
