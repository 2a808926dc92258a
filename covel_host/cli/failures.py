"""What becomes of an error: words on standard error, one JSON document, an exit code."""

import os
from collections.abc import Mapping
from typing import Final, TextIO

import click

from covel_host.base.errors import HostError

FINDINGS = 1
USAGE = 2
INTERNAL = 3

_NO_MEMBERS: Final[Mapping[str, object]] = {}


class DetailedError(HostError):
    """An error with more to tell: `text` stands above it, `members` in its JSON."""

    def __init__(
        self, message: str, *, code: str, text: str, members: Mapping[str, object]
    ) -> None:
        super().__init__(message, code=code)
        self.text = text
        self.members = members


def host_error(error: HostError, *, as_json: bool) -> int:
    """Say what a person can do something about."""
    members = _NO_MEMBERS
    if isinstance(error, DetailedError):
        click.echo(error.text, err=True)
        members = error.members
    _say(f"error: {error.message}", error.hint)
    if as_json:
        _document(error.code, error.message, error.hint, members)
    return FINDINGS


def usage_error(error: click.ClickException, *, as_json: bool) -> int:
    """Say how the command is used; the exit code is click's own."""
    error.show()
    if as_json:
        _document("usage", error.format_message() or "The command is incomplete.", None)
    return error.exit_code


def aborted(*, as_json: bool) -> int:
    """Say that a person ended the command."""
    _say("Aborted.", None)
    if as_json:
        _document("aborted", "The command was aborted.", None)
    return FINDINGS


def internal_error(error: Exception, *, as_json: bool) -> int:
    """Keep the stack trace in the log and name it; people get one line."""
    from covel_host.cli.crash_log import write_crash

    place = write_crash(error)
    text = str(error).splitlines()
    message = f"{type(error).__name__}: {text[0] if text else ''}"
    hint = f"The details are in {place}; a report with them helps to mend it."
    _say(f"internal error: {message}", hint)
    if as_json:
        _document("internal-error", message, hint)
    return INTERNAL


def end_of_pipe(output: TextIO) -> None:
    """`output` has no reader any more: what is left must not fail while it is flushed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


def error_facts(code: str, message: str, hint: str | None) -> dict[str, str]:
    """An error in a JSON document."""
    from covel_host.cli.output import safe_text

    facts = {"code": code, "message": safe_text(message)}
    return facts if hint is None else {**facts, "hint": safe_text(hint)}


def _document(
    code: str, message: str, hint: str | None, members: Mapping[str, object] = _NO_MEMBERS
) -> None:
    from covel_host.cli.output import write_json

    write_json({"error": {**error_facts(code, message, hint), **members}})


def _say(line: str, hint: str | None) -> None:
    # Imported here: help and version need it not.
    from covel_host.cli.output import note

    note(line)
    if hint:
        note(f"  {hint}")
