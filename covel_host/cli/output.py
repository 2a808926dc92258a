"""What commands print: one JSON document, or text; notes go beside it, to standard error."""

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import click

from covel_host.cli.cells import cells
from covel_host.cli.streams import give_up

# Control characters could steer a terminal, and those that override the direction of writing show
# a text as another one; surrogates, from file names that are no text, cannot be written at all.
_UNSHOWN = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (
        *range(0x20),
        *range(0x7F, 0xA0),
        *range(0x2028, 0x202F),
        *range(0x2066, 0x206A),
        *range(0xD800, 0xE000),
    )
    if chr(code) not in "\n\t"
}


def write_json(document: object) -> None:
    """Print `document` as one line of JSON."""
    from covel_host.base.json_text import dump_json

    click.echo(dump_json(document))


def write_text(text: str) -> None:
    """Print `text`, which ends with a line end of its own, without control characters."""
    click.echo(safe_text(text), nl=False)


def note(text: str) -> None:
    """Print one line to standard error; without a reader the command goes on unseen."""
    try:
        click.echo(safe_text(text), err=True)
    except (OSError, ValueError):
        give_up(sys.stderr)


def safe_text(text: str) -> str:
    """`text` as every terminal and every JSON document can hold it."""
    return text.translate(_UNSHOWN)


def one_line(text: str, *, limit: int) -> str:
    """`text` on one line, cut to `limit` characters with an ellipsis at the end."""
    joined = " ".join(text.split())
    return joined if len(joined) <= limit else f"{joined[: limit - 1]}…"


def path_text(path: Path) -> str:
    """`path` for display."""
    return safe_text(str(path))


def time_text(at: datetime) -> str:
    """`at` to the second, in UTC, for people."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC")


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def table(rows: Sequence[Sequence[str]], *, indent: str = "") -> str:
    """`rows` with columns of equal width; the last column is free, lines end with a line end."""
    if not rows:
        return ""
    widths = [max(cells(row[place]) for row in rows) for place in range(len(rows[0]))]
    widths[-1] = 0
    lines = (
        indent
        + "  ".join(
            text + " " * (width - cells(text)) for text, width in zip(row, widths, strict=True)
        )
        for row in rows
    )
    return "".join(f"{line.rstrip()}\n" for line in lines)
