"""`covel dev`."""

import os
import sys
from pathlib import Path

import click

from covel_host.cli.options import locale_option, plugins_dir_option, trust_option


@click.command(
    "dev",
    epilog="PATH is a package or a folder of packages. The code in it, and in each --plugins-dir, "
    "runs without a question. Reference: docs/developing.md.",
)
@click.argument(
    "path", required=False, type=click.Path(path_type=Path, file_okay=False, exists=True)
)
@click.option("--session", "session_id", metavar="ID", help="Run runtimes in this session.")
@click.option(
    "--model", metavar="SLOT|offline|scripted:FILE", help="What answers every model call."
)
@trust_option
@locale_option
@plugins_dir_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON objects, one a line, instead of text."
)
def command(
    *,
    path: Path | None,
    session_id: str | None,
    model: str | None,
    trusted: tuple[str, ...],
    locale: str | None,
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Take edits of packages over as they are saved, and run their runtimes."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.models.selector import parse_model_selector
    from covel_host.settings import read_settings

    named = [Path(os.path.abspath(each)) for each in ([] if path is None else [path])]
    named += [Path(os.path.abspath(each)) for each in plugins_dirs]
    selector = None if model is None else parse_model_selector(model)
    settings = read_settings(os.environ, extra_folders=named, trust=trusted, locale=locale)
    with log_to_file(settings) as output:
        from covel_host.cli.dev_host import develop

        return develop(
            settings,
            named=named,
            session_id=session_id,
            selector=selector,
            input_stream=sys.stdin,
            output=output,
            as_json=as_json,
        )
