"""`covel test-runtime`."""

import os
from pathlib import Path

import click

from covel_host.cli.options import json_option, payload_option, plugins_dir_option, trust_option


@click.command(
    "test-runtime",
    epilog="A package alone runs its cases (tests/runtime-cases.json or covel.test.json), or "
    "without such a file its only runtime; with /RUNTIME that one runs with what the options give. "
    "Each case has a host of its own; nothing of the person's data is touched. The exit code is 1 "
    "when one did not go as it says. Reference: docs/testing.md.",
)
@click.argument("target", metavar="PLUGIN[/RUNTIME]|PATH")
@click.option("--case", "names", metavar="NAME", multiple=True, help="Only this case.")
@click.option(
    "--mode",
    type=click.Choice(("mock", "live")),
    default="mock",
    help="What answers: the replies that are given, or the configured models. [default: mock]",
)
@payload_option("What the runtime is given.")
@click.option("--message", metavar="TEXT", help="What the player says with it.")
@payload_option("The model's replies, as a list.", name="--replies")
@click.option(
    "--with",
    "--with-plugin",
    "companions",
    metavar="PLUGIN",
    multiple=True,
    help="A further package of the session, by ID or path; a case's own list goes before it.",
)
@click.option(
    "--expects-background-follower",
    "expects_follower",
    is_flag=True,
    help="Fail when the run queues no background work.",
)
@trust_option
@plugins_dir_option
@json_option
def command(
    *,
    target: str,
    names: tuple[str, ...],
    mode: str,
    payload: str | None,
    message: str | None,
    replies: str | None,
    companions: tuple[str, ...],
    expects_follower: bool,
    trusted: tuple[str, ...],
    plugins_dirs: tuple[Path, ...],
    as_json: bool,
) -> int:
    """Run the cases of a package, or one runtime, with a model that plays replies."""
    from covel_host.cli.log_file import log_to_file
    from covel_host.cli.run_request import given_value
    from covel_host.cli.runtime_cases import CaseRequest, run_cases
    from covel_host.cli.targets import parse_target
    from covel_host.settings import read_settings

    named = parse_target(target)
    companions = tuple(
        companion if found.folder is None else str(found.folder)
        for companion in companions
        for found in [parse_target(companion)]
    )
    folders = [*([] if named.folder is None else [named.folder]), *plugins_dirs]
    settings = read_settings(os.environ, extra_folders=folders, trust=trusted)
    given = {
        "payload": None if payload is None else given_value(payload),
        "message": message,
        "llmResponses": None if replies is None else given_value(replies, option="--replies"),
        "expectsBackgroundFollower": expects_follower or None,
    }
    request = CaseRequest(
        target=named,
        names=names,
        is_live=mode == "live",
        given={name: value for name, value in given.items() if value is not None},
        companions=companions,
    )
    with log_to_file(settings) as output:
        return run_cases(request, settings, output=output, as_json=as_json)
