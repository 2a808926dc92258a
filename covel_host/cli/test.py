"""`covel test`."""

from pathlib import Path

import click

from covel_host.cli.options import json_option


@click.command(
    "test",
    epilog="PATH is a package, the working directory without one. Its code and that of its tests "
    "runs. The tests are those of pytest in its 'tests' folder, and the cases of "
    "tests/runtime-cases.json. What stands after -- goes to pytest, such as -- -k dice. Reference: "
    "docs/testing.md.",
)
@click.argument(
    "path",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    metavar="[PATH]",
)
@click.argument("pytest_arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- PYTEST...]")
@click.option(
    "--mode",
    type=click.Choice(("mock", "live")),
    default="mock",
    help="What answers in runtime cases: their own replies, or the configured models. "
    "[default: mock]",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the results as JUnit XML too.",
)
@json_option
def command(
    *,
    path: Path,
    pytest_arguments: tuple[str, ...],
    mode: str,
    junit: Path | None,
    as_json: bool,
) -> int:
    """Run the tests of a package: pytest's, and its runtime cases."""
    from covel_host.cli.package_tests import run_tests

    return run_tests(path, pytest_arguments, mode=mode, junit=junit, as_json=as_json)
