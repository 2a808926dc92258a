"""`covel trace`."""

import os

import click

from covel_host.cli.options import json_option
from covel_host.cli.output import write_json, write_text


@click.command(
    "trace",
    epilog="SESSION is the ID of a session, or `last` for the one that changed last. TURN is the "
    "ID of a turn, its number in the session, or `last`. Reference: docs/tracing.md.",
)
@click.argument("session_id", metavar="SESSION")
@click.argument("turn", metavar="[TURN]", default="last")
@click.option("--call", type=click.IntRange(1), metavar="N", help="Show model call N in full.")
@click.option(
    "--prompt", type=click.IntRange(1), metavar="N", help="Show what model call N was given."
)
@json_option
def command(
    *, session_id: str, turn: str, call: int | None, prompt: int | None, as_json: bool
) -> None:
    """Show what happened in a turn: runtimes, model calls, tools, tokens, time and cost."""
    from covel_host.cli.trace_facts import read_trace
    from covel_host.settings import read_settings

    if call is not None and prompt is not None:
        raise click.UsageError("Give either --call or --prompt, and not both.")
    facts = read_trace(read_settings(os.environ), session_id, turn, prompt=prompt)
    if as_json:
        from covel_host.cli.trace_json import call_json, prompt_json, trace_json

        if facts.prompt is not None:
            write_json(prompt_json(facts.prompt))
        else:
            write_json(trace_json(facts) if call is None else call_json(facts, call))
        return
    from covel_host.cli.trace_text import call_text, prompt_text, trace_text

    if facts.prompt is not None:
        write_text(prompt_text(facts.prompt))
    else:
        write_text(trace_text(facts) if call is None else call_text(facts, call))
