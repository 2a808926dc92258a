"""The `covel` program: its commands by name, and what becomes of an error.

Exit codes: 0 all well, 1 findings or a failed run, 2 wrong usage, 3 an internal error.
"""

import importlib
import sys
from collections.abc import Sequence

import click

from covel_host.base.errors import HostError

COMMANDS = {
    "doctor": "Check this installation, its folders, packages and models.",
    "models": "Show the model slots and where each setting comes from.",
    "plugins": "List the packages found, or show one.",
    "run": "Run one runtime of a package and commit its turn.",
    "sessions": "List sessions, or show one.",
    "tools": "List the tools that packages register.",
    "validate-plugin": "Check package folders without running their code.",
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
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: Sequence[str]) -> int:
    """The exit code of one call; output goes to the standard streams, never a traceback."""
    try:
        result = covel.main(args=list(arguments), prog_name="covel", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Aborted.", err=True)
        return 1
    except HostError as error:
        _show(error, as_json="--json" in arguments)
        return 1
    except BrokenPipeError:
        return _end_of_pipe()
    except Exception as error:
        return _internal(error)
    return result if isinstance(result, int) else 0


def _show(error: HostError, *, as_json: bool) -> None:
    if as_json:
        from covel_host.base.json_text import dump_json

        facts = {"code": error.code, "message": error.message, "hint": error.hint}
        click.echo(dump_json({"error": {key: text for key, text in facts.items() if text}}))
        return
    click.echo(f"error: {error.message}", err=True)
    if error.hint:
        click.echo(f"  {error.hint}", err=True)


def _internal(error: Exception) -> int:
    """Keep the stack trace in the log and name it; people get one line."""
    from covel_host.cli.crash_log import write_crash

    place = write_crash(error)
    summary = str(error).splitlines()[0] if str(error) else ""
    click.echo(f"internal error: {type(error).__name__}: {summary}", err=True)
    click.echo(f"  The details are in {place}; a report with them helps to mend it.", err=True)
    return 3


def _end_of_pipe() -> int:
    # The reader went away (`covel … | head`): what is left must not fail while it is flushed.
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
