"""`covel validate-plugin`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from covel_host.cli.failures import FINDINGS
from covel_host.cli.options import json_option
from covel_host.cli.validation_output import (
    check_format,
    format_option,
    output_option,
    print_report,
    report_files,
    strict_option,
    writable,
    write_reports,
)

if TYPE_CHECKING:
    from covel_host.cli.validation_report import Checked


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
@format_option
@output_option
@json_option
@click.option("--fix", is_flag=True, help="Make the fixes, then report what is left.")
@click.option(
    "--diff",
    is_flag=True,
    help="Print what --fix would change instead of the problems, and change nothing.",
)
@strict_option
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
    files = report_files(outputs)
    check_format(style, as_json=as_json)
    if diff and (fix or as_json or style):
        other = "--fix" if fix else "--json" if as_json else "--format"
        raise click.UsageError(f"--diff prints a difference and does not go with {other}.")
    from covel_host.cli.package_paths import packages_at
    from covel_host.cli.validation_report import Checked, fix_lines
    from covel_host.cli.validation_runs import check_packages
    from covel_host.diagnostics.diagnostic import fails

    found = packages_at(paths)
    checks = check_packages(found.roots, fixing="plan" if diff else "write" if fix else "none")
    checked = Checked(found.diagnostics, checks)
    write_reports(checked, files)
    failed = fails(checked.diagnostics, strict=strict)
    if diff:
        return FINDINGS if _print_difference(checked) or failed else 0
    lines = list(fix_lines(checks))
    if lines:
        click.echo(writable("\n".join(lines)), err=True)
    print_report(checked, style, as_json=as_json)
    return FINDINGS if failed else 0


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
