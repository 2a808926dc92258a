"""`--safe`: what is bundled and nothing else, when something of the rest breaks."""

from collections.abc import Sequence
from pathlib import Path

import click

from covel_host.cli.output import note


def begin_safe_mode(folders: Sequence[Path]) -> None:
    """Say what is looked at; `folders` are those that the command line names.

    Raises:
        UsageError: there are such folders, which safe mode would pass over in silence.
    """
    if folders:
        raise click.UsageError(
            "--safe looks at bundled packages only, and a folder or package path was named."
        )
    note("Safe mode: bundled packages only; no other package is looked at.")
