"""A run shown as it happens: the model's text on standard output, its tool calls beside it."""

from typing import TextIO

import click

from covel_host.cli.output import note, one_line, safe_text
from covel_host.cli.streams import give_up
from covel_host.trace.concealment import is_concealed
from covel_host.trace.events import SessionEvent, TraceEvent
from plugin_sdk.values import JsonValue

_LIMIT = 200


class RunTerminal:
    """Watches an execution; with `is_quiet` it shows nothing and only remembers the IDs.

    A reader of standard output that goes away does not stop the run.
    """

    def __init__(self, output: TextIO, *, is_quiet: bool) -> None:
        self._output = output
        self._is_terminal = output.isatty()
        self._is_quiet = is_quiet
        self._is_mid_line = False
        self._shown = ""
        self.session_id: str | None = None
        self.turn_id: str | None = None

    async def on_event(self, event: SessionEvent) -> None:
        """Remember what is running."""
        self.session_id, self.turn_id = event.session_id, event.turn_id

    async def on_text(self, text: str, *, reset: bool) -> None:
        """Show the next piece; what comes after a dropped draft begins on a new line."""
        if reset:
            self.end_line()
            self._shown = ""
        if text:
            self._shown += text
            self._write(text)

    def on_trace(self, event: TraceEvent) -> None:
        """Show tool calls in one line each."""
        if self._is_quiet or not event.type.startswith("tool."):
            return
        if self._is_terminal:
            self.end_line()
        note(_call_line(event.type, event.data))

    def say(self, text: str) -> None:
        """Show one line beside the output."""
        if self._is_quiet:
            return
        if self._is_terminal:
            self.end_line()
        note(text)

    def show_final(self, text: str) -> None:
        """Show the run's text unless it was shown while it came; end the last line."""
        if text.strip() and self._shown.strip() != text.strip():
            self.end_line()
            self._write(text)
        self.end_line()

    def end_line(self) -> None:
        """Begin a new line where one is under way."""
        if self._is_mid_line:
            self._write("\n")

    def _write(self, text: str) -> None:
        if self._is_quiet:
            return
        self._is_mid_line = not text.endswith("\n")
        shown = safe_text(text) if self._is_terminal else text
        try:
            click.echo(shown, file=self._output, nl=False)
        except BrokenPipeError:
            give_up(self._output)


def _call_line(kind: str, data: dict[str, JsonValue]) -> str:
    tool = data.get("toolName")
    if is_concealed(data):
        return f"{'>' if kind == 'tool.calling' else '<'} {tool} (concealed)"
    if kind == "tool.calling":
        return f"> {tool} {one_line(str(data.get('arguments', '')), limit=_LIMIT)}"
    if kind == "tool.replaced":
        shown = one_line(str(data.get("result", "")), limit=_LIMIT)
        return f"< {tool}, replaced by a hook: {shown}"
    if kind == "tool.completed":
        return f"< {tool} {one_line(str(data.get('result', '')), limit=_LIMIT)}"
    reason = one_line(str(data.get("error", "")), limit=_LIMIT)
    details = "; the stack trace is in logs/covel.log" if data.get("code") == "internal" else ""
    return f"< {tool} failed, {data.get('code')}: {reason}{details}"
