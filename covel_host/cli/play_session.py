"""The course of a game: questions are asked, lines are played, until the player has enough."""

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Any, Final

from covel_host.base.errors import HostError
from covel_host.cli.interrupts import on_interrupt
from covel_host.cli.job_running import end_line
from covel_host.cli.output import counted, one_line
from covel_host.cli.play_questions import AskedLater, Asker
from covel_host.cli.play_terminal import PlayTerminal
from covel_host.cli.rpc_calls import answer_text
from covel_host.host import Host
from covel_host.store.jobs import get_job
from covel_host.store.suspensions import SuspensionRecord
from covel_host.turn.answer_checks import Answer
from covel_host.turn.answer_errors import AnswerRefused
from covel_host.turn.commands import CommandHelp, CommandRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.open_questions import OpenQuestion, open_questions
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.suspension_listing import list_suspensions
from covel_host.turn.turns import TurnReport, TurnRequest

HELP: Final = """\
Say something, or:
  /questions   answer the questions that were left for later
  /quit        leave; the game can be gone on with later
"""


class PlaySession:
    """Plays one session; used from one event loop.

    Lines that come while a story is told are added to it (at a terminal), or wait.
    """

    def __init__(
        self,
        host: Host,
        session_id: str,
        terminal: PlayTerminal,
        *,
        seat_id: str | None,
        record: bool,
        is_interactive: bool,
    ) -> None:
        self._host = host
        self._session_id = session_id
        self._terminal = terminal
        self._seat_id = seat_id
        self._record = record
        self._is_interactive = is_interactive
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._running: asyncio.Task[Any] | None = None
        self._left: set[str] = set()
        self._is_over = False
        self._asker = Asker(self._ask_line, terminal.show)

    def take_line(self, line: str | None) -> None:
        """Play `line` after those before it; None ends the game."""
        if line is not None and self._is_interactive and self._is_added(line):
            return
        self._lines.put_nowait(line)

    def interrupt(self) -> None:
        """Abort what runs; without anything that runs, end the game."""
        if self._running is not None:
            self._running.cancel()
            return
        while not self._lines.empty():
            self._lines.get_nowait()
        self._lines.put_nowait(None)

    async def work(self, *, begins: bool) -> None:
        """Until `/quit`, the end of the input, or Ctrl-C at the prompt; with `begins` it starts."""
        with on_interrupt(self.interrupt):
            serving = asyncio.ensure_future(self._host.serve_jobs(observer=self._terminal))
            try:
                if begins:
                    await self._play(TurnRequest(session_id=self._session_id, start=True))
                await self._do_lines()
                await self._finish_jobs()
            finally:
                serving.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await serving
        self._terminal.end_line()

    async def _do_lines(self) -> None:
        while not self._is_over:
            if await self._ask_open():
                continue
            line = await self._ask_line("> ")
            if line is None:
                return
            await self._do(line.strip())

    async def _do(self, line: str) -> None:
        if not line:
            return
        if line == "/quit":
            self._is_over = True
        elif line == "/questions":
            self._left.clear()
        elif line.startswith("/"):
            await self._command(line)
        else:
            await self._play(self._request(message=line))

    async def _command(self, line: str) -> None:
        request = CommandRequest(session_id=self._session_id, line=line)
        report = await self._run(self._host.run_command(request, observer=self._terminal))
        if report is None:
            return
        if isinstance(report, CommandHelp):
            self._terminal.show(f"{report.text.rstrip()}\n{HELP}")
            return
        failure = report.action.failure
        if failure is not None:
            self._terminal.say(f"error: {failure.message}")
        elif text := answer_text(report):
            self._terminal.show(text)

    # --- questions ----------------------------------------------------------------------------

    async def _ask_open(self) -> bool:
        """Ask what is open and was not left for later; whether something was played with it."""
        for waiting in await list_suspensions(self._host.ports.store, self._session_id):
            if waiting.suspension_id not in self._left:
                return await self._ask_suspended(waiting)
        found = await self._host.ports.store.read(
            lambda reading: open_questions(reading, self._session_id)
        )
        asked = [one for one in found if _key(one) not in self._left]
        if not asked:
            return False
        answers: list[Answer] = []
        for question in asked:
            try:
                answers.append(question.answer(await self._asker.answer(question.question)))
            except AskedLater:
                self._left.add(_key(question))
                if self._is_over:
                    return True
        if answers:
            await self._play(self._request(answers=tuple(answers)))
        return True

    async def _ask_suspended(self, record: SuspensionRecord) -> bool:
        self._terminal.show(one_line(str(record.facts["reason"]), limit=400))
        try:
            data = await self._asker.resume_data(record.facts["resumeSchema"])
        except AskedLater:
            self._left.add(record.suspension_id)
            return True
        request = ResumeRequest(
            session_id=self._session_id, suspension_id=record.suspension_id, data=data
        )
        self._terminal.begin_turn()
        report = await self._run(self._host.resume(request, observer=self._terminal))
        if report is not None:
            self._tell((report,))
        return True

    # --- turns --------------------------------------------------------------------------------

    def _request(
        self, *, message: str | None = None, answers: tuple[Answer, ...] = ()
    ) -> TurnRequest:
        return TurnRequest(
            session_id=self._session_id,
            message=message,
            answers=answers,
            seat_id=self._seat_id,
            record=self._record,
        )

    async def _play(self, request: TurnRequest) -> None:
        self._terminal.begin_turn()
        report: TurnReport | None = await self._run(
            self._host.play(request, observer=self._terminal)
        )
        if report is not None:
            self._tell(report.executions)

    async def _run(self, work: Awaitable[Any]) -> Any:
        """What `work` gives; None where it was refused or aborted, which was said then."""
        running = self._running = asyncio.ensure_future(work)
        try:
            await asyncio.wait({running})
        finally:
            self._running = None
        self._terminal.end_line()
        if running.cancelled():
            self._terminal.say("Aborted: nothing of it was committed.")
            return None
        error = running.exception()
        if isinstance(error, AnswerRefused):
            self._refused(error)
        elif isinstance(error, HostError):
            self._terminal.say(f"error: {error.message}")
            if error.hint:
                self._terminal.say(f"  {error.hint}")
        elif error is not None:
            raise error
        return None if error is not None else running.result()

    def _refused(self, refused: AnswerRefused) -> None:
        """Say what of the answers is wrong; the questions stay open and are asked again."""
        for issue in refused.issues:
            field = "" if issue.field is None else f"{issue.field}: "
            self._terminal.say(f"  {field}{issue.message}")
        if not refused.issues:
            self._terminal.say(f"error: {refused.message}")
            # Asking again would be refused again.
            self._is_over = self._is_over or not self._is_interactive

    def _tell(self, executions: tuple[ExecutionReport, ...]) -> None:
        for execution in executions:
            if execution.failure is not None:
                failure = execution.failure
                self._terminal.say(f"error: {failure.message} ({failure.code})")
                if failure.hint:
                    self._terminal.say(f"  {failure.hint}")
                self._terminal.say("Nothing of the turn was committed.")

    def _is_added(self, line: str) -> bool:
        """Whether the line was added to the story that is told right now."""
        if self._running is None or not line.strip() or line.startswith("/"):
            return False
        try:
            self._host.interject(self._session_id, line.strip())
        except RequestRefused:
            return False
        return True

    async def _ask_line(self, prompt: str) -> str | None:
        self._terminal.prompt(prompt)
        line = await self._lines.get()
        self._terminal.answered()
        if line is None:
            self._is_over = True
        return line

    # --- jobs ---------------------------------------------------------------------------------

    async def _finish_jobs(self) -> None:
        """Do what is left to do, unless the player does not want to wait."""
        waiting = await self._host.ports.jobs.open_jobs(self._session_id)
        if not waiting:
            return
        what = counted(len(waiting), "job")
        self._terminal.say(f"Finishing {what}; Ctrl-C ends what runs and leaves the rest.")
        await self._run(self._host.drain_jobs(self._session_id, observer=self._terminal))
        for job in waiting:
            ended = await self._host.ports.store.read(
                lambda reading, job_id=job.job_id: get_job(  # type: ignore[misc]
                    reading, self._session_id, job_id
                )
            )
            if ended is not None and ended.state != "succeeded":
                self._terminal.say(end_line(ended))


def _key(question: OpenQuestion) -> str:
    return f"{question.turn_id}/{question.interaction_id}"
