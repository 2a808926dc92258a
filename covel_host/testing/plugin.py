"""The pytest plugin: fixtures `covel` and `covel_package`, and runtime cases as tests.

Loaded by every pytest of an environment with the host in it, so it imports nothing of the host
until a fixture is used.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from covel_host.testing.bench import PackageBench
    from covel_host.testing.case_items import CaseCollector

_MARKER = (
    "covel(companions=[...], folders=[...], locale='en', seed=0): what the host of the fixture "
    "'covel' has beside the package under test (docs/testing.md)"
)
_KNOWN = ("companions", "folders", "locale", "seed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--covel-mode`."""
    parser.getgroup("covel").addoption(
        "--covel-mode",
        choices=("mock", "live"),
        default="mock",
        help="What answers in runtime cases: their own replies, or the configured models.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and leave the host's own modules as they are."""
    config.addinivalue_line("markers", _MARKER)
    spare_host(config.pluginmanager.rewrite_hook)


def spare_host(rewriting: Any) -> None:
    """Take the host off the list of what pytest compiles with asserts that explain themselves.

    It puts every module there that is installed together with a plugin. For the host's that takes
    seconds in each run and shows a test nothing; pytest has no public way to say so, and where its
    list has another name the run is slow and goes on.
    """
    for name in ("covel_host", "plugin_sdk"):
        getattr(rewriting, "_must_rewrite", set()).discard(name)
    getattr(rewriting, "_marked_for_rewrite_cache", {}).clear()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "CaseCollector | None":
    """The runtime cases of a package (docs/testing.md)."""
    if file_path.suffix != ".json":
        return None
    from covel_host.testing.case_paths import is_case_file

    if not is_case_file(file_path):
        return None
    from covel_host.testing.case_items import CaseCollector

    collector: CaseCollector = CaseCollector.from_parent(parent, path=file_path)
    return collector


@pytest.fixture
def covel_package(request: pytest.FixtureRequest) -> Path:
    """The folder of the package under test: the nearest one around the test's file."""
    from covel_host.testing.package_folders import package_around

    found = package_around(request.path.parent)
    if found is None:
        raise pytest.UsageError(
            f"{request.path} lies in no package: no folder above it has a PLUGIN.md. Move the test "
            "into the package's 'tests' folder, or override the fixture 'covel_package'."
        )
    return found


@pytest.fixture
def covel(request: pytest.FixtureRequest, covel_package: Path) -> "Iterator[PackageBench]":
    """The package under test in a host of its own; see `plugin_sdk.testing.Covel`."""
    from covel_host.testing.bench import PackageBench
    from covel_host.testing.private_settings import PrivateHostOptions
    from plugin_sdk.testing import NotLoaded

    problems, options = "", PrivateHostOptions(**_wanted(request))
    try:
        bench = PackageBench(covel_package, options)
    except NotLoaded as error:
        problems = str(error)
    if problems:
        # They alone, and not the host's own stack.
        pytest.fail(problems, pytrace=False)
    try:
        yield bench
    finally:
        bench.close()


def _wanted(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the markers say, the one nearest to the test first."""
    wanted: dict[str, Any] = {}
    for marker in request.node.iter_markers("covel"):
        unknown = [*map(repr, marker.args), *(set(marker.kwargs) - set(_KNOWN))]
        if unknown:
            raise pytest.UsageError(
                f"pytest.mark.covel takes {', '.join(_KNOWN)} by name, not {', '.join(unknown)}."
            )
        wanted = {**marker.kwargs, **wanted}
    if "folders" in wanted:
        wanted["folders"] = [Path(folder) for folder in wanted["folders"]]
    return wanted
