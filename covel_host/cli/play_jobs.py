"""The jobs of a game: run beside its turns, and finished before it is left."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from covel_host.cli.job_running import end_line
from covel_host.cli.output import counted
from covel_host.cli.play_terminal import PlayTerminal
from covel_host.host import Host
from covel_host.store.jobs import JobRecord, get_job
from covel_host.trace.events import SessionEvent, TraceEvent
from covel_host.turn.session_jobs import job_runner


class BesideTurns:
    """Watches jobs: what they tell is shown, but not each step, and no stage of theirs."""

    def __init__(self, terminal: PlayTerminal) -> None:
        self._terminal = terminal

    async def on_event(self, event: SessionEvent) -> None:
        """Show notices, progress and failures."""
        self._terminal.tell_event(event)

    async def on_text(self, text: str, *, reset: bool) -> None:
        """A job tells no story."""

    def on_trace(self, event: TraceEvent) -> None:
        """Its steps are in its trace."""


class GameJobs:
    """Runs the jobs of one session; those of others need packages that this host may not have."""

    def __init__(self, host: Host, session_id: str, terminal: PlayTerminal) -> None:
        self._host = host
        self._session_id = session_id
        self._terminal = terminal
        self._observer = BesideTurns(terminal)
        self._left: list[JobRecord] = []

    @contextlib.asynccontextmanager
    async def served(self) -> AsyncIterator["asyncio.Task[None]"]:
        """Run jobs inside; those under way at the end are cancelled. Gives what runs them."""
        serving = asyncio.ensure_future(
            self._host.serve_jobs(session_id=self._session_id, observer=self._observer)
        )
        try:
            yield serving
        finally:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving
            await self._tell_ends()

    async def left(self) -> int:
        """How many have not ended; their ends are told, unless they go well."""
        self._left = await self._host.ports.jobs.open_jobs(self._session_id)
        if self._left:
            what = counted(len(self._left), "job")
            self._terminal.say(f"Finishing {what}; Ctrl-C ends what runs and leaves the rest.")
        return len(self._left)

    async def finish(self) -> None:
        """Wait until none is left; cancelled, they go on."""
        run = job_runner(self._host.ports, self._observer)
        await self._host.ports.workers.settle(self._session_id, run, lambda job: True)

    async def _tell_ends(self) -> None:
        ended = await self._host.ports.store.read(
            lambda reading: [get_job(reading, self._session_id, job.job_id) for job in self._left]
        )
        for job in ended:
            if job is not None and job.state != "succeeded":
                self._terminal.say(end_line(job))
