"""`covel validate-plugin`."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from covel_host.cli.failures import FINDINGS
from covel_host.cli.options import json_option

if TYPE_CHECKING:
    from covel_host.cli.validation_report import Checked

FORMAT_NAMES: Final = ("full", "concise", "json", "sarif", "github")


@click.command(
    "validate-plugin",
    epilog="A PATH is a package, its PLUGIN.md, or a folder of packages. The exit code is 1 when "
    "there are errors, with --strict also for warnings, and with --diff also when there is "
    "something to fix.",
)
@click.argument(
    "paths",
    type=click.Path(path_type=Path, exists=True),
    nargs=-1,
    required=True,
    metavar="PATH...",
)
@click.option(
    "--format",
    "style",
    type=click.Choice(FORMAT_NAMES),
    help="What is printed: blocks with the faulty lines (full, the default), one line each, one "
    "JSON document, SARIF 2.1.0, or GitHub workflow commands.",
)
@click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write a further report to a file; may be given several times.",
)
@json_option
@click.option("--fix", is_flag=True, help="Make the fixes, then report what is left.")
@click.option(
    "--diff",
    is_flag=True,
    help="Print what --fix would change instead of the problems, and change nothing.",
)
@click.option("--strict", is_flag=True, help="Let warnings fail the check, too; notes never do.")
def command(
    *,
    paths: tuple[Path, ...],
    style: str | None,
    outputs: tuple[str, ...],
    as_json: bool,
    fix: bool,
    diff: bool,
    strict: bool,
) -> int:
    """Check package folders without running their code."""
    files = _files(outputs)
    if as_json and style not in (None, "json"):
        raise click.UsageError(f"--json and --format {style} cannot both be printed.")
    if diff and (fix or as_json or style):
        other = "--fix" if fix else "--json" if as_json else "--format"
        raise click.UsageError(f"--diff prints a difference and does not go with {other}.")
    from covel_host.cli.package_paths import packages_at
    from covel_host.cli.validation_report import Checked, fix_lines, report_text
    from covel_host.cli.validation_runs import check_packages
    from covel_host.diagnostics.ansi import wants_colour
    from covel_host.diagnostics.diagnostic import fails

    found = packages_at(paths)
    checks = check_packages(found.roots, fixing="plan" if diff else "write" if fix else "none")
    checked = Checked(found.diagnostics, checks)
    for name, file in files:
        _write(file, report_text(checked, name))
    failed = fails(checked.diagnostics, strict=strict)
    if diff:
        return FINDINGS if _print_difference(checked) or failed else 0
    lines = list(fix_lines(checks))
    if lines:
        click.echo(_writable("\n".join(lines)), err=True)
    colour = wants_colour(sys.stdout, os.environ)
    text = report_text(checked, "json" if as_json else style or "full", colour=colour)
    click.echo(_writable(text), nl=False, color=colour)
    return FINDINGS if failed else 0


def _files(outputs: tuple[str, ...]) -> list[tuple[str, Path]]:
    files: dict[Path, str] = {}
    for written in outputs:
        name, is_pair, file = written.partition("=")
        if not is_pair or not file or name not in FORMAT_NAMES:
            known = ", ".join(FORMAT_NAMES)
            raise click.BadParameter(
                f"{written!r} is not FORMAT=FILE with one of the formats {known}.",
                param_hint="--output",
            )
        path = Path(file)
        if path in files:
            raise click.BadParameter(f"{file!r} is named twice.", param_hint="--output")
        files[path] = name
    return [(name, path) for path, name in files.items()]


def _write(file: Path, text: str) -> None:
    try:
        file.write_bytes(_writable(text).encode("utf-8"))
    except OSError as error:
        raise click.BadParameter(
            f"{str(file)!r} cannot be written: {error.strerror or error}.", param_hint="--output"
        ) from None


def _print_difference(checked: "Checked") -> bool:
    """Print the difference, the counts beside it; whether there was one."""
    from covel_host.cli.output import note, safe_text
    from covel_host.cli.validation_report import difference
    from covel_host.diagnostics.formats import summary_line

    text = difference(checked)
    # A terminal is kept from control characters; a patch needs every byte of a line end.
    click.echo(safe_text(text.replace("\r\n", "\n")) if sys.stdout.isatty() else text, nl=False)
    note(summary_line(checked.diagnostics, packages=len(checked.packages)))
    return bool(text)


def _writable(text: str) -> str:
    """`text` without the halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
