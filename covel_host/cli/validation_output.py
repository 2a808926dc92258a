"""What the commands that check folders have in common: formats, files of reports, printing."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from covel_host.cli.validation_report import Checked

FORMAT_NAMES: Final = ("full", "concise", "json", "sarif", "github")

format_option = click.option(
    "--format",
    "style",
    type=click.Choice(FORMAT_NAMES),
    help="What is printed: blocks with the faulty lines (full, the default), one line each, one "
    "JSON document, SARIF 2.1.0, or GitHub workflow commands.",
)

output_option = click.option(
    "--output",
    "outputs",
    multiple=True,
    metavar="FORMAT=FILE",
    help="Write a further report to a file; may be given several times.",
)

strict_option = click.option(
    "--strict", is_flag=True, help="Let warnings fail the check, too; notes never do."
)


def check_format(style: str | None, *, as_json: bool) -> None:
    """Pass when `--json` and `--format` do not contradict each other.

    Raises:
        click.UsageError: they do.
    """
    if as_json and style not in (None, "json"):
        raise click.UsageError(f"--json and --format {style} cannot both be printed.")


def report_files(outputs: tuple[str, ...]) -> list[tuple[str, Path]]:
    """Formats and files of `--output`.

    Raises:
        click.BadParameter: one of them is no such pair, or a file is named twice.
    """
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


def write_reports(checked: "Checked", files: list[tuple[str, Path]]) -> None:
    """Write the report to each of `files`, in its format."""
    from covel_host.cli.validation_report import report_text

    for name, file in files:
        _write(file, report_text(checked, name))


def print_report(checked: "Checked", style: str | None, *, as_json: bool) -> None:
    """Print the report in the format asked for."""
    from covel_host.cli.validation_report import report_text
    from covel_host.diagnostics.ansi import wants_colour

    colour = wants_colour(sys.stdout, os.environ)
    text = report_text(checked, "json" if as_json else style or "full", colour=colour)
    click.echo(writable(text), nl=False, color=colour)


def _write(file: Path, text: str) -> None:
    try:
        file.write_bytes(writable(text).encode("utf-8"))
    except OSError as error:
        raise click.BadParameter(
            f"{str(file)!r} cannot be written: {error.strerror or error}.", param_hint="--output"
        ) from None


def writable(text: str) -> str:
    """`text` without the halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
