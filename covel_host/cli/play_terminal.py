"""What a player sees: prose as it comes, a line that says what runs, notices, and the prompt."""

from collections.abc import Mapping
from typing import Any, Final, TextIO

import click

from covel_host.cli.output import note, one_line, safe_text
from covel_host.cli.run_terminal import RunTerminal
from covel_host.cli.streams import give_up
from covel_host.trace.events import SessionEvent, TraceEvent

PROMPT: Final = "> "
_CLEAR: Final = "\r\x1b[2K"
_MARKS: Final = {"warning": "!", "error": "!!", "success": "*"}
_SHOWN: Final = 400
_ASKING: Final = "asks the model"


class PlayTerminal(RunTerminal):
    """Shows a game. On a terminal the last line says what runs until there is prose.

    `stages` are those of the session's runtimes, None for followers of events.
    With `is_verbose` every runtime and tool call has a line of its own.
    """

    def __init__(
        self,
        output: TextIO,
        *,
        stages: Mapping[str, str | None],
        is_verbose: bool,
        is_interactive: bool,
    ) -> None:
        super().__init__(output, is_quiet=False)
        self._stages = stages
        self._is_verbose = is_verbose
        self._is_interactive = is_interactive and self._is_terminal
        self._status = ""
        self._told = ""
        self._asked = ""
        self.turn_ids: list[str] = []

    async def on_event(self, event: SessionEvent) -> None:
        """Show where the game is, and what is shown to players."""
        await super().on_event(event)
        payload: Any = event.payload
        match event.type:
            case "execution.started":
                self.turn_ids.append(event.turn_id)
            case "runtime.started":
                self._running(payload["runtimeId"])
            case "runtime.failed":
                self._failed(payload)
            case "narrative.completed":
                self._tell(payload["content"])
            case "ui.rendered":
                self._notices(payload["render"])
            case "job-status.updated" if payload.get("message"):
                self.say(f"[{payload['runtimeId']}: {payload['message']}]")

    async def on_text(self, text: str, *, reset: bool) -> None:
        """Show prose; a draft that is taken back is marked as that."""
        if reset and self._is_mid_line:
            self._write(" […]")
        if reset:
            self._told = ""
        self._told += text
        await super().on_text(text, reset=reset)

    def on_trace(self, event: TraceEvent) -> None:
        """Show that a model is asked; and tool calls, if they were asked for."""
        if self._is_verbose:
            super().on_trace(event)
        elif event.type == "llm.calling" and self._status:
            self._running(str(event.data.get("runtimeId", "")), doing=f" {_ASKING}")

    def begin_turn(self) -> None:
        """Forget what the turn before has shown."""
        self._told = ""
        self.turn_ids = []

    def show(self, text: str) -> None:
        """Show lines of the game itself."""
        self.end_line()
        self._write(text if text.endswith("\n") else f"{text}\n")
        self._prompt_again()

    def say(self, text: str) -> None:
        """Show one line beside the game."""
        self.end_line()
        note(text)
        self._prompt_again()

    def prompt(self, text: str = PROMPT) -> None:
        """Ask for the next line; nobody is asked without a terminal."""
        self.end_line()
        if self._is_interactive:
            self._asked = text
            self._write(text)

    def answered(self) -> None:
        """A line was typed: the cursor stands on a new one."""
        self._asked = ""
        self._is_mid_line = False

    def _prompt_again(self) -> None:
        """Put the prompt below what was shown while a line is typed, such as by a job."""
        if self._asked:
            self._write(self._asked)

    def end_line(self) -> None:
        """Begin a new line where one is under way."""
        self._hide_status()
        super().end_line()

    def _tell(self, content: str) -> None:
        """Show the final text of a story unless it was shown while it came."""
        if content.strip() and content.strip() not in self._told:
            self.show(content.strip())
        self._told = ""

    def _running(self, runtime_id: str, *, doing: str = "") -> None:
        if self._is_verbose:
            self.say(f"> {runtime_id}")
        elif self._is_interactive and not self._is_mid_line:
            self._hide_status()
            stage = self._stages.get(runtime_id)
            where = runtime_id if stage is None else f"{stage}: {runtime_id}"
            self._status = one_line(safe_text(f"… {where}{doing}"), limit=70)
            self._echo(self._status)

    def _failed(self, payload: Any) -> None:
        error = payload.get("error") or {}
        if error.get("code") not in ("aborted-by-player", "cancelled"):
            message = one_line(str(error.get("message", "")), limit=_SHOWN)
            self.say(f"({payload['runtimeId']} failed: {message})")

    def _notices(self, render: Any) -> None:
        for part in render.get("parts", []):
            content = part.get("content")
            if part.get("type") == "Alert" and isinstance(content, dict):
                mark = _MARKS.get(str(content.get("level")), "-")
                text = f"{mark} {content.get('title', '')}: {content.get('message', '')}"
                self.show(one_line(text, limit=_SHOWN))
            else:
                self.show(f"- [{part.get('type')}]")

    def _hide_status(self) -> None:
        if self._status:
            self._status = ""
            self._echo(_CLEAR)

    def _write(self, text: str) -> None:
        self._hide_status()
        super()._write(text)

    def _echo(self, text: str) -> None:
        try:
            click.echo(text, file=self._output, nl=False, color=True)
        except OSError:
            give_up(self._output)
