"""The course of a game: questions are asked, lines are played, until the player has enough."""

import asyncio
import collections
from collections.abc import Awaitable, Sized
from dataclasses import dataclass
from typing import Any, Final

from covel_host.base.errors import HostError
from covel_host.cli.failures import FINDINGS
from covel_host.cli.interrupts import on_interrupt
from covel_host.cli.line_editor import LineEditor
from covel_host.cli.output import counted
from covel_host.cli.play_jobs import GameJobs
from covel_host.cli.play_open import OpenEnds
from covel_host.cli.play_questions import Asker
from covel_host.cli.play_terminal import PROMPT, PlayTerminal
from covel_host.cli.rpc_calls import answer_text
from covel_host.cli.run_execution import abort_message, turn_revisions
from covel_host.cli.session_notes import SessionNotes
from covel_host.host import Host
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import require_session
from covel_host.turn.answer_errors import AnswerRefused
from covel_host.turn.command_directory import session_commands
from covel_host.turn.commands import CommandHelp, CommandRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.turns import TurnReport, TurnRequest

HELP: Final = """\
Of the game:
  /questions  ask again what was left for later
  /status     show where the game is, and what waits
  /quit       leave; the game can be gone on with later
Any other line is said in the story. Ctrl-C aborts the turn under way, and leaves at the prompt.
"""
_OWN: Final = frozenset({"quit", "questions", "status"})


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """How a game is played; `is_interactive` with somebody at a terminal."""

    seat_id: str | None = None
    record: bool = False
    is_verbose: bool = False
    is_interactive: bool = False


class PlaySession:
    """Plays one session; used from one event loop.

    Lines that come while a story is told are added to it (at a terminal), or wait.
    """

    def __init__(
        self,
        host: Host,
        session: SessionRecord,
        terminal: PlayTerminal,
        notes: SessionNotes,
        options: PlayOptions,
    ) -> None:
        self._host = host
        self._session_id = session.session_id
        self._terminal = terminal
        self._notes = notes
        self._options = options
        self._editor: LineEditor | None = None
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._early: collections.deque[str] = collections.deque()
        """What a player typed while a turn ran: said afterwards, and no answer to a question."""
        self._running: asyncio.Task[Any] | None = None
        self._is_over = False
        self._exit_code = 0
        self._jobs = GameJobs(host, self._session_id, terminal)
        self._open = OpenEnds(
            host.ports.store,
            self._session_id,
            Asker(self._ask_line, terminal.show, locale=session.locale),
            seat_id=options.seat_id,
            record=options.record,
        )

    def take_line(self, line: str | None) -> None:
        """Play `line` after those before it; None ends the game."""
        is_early = self._options.is_interactive and self._running is not None
        if line is None or not is_early:
            self._lines.put_nowait(line)
        elif line.strip() and not self._is_added(line.strip()):
            self._early.append(line)

    def interrupt(self) -> None:
        """Abort what runs; else drop what is typed; else end the game."""
        if self._running is not None:
            self._running.cancel()
        elif self._editor is not None and self._editor.text:
            self._editor.clear()
            self._terminal.typed("", 0)
        else:
            self._early.clear()
            while not self._lines.empty():
                self._lines.get_nowait()
            self._lines.put_nowait(None)

    async def work(self, *, begins: bool, editor: LineEditor | None) -> int:
        """Until `/quit`, the end of the input, or Ctrl-C at the prompt; gives the exit code.

        With `begins` it starts, unless something that is open has to be answered first. `editor`
        is that of the line that is typed, where it is edited.
        """
        self._editor = editor
        with on_interrupt(self.interrupt):
            async with self._jobs.served() as serving:
                if begins and not (await self._open.waiting() or await self._open.questions()):
                    await self._play(TurnRequest(session_id=self._session_id, start=True))
                await self._do_lines()
                if await self._jobs.left():
                    await self._finish(serving)
        self._terminal.end_line()
        return self._exit_code

    async def _finish(self, serving: "asyncio.Task[None]") -> None:
        """Wait for the jobs that are left, unless the player does not want to."""
        finishing = self._running = asyncio.ensure_future(self._jobs.finish())
        await asyncio.wait({finishing})
        self._running = None
        if finishing.cancelled():
            # At once, so that nothing more is begun.
            serving.cancel()
        else:
            finishing.result()

    async def _do_lines(self) -> None:
        while not self._is_over:
            request = await self._open.request()
            if request is None:
                line = await self._ask_line(PROMPT)
                await self._do("" if line is None else line.strip())
            else:
                await self._answer(request)

    async def _answer(self, request: TurnRequest | ResumeRequest) -> None:
        """Play with what was answered, unless the game was left meanwhile."""
        if not self._is_over:
            await self._play(request)

    async def _ask_line(self, prompt: str) -> str | None:
        if self._is_over:
            return None
        if self._early and prompt == PROMPT:
            line: str | None = self._early.popleft()
            self._terminal.show(f"{prompt}{line}")
            return line
        self._terminal.prompt(prompt)
        line = await self._lines.get()
        self._terminal.answered()
        self._is_over = line is None
        return line

    async def _do(self, line: str) -> None:
        if not line:
            return
        if not line.startswith("/"):
            request = TurnRequest(
                session_id=self._session_id,
                message=line,
                seat_id=self._options.seat_id,
                record=self._options.record,
            )
            await self._play(request)
        elif (name := line[1:].rstrip()) in _OWN and not await self._is_of_package(name):
            await self._do_own(name)
        else:
            await self._command(line)

    # --- commands -----------------------------------------------------------------------------

    async def _is_of_package(self, name: str) -> bool:
        """Whether a package has a command of that name, which comes first; leaving is ours."""
        session = await self._session()
        return name != "quit" and session_commands(self._host.catalog, session).has(name)

    async def _do_own(self, name: str) -> None:
        if name == "quit":
            self._is_over = True
        elif name == "questions":
            self._open.ask_again()
            if not (await self._open.waiting() or await self._open.questions()):
                self._terminal.say("No question is open.")
        else:
            await self._status()

    async def _status(self) -> None:
        session = await self._session()
        waiting: list[tuple[Sized, str]] = [
            (await self._open.questions(), "open question"),
            (await self._open.waiting(), "suspended run"),
            (await self._host.ports.jobs.open_jobs(self._session_id), "job"),
        ]
        told = [counted(len(found), noun) for found, noun in waiting if found]
        turns = counted(session.completed_player_turns, "turn")
        self._terminal.show(
            f"{session.session_id}: {session.phase}, {turns} played, revision {session.revision}\n"
            + "".join(f"  {line}\n" for line in told)
        )

    async def _command(self, line: str) -> None:
        request = CommandRequest(session_id=self._session_id, line=line)
        report = await self._run(self._host.run_command(request, observer=self._terminal))
        if report is None:
            return
        if isinstance(report, CommandHelp):
            own = f"\n{HELP}" if line.rstrip() == "/help" else ""
            self._terminal.show(f"{report.text.rstrip()}\n{own}")
            return
        failure = report.action.failure
        if failure is not None:
            self._terminal.say(f"error: {failure.message}")
        elif text := answer_text(report):
            self._terminal.show(text)

    # --- turns --------------------------------------------------------------------------------

    async def _play(self, request: TurnRequest | ResumeRequest) -> None:
        self._terminal.begin_turn()
        if isinstance(request, ResumeRequest):
            work: Awaitable[Any] = self._host.resume(request, observer=self._terminal)
        else:
            work = self._host.play(request, observer=self._terminal)
        report: TurnReport | ExecutionReport | None = await self._run(work, request)
        if report is not None:
            self._tell(report.executions if isinstance(report, TurnReport) else (report,))
            await self._notes.tell_paused()

    async def _run(
        self, work: Awaitable[Any], request: TurnRequest | ResumeRequest | None = None
    ) -> Any:
        """What `work` gives; None where it was refused or aborted, which was said then."""
        running = self._running = asyncio.ensure_future(work)
        try:
            await asyncio.wait({running})
        finally:
            self._running = None
        self._terminal.end_turn()
        if running.cancelled():
            await self._tell_abort()
            return None
        error = running.exception()
        if isinstance(error, HostError):
            self._refused(error, request)
        elif error is not None:
            raise error
        return None if error is not None else running.result()

    async def _tell_abort(self) -> None:
        """Say what became of it; the store knows, what was aborted may not."""
        turn_ids = self._terminal.turn_ids
        revisions = await self._host.ports.store.read(
            lambda reading: turn_revisions(reading, self._session_id, turn_ids)
        )
        self._terminal.say(abort_message(revisions))

    def _refused(self, error: HostError, request: TurnRequest | ResumeRequest | None) -> None:
        """Say what is wrong; what the player can correct is asked again."""
        may_correct = request is not None and self._open.refuse(error, request)
        issues = error.issues if isinstance(error, AnswerRefused) else ()
        for issue in issues:
            self._terminal.say(issue.message)
        if not issues:
            self._terminal.say(f"error: {error.message}")
            if error.hint and not may_correct:
                self._terminal.say(f"  {error.hint}")
        if isinstance(error, AnswerRefused) and not may_correct:
            # The lines of a script that follow were meant for what came of the answer.
            self._is_over = not self._options.is_interactive
            self._exit_code = FINDINGS if self._is_over else 0

    def _tell(self, executions: tuple[ExecutionReport, ...]) -> None:
        for execution in executions:
            if self._options.is_verbose:
                for result in execution.results:
                    for warning in result.warnings:
                        self._terminal.say(f"warning: {result.runtime_id}: {warning}")
            if execution.failure is not None:
                failure = execution.failure
                self._terminal.say(f"error: {failure.message} ({failure.code})")
                if failure.hint:
                    self._terminal.say(f"  {failure.hint}")
                self._terminal.say("Nothing of the turn was committed.")

    def _is_added(self, said: str) -> bool:
        """Whether the line was added to the story that is told right now."""
        if said.startswith("/"):
            return False
        try:
            self._host.interject(self._session_id, said)
        except RequestRefused:
            return False
        return True

    async def _session(self) -> SessionRecord:
        return await self._host.ports.store.read(
            lambda reading: require_session(reading, self._session_id)
        )
