"""The `covel` program: its commands by name, and what becomes of an error.

Exit codes: 0 all well, 1 findings or a failed run, 2 wrong usage, 3 an internal error.
"""

import gc
import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from covel_host.base.errors import HostError
from covel_host.cli import failures, streams

COMMANDS = {
    "answer": "Answer a question that a package has asked the player.",
    "db": "Check the database, or back it up.",
    "dev": "Take edits of packages over as they are saved, and run their runtimes.",
    "doctor": "Check this installation, its folders, packages and models.",
    "explain": "Say what a diagnostic code or a reserved name means.",
    "install": "Put a package into the user's folder, from a ZIP archive or a folder.",
    "jobs": "List the jobs of a session, run them, cancel one, or try one again.",
    "mcp": "Serve the tools of packages to an MCP client over standard input and output.",
    "models": "Show the model slots and where each setting comes from.",
    "new": "Begin a package from a template.",
    "plan": "Show what the next turn of a session runs, and why each runtime does or does not.",
    "play": "Play a session in the terminal, a new one or one that is there.",
    "plugins": "List the packages found, show one, turn it off, set what it can be set to.",
    "replay": "Run a recorded turn again, with the packages of now, and compare what comes of it.",
    "rpc": "Run an RPC action of a package, or a player's command, in a session.",
    "run": "Run one runtime of a package and commit its turn.",
    "schema": "Print the JSON Schema of a manifest, for editors.",
    "sessions": "List sessions, show one, begin, change, fork, export or delete one.",
    "suspensions": "List the runs of a session that wait for an answer, give one, or give it up.",
    "test": "Run the tests of a package: pytest's, and its runtime cases.",
    "test-runtime": "Run the cases of a package, or one runtime, with a model that plays replies.",
    "tools": "List the tools that packages register, and those made from their data sets.",
    "trace": "Show what happened in a turn: runtimes, model calls, tools, tokens, time and cost.",
    "trust": "Show whose code may run, allow a package's, or take that back.",
    "turn": "Play one turn of a session: say MESSAGE, or let it start.",
    "uninstall": "Remove a package from the user's folder, and the trust in it.",
    "validate-plugin": "Check package folders without running their code.",
    "validate-world": "Check world packs without making a session.",
    "version": "Show the versions of host and Python.",
}
"""Command names with their one-line help, so that `covel --help` imports none of them."""


class _LazyGroup(click.Group):
    """A group whose commands live in modules named after them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"covel_host.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # For click it would be a failure that a reader goes away (`covel … | head`).
            streams.give_up(sys.stdout)
            return 0

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if near := _nearest(args[0]):
                message = f"{error.format_message()} Did you mean {near!r}?"
                raise click.UsageError(message, ctx) from None
            raise

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


def _nearest(name: str) -> str | None:
    import difflib

    found = difflib.get_close_matches(name, COMMANDS, n=1)
    return found[0] if found else None


@click.command(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Reference: docs/cli.md. Exit codes: 0 ok, 1 findings, 2 usage, 3 internal.",
)
def covel() -> None:
    """Find, check, load and run plugin packages for LLM-driven stories and agents."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and end the process with its exit code."""
    _start_quickly()
    given = sys.argv[1:] if arguments is None else arguments
    streams.prepare_streams(as_json=_wants_json(given))
    code = run(given)
    streams.end_output(_keep_crash)
    sys.exit(code)


def _start_quickly() -> None:
    """Settings of this process that save about 30 of 300 ms of `covel plugins list`."""
    # Imports make many lasting objects and no garbage worth looking for.
    gc.set_threshold(100_000, 50, 50)
    # pydantic would search every installed distribution for plugins that change its validation.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def run(arguments: Sequence[str]) -> int:
    """The exit code of one call; output goes to the standard streams, never a traceback."""
    as_json = _wants_json(arguments)
    try:
        result = covel.main(args=list(arguments), prog_name="covel", standalone_mode=False)
    except click.ClickException as error:
        return failures.usage_error(error, as_json=as_json)
    except (click.Abort, KeyboardInterrupt):
        return failures.aborted(as_json=as_json)
    except HostError as error:
        return failures.host_error(error, as_json=as_json)
    except BaseException as error:
        # Also what is no Exception: no package's `sys.exit` ends a command without a word.
        if isinstance(error, OSError) and _comes_from_writing(error):
            return failures.output_lost(error, sys.stdout)
        if isinstance(error, FileNotFoundError) and not _has_working_directory():
            return failures.host_error(_working_directory_gone(), as_json=as_json)
        return failures.internal_error(error, as_json=as_json)
    return result if isinstance(result, int) else 0


def _comes_from_writing(error: OSError) -> bool:
    # Notes fail without a word, so what `click.echo` could not write was for standard output.
    *_, (last, _) = traceback.walk_tb(error.__traceback__)
    return last.f_code is click.echo.__code__


def _has_working_directory() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def _working_directory_gone() -> HostError:
    return HostError(
        "The folder that the command was called in does not exist any more.",
        code="working-directory-gone",
        hint="Change to another folder, then repeat the command.",
    )


def _keep_crash(error: BaseException) -> None:
    from covel_host.cli.crash_log import write_crash

    write_crash(error)


def _wants_json(arguments: Sequence[str]) -> bool:
    # An error may come before the options are parsed, or because of them.
    given = " ".join(arguments)
    return "--json" in arguments or "--format json" in given or "--format=json" in given
