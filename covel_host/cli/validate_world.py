"""`covel validate-world`."""

import os
from pathlib import Path

import click

from covel_host.cli.failures import FINDINGS
from covel_host.cli.options import json_option, plugins_dir_option
from covel_host.cli.validation_output import (
    check_format,
    format_option,
    output_option,
    print_report,
    report_files,
    strict_option,
    write_reports,
)


@click.command(
    "validate-world",
    epilog="A PATH is a world pack, its world.yaml, or a folder of world packs. Each is checked in "
    "every language it declares and against the installed packages, as when a session is made. "
    "The exit code is 1 when there are errors, with --strict also for warnings. Reference: "
    "docs/worlds.md.",
)
@click.argument(
    "paths",
    type=click.Path(path_type=Path, exists=True),
    nargs=-1,
    required=True,
    metavar="PATH...",
)
@plugins_dir_option
@format_option
@output_option
@json_option
@strict_option
def command(
    *,
    paths: tuple[Path, ...],
    plugins_dirs: tuple[Path, ...],
    style: str | None,
    outputs: tuple[str, ...],
    as_json: bool,
    strict: bool,
) -> int:
    """Check world packs without making a session."""
    files = report_files(outputs)
    check_format(style, as_json=as_json)
    from covel_host.cli.world_checks import check_worlds
    from covel_host.diagnostics.diagnostic import fails
    from covel_host.settings import read_settings

    settings = read_settings(os.environ, extra_folders=plugins_dirs)
    checked = check_worlds(paths, settings)
    write_reports(checked, files)
    print_report(checked, style, as_json=as_json)
    return FINDINGS if fails(checked.diagnostics, strict=strict) else 0
