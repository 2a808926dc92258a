"""What a player sees: prose as it comes, what runs, notices, and the line that is typed."""

import os
from collections.abc import Mapping
from typing import Any, Final, TextIO

import click

from covel_host.cli.bottom_line import BottomLine
from covel_host.cli.output import note, one_line, safe_text
from covel_host.cli.run_terminal import RunTerminal
from covel_host.cli.streams import give_up
from covel_host.cli.word_wrap import WordWrap, wrapped
from covel_host.diagnostics.ansi import wants_colour
from covel_host.trace.events import SessionEvent, TraceEvent

PROMPT: Final = "> "
_MARKS: Final = {"warning": "!", "error": "!!", "success": "*"}
_SHOWN: Final = 400
_DRAFT_DROPPED: Final = " […]"
_COLUMNS: Final = 80
_QUIET: Final = frozenset({"aborted-by-player", "cancelled"})


class PlayTerminal(RunTerminal):
    """Shows a game. Where a line `is_edited`, it stands below what is shown, or what runs does.

    Prose waits while a line is typed. Without a player (`is_interactive`) nothing is asked for.
    `stages` are those of the session's runtimes, None for followers of events. With `is_verbose`
    every runtime and tool call has a line of its own.
    """

    def __init__(
        self,
        output: TextIO,
        *,
        stages: Mapping[str, str | None],
        is_verbose: bool,
        is_interactive: bool,
        is_edited: bool,
    ) -> None:
        super().__init__(output, is_quiet=False)
        self.is_edited = is_edited
        self.turn_ids: list[str] = []
        self._stages = stages
        self._is_verbose = is_verbose
        self._is_interactive = is_interactive
        self._bottom = BottomLine(
            self.steer, columns=self._columns, colour=wants_colour(output, os.environ)
        )
        self._wrap = WordWrap(self._columns)
        self._told = ""
        self._waiting: list[tuple[str, bool]] = []
        self._plain_prompt = ""

    # --- what happens -------------------------------------------------------------------------

    async def on_event(self, event: SessionEvent) -> None:
        """Show where the game is, and what is shown to players."""
        await super().on_event(event)
        self._flush()
        payload: Any = event.payload
        match event.type:
            case "execution.started":
                self.turn_ids.append(event.turn_id)
            case "runtime.started":
                self._running(payload["runtimeId"])
            case "narrative.completed":
                self._tell(payload["content"])
            case _:
                self.tell_event(event)

    def tell_event(self, event: SessionEvent) -> None:
        """Show what is told of work of any kind, also of that beside the turn."""
        payload: Any = event.payload
        match event.type:
            case "runtime.failed":
                self._failed(payload)
            case "ui.rendered":
                self._notices(payload["render"])
            case "job-status.updated" if payload.get("message"):
                message = one_line(str(payload["message"]), limit=_SHOWN)
                self.say(f"[{payload['runtimeId']}: {message}]")

    async def on_text(self, text: str, *, reset: bool) -> None:
        """Show prose; a draft that is taken back is marked as that."""
        if self._bottom.text:
            self._waiting.append((text, reset))
            return
        self._prose(text, reset=reset)

    def on_trace(self, event: TraceEvent) -> None:
        """Show that a model is asked; and tool calls, if they were asked for."""
        self._flush()
        if self._is_verbose:
            super().on_trace(event)
        elif event.type == "llm.calling":
            self._running(str(event.data.get("runtimeId", "")), doing=" asks the model")

    def begin_turn(self) -> None:
        """Forget what the turn before has shown."""
        self._told = ""
        self.turn_ids = []
        self._part()

    def end_turn(self) -> None:
        """Nothing runs any more."""
        self._bottom.set_status("")
        self.end_line()
        self.repaint()

    # --- what is shown ------------------------------------------------------------------------

    def show(self, text: str) -> None:
        """Show lines of the game itself."""
        self.end_line()
        self._write(self._rows(text if text.endswith("\n") else f"{text}\n"))
        self._write(self._plain_prompt)

    def say(self, text: str) -> None:
        """Show one line beside the game."""
        self.end_line()
        self._bottom.hide()
        note(self._rows(text))
        self._bottom.show()
        self._write(self._plain_prompt)

    def end_line(self) -> None:
        """Begin a new line where one is under way; prose that has waited is shown before."""
        self._release()
        self._end_prose()

    def steer(self, text: str) -> None:
        """Write what steers the terminal."""
        if not self._is_terminal:
            return
        try:
            click.echo(text, file=self._output, nl=False, color=True)
        except OSError:
            give_up(self._output)

    # --- the line that is typed ---------------------------------------------------------------

    def prompt(self, text: str = PROMPT) -> None:
        """Ask for the next line; nobody is asked without a player."""
        self.end_line()
        if self.is_edited:
            if text == PROMPT:
                self._part()
            self._bottom.hide()
            self._bottom.ask(text)
            self._bottom.show()
        elif self._is_interactive and self._is_terminal:
            self._plain_prompt = text
            self._write(text)

    def answered(self) -> None:
        """A line was typed: the cursor stands on a new one."""
        if self._plain_prompt:
            self._plain_prompt = ""
            self._is_mid_line = False
        self._bottom.hide()
        self._bottom.ask(None)

    def typed(self, text: str, cursor: int) -> None:
        """Show the line so far, on a row of its own."""
        if (text, cursor) == (self._bottom.text, self._bottom.cursor):
            return
        self._end_prose()
        self._bottom.hide()
        self._bottom.type(text, cursor)
        self._bottom.show()
        if not text:
            self._release()

    def entered(self, line: str) -> None:
        """Leave the line as it was entered; what has waited for it is shown."""
        self._end_prose()
        self._bottom.enter(line)
        self._release()

    def repaint(self) -> None:
        """Paint the line again, such as after the window has changed."""
        self._bottom.hide()
        if not self._is_mid_line:
            self._bottom.show()

    # --- parts --------------------------------------------------------------------------------

    def _part(self) -> None:
        """Set what follows apart, for somebody who reads it as it comes."""
        if self.is_edited:
            self.end_line()
            self._write("\n")

    def _prose(self, text: str, *, reset: bool) -> None:
        if reset:
            self._flush()
            if self._is_mid_line:
                self._write(_DRAFT_DROPPED)
                self._end_prose()
            self._told = ""
        if text:
            self._bottom.set_status("")
            self._told += text
            self._write(self._wrap.feed(safe_text(text)) if self.is_edited else text)

    def _flush(self) -> None:
        """Show the word under way: what comes next may be long in coming."""
        self._write(self._wrap.flush())

    def _end_prose(self) -> None:
        self._flush()
        super().end_line()
        self._wrap.begin()

    def _rows(self, text: str) -> str:
        """`text` broken between words, where we break it."""
        return wrapped(safe_text(text), self._columns) if self.is_edited else text

    def _release(self) -> None:
        """Show the prose that has waited."""
        waiting, self._waiting = self._waiting, []
        for text, reset in waiting:
            self._prose(text, reset=reset)

    def _tell(self, content: str) -> None:
        """Show the final text of a story unless it was shown while it came."""
        if content.strip() and content.strip() not in self._told:
            self.show(content.strip())
        self._told = ""

    def _running(self, runtime_id: str, *, doing: str = "") -> None:
        if self._is_verbose and not doing:
            self.say(f"> {runtime_id}")
        elif self.is_edited and not self._is_mid_line:
            stage = self._stages.get(runtime_id)
            where = runtime_id if stage is None else f"{stage}: {runtime_id}"
            self._bottom.hide()
            self._bottom.set_status(f"… {where}{doing}")
            self._bottom.show()

    def _failed(self, payload: Any) -> None:
        error = payload.get("error") or {}
        if error.get("code") not in _QUIET:
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

    def _write(self, text: str) -> None:
        if not text:
            return
        self._bottom.hide()
        super()._write(safe_text(text))
        if not self._is_mid_line:
            self._bottom.show()

    def _columns(self) -> int:
        try:
            # A terminal that does not know its size says 0.
            return os.get_terminal_size(self._output.fileno()).columns or _COLUMNS
        except (OSError, ValueError):
            return _COLUMNS
