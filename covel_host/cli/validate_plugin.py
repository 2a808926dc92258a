"""`covel validate-plugin`."""

from pathlib import Path

import click

from covel_host.cli.failures import FINDINGS
from covel_host.cli.options import json_option


@click.command("validate-plugin")
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
    type=click.Choice(["full", "concise", "json"]),
    default="full",
    show_default=True,
    help="Blocks with the faulty lines, one line each, or one JSON document.",
)
@json_option
def command(*, paths: tuple[Path, ...], style: str, as_json: bool) -> int:
    """Check package folders without running their code."""
    from covel_host.cli.output import safe_text
    from covel_host.cli.validation import check_packages
    from covel_host.diagnostics.formats import FORMATS, Report

    checked = check_packages(paths)
    report = Report(checked.diagnostics, packages=len(checked.readings), sources=checked.source)
    click.echo(safe_text(FORMATS["json" if as_json else style](report)), nl=False)
    return FINDINGS if any(found.severity == "error" for found in report.diagnostics) else 0
