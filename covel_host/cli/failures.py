"""What becomes of an error: words on standard error, one JSON document, an exit code."""

import sys
from collections.abc import Mapping
from typing import Final, TextIO

import click

from covel_host.base.errors import HostError
from covel_host.cli.streams import give_up

# 2 is click's own, for wrong usage.
FINDINGS = 1
INTERNAL = 3

_NO_MEMBERS: Final[Mapping[str, object]] = {}


class DetailedError(HostError):
    """An error with more to tell: `text` stands above it, `members` in its JSON."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        text: str,
        members: Mapping[str, object],
        hint: str | None = None,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.text = text
        self.members = members


def host_error(error: HostError, *, as_json: bool) -> int:
    """Say what a person can do something about."""
    members = _NO_MEMBERS
    if isinstance(error, DetailedError):
        _say(error.text.rstrip("\n"), None)
        members = error.members
    _say(f"error: {error.message}", error.hint)
    if as_json:
        _document(error.code, error.message, error.hint, members)
    return FINDINGS


def usage_error(error: click.ClickException, *, as_json: bool) -> int:
    """Say how the command is used; the exit code is click's own."""
    try:
        error.show()
    except (OSError, ValueError):
        give_up(sys.stderr)
    if as_json:
        _document("usage", error.format_message() or "The command is incomplete.", None)
    return error.exit_code


def aborted(*, as_json: bool) -> int:
    """Say that a person ended the command."""
    _say("Aborted.", None)
    if as_json:
        _document("aborted", "The command was aborted.", None)
    return FINDINGS


def internal_error(error: BaseException, *, as_json: bool) -> int:
    """Keep the stack trace in the log and name it; people get one line."""
    try:
        from covel_host.cli.crash_log import write_crash

        hint = f"The details are in {write_crash(error)}; a report with them helps to mend it."
    except Exception as failure:
        # Whatever broke the command, such as no file that can be opened, may break this as well.
        hint = f"The details could not be kept ({type(failure).__name__})."
    text = str(error).splitlines()
    message = f"{type(error).__name__}: {text[0] if text else ''}"
    _say(f"internal error: {message}", hint)
    if as_json:
        _document("internal-error", message, hint)
    return INTERNAL


def output_lost(error: OSError, output: TextIO) -> int:
    """Say that `output` cannot be written to, unless its reader has had enough of it."""
    give_up(output)
    if not isinstance(error, BrokenPipeError):
        _say(f"error: Standard output cannot be written: {error.strerror or error}.", None)
    return FINDINGS


def error_facts(code: str, message: str, hint: str | None) -> dict[str, str]:
    """An error in a JSON document."""
    from covel_host.cli.output import safe_text

    facts = {"code": code, "message": safe_text(message)}
    return facts if hint is None else {**facts, "hint": safe_text(hint)}


def _document(
    code: str, message: str, hint: str | None, members: Mapping[str, object] = _NO_MEMBERS
) -> None:
    from covel_host.cli.output import write_json

    try:
        write_json({"error": {**error_facts(code, message, hint), **members}})
    except OSError:
        # The words beside it tell the same.
        give_up(sys.stdout)


def _say(line: str, hint: str | None) -> None:
    # Imported here: help and version need it not.
    from covel_host.cli.output import note

    note(line)
    if hint:
        note(f"  {hint}")
