"""The output of `covel dev`: blocks between the lines that a person types."""

import os
from typing import Final, TextIO

import click

from covel_host.base.json_text import dump_json
from covel_host.cli.crash_log import write_crash
from covel_host.cli.failures import error_facts
from covel_host.cli.output import note
from covel_host.cli.streams import give_up
from covel_host.diagnostics.ansi import wants_colour

PROMPT: Final = "> "


class DevTerminal:
    """Writes whole blocks; on a terminal the prompt stands below the last one.

    With `as_json` only objects are written, one on each line, and people's words go nowhere. A
    reader that goes away does not end the command.
    """

    def __init__(self, output: TextIO, *, as_json: bool, is_interactive: bool) -> None:
        self.output = output
        self.as_json = as_json
        self.colour = wants_colour(output, os.environ)
        self._prompts = is_interactive and not as_json
        self._is_prompting = False

    def show(self, text: str) -> None:
        """Write a block, which ends with a line end of its own."""
        if not self.as_json:
            self.hide_prompt()
            self._write(text)

    def emit(self, document: dict[str, object]) -> None:
        """Write one JSON object on a line of its own."""
        if self.as_json:
            self._write(f"{dump_json(document)}\n")

    def error(self, code: str, message: str, hint: str | None) -> None:
        """Tell what a person can do something about."""
        self.emit({"type": "error", **error_facts(code, message, hint)})
        self.say(message if code == "aborted-by-player" else f"error: {message}")
        if hint:
            self.say(f"  {hint}")

    def internal_error(self, error: Exception) -> None:
        """Keep the stack trace in the log and name it; development goes on."""
        hint = f"The details are in {write_crash(error)}; a report with them helps to mend it."
        self.error("internal-error", f"{type(error).__name__}: {error}", hint)

    def ask(self, question: str) -> None:
        """Ask a question that the next line answers."""
        self.say(question)
        self._write("[y/N] ")

    def say(self, text: str) -> None:
        """Write one line beside the output, for people alone."""
        if not self.as_json:
            self.hide_prompt()
            note(text)

    def prompt(self) -> None:
        """Ask for the next line."""
        if self._prompts and not self._is_prompting:
            self._write(PROMPT)
            self._is_prompting = True

    def answered(self) -> None:
        """A line was typed: the cursor stands on a new one."""
        self._is_prompting = False

    def hide_prompt(self) -> None:
        """Make room for a block where the prompt stands."""
        if self._is_prompting:
            self._write("\r" + " " * len(PROMPT) + "\r")
            self._is_prompting = False

    def _write(self, text: str) -> None:
        try:
            click.echo(text, file=self.output, nl=False, color=self.colour)
        except OSError:
            give_up(self.output)
