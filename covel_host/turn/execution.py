"""One execution of any origin, from its start to its commit (spec/execution.md 2.4)."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Protocol

from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.shown_result import shown_result
from covel_host.trace.log import TraceLog
from covel_host.turn.announcer import Announcer
from covel_host.turn.execution_report import (
    TURN_VETOED,
    ExecutionReport,
    end_facts,
    is_continued,
)
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRun, FinishedRuns
from covel_host.turn.hook_calls import TurnHooks, execution_hooks
from covel_host.turn.layer_playing import (
    ABORTED,
    BROKEN,
    CANCELLED,
    LayerPlayer,
    is_cancelled,
)
from covel_host.turn.nested_runs import ExecutionNestedRuns
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.progress import ExecutionProgress
from covel_host.turn.run_making import RunMaker
from covel_host.turn.schedule import Schedule
from covel_host.turn.schedule_reports import ScheduleReports
from covel_host.turn.schedule_selection import select_runtimes
from covel_host.turn.schedule_types import ScheduledRun
from covel_host.turn.services import session_generations
from covel_host.turn.settling import Settled, Settling
from plugin_sdk.values import JsonValue


class Barrier(Protocol):
    """What an execution passes before it is settled."""

    def entered(self) -> AbstractAsyncContextManager[RunFailure | None]:
        """Held while the execution is settled; gives why it must not be committed, or None."""
        ...


class Execution:
    """Plays one execution, once.

    It is made by somebody who holds the session's locks, or with a `barrier` that takes them.
    """

    def __init__(
        self,
        facts: ExecutionFacts,
        ports: TurnPorts,
        observer: Observer,
        *,
        barrier: Barrier | None = None,
    ) -> None:
        self._facts = facts
        self._barrier = barrier
        self._ports = ports
        self._started = ports.clock.monotonic()
        self._announcer = Announcer(
            observer, ports.events, session_id=facts.session.session_id, turn_id=facts.turn_id
        )
        self._trace = TraceLog(
            turn_id=facts.turn_id,
            clock=ports.clock,
            secrets=ports.secrets,
            listener=self._announcer.show_trace,
        )
        # Derived from what a repeated run has in common, never from an ID (design/sdk.md).
        self._seed = ports.randoms.stream("execution", facts.session.revision).getrandbits(64)
        self._hooks = TurnHooks(execution_hooks(facts, ports), facts, self._trace)
        self._finished = FinishedRuns()
        self._progress = ExecutionProgress(
            self._announcer,
            ports.clock,
            session_id=facts.session.session_id,
            turn_id=facts.turn_id,
        )
        self._maker = maker = RunMaker(
            facts,
            ports,
            trace=self._trace,
            announcer=self._announcer,
            hooks=self._hooks.dispatcher,
            progress=self._progress,
            seed=self._seed,
        )
        nested = ExecutionNestedRuns(
            facts,
            maker,
            self._finished,
            session_generations(facts.catalog, facts.session),
            ids=ports.ids,
        )
        maker.nested = nested
        self._player = LayerPlayer(
            facts,
            maker,
            self._finished,
            nested,
            announcer=self._announcer,
            ids=ports.ids,
            tasks=ports.tasks,
        )
        self._reports = ScheduleReports(
            facts, self._finished, self._trace, self._announcer, ports.ids
        )
        self._selected: tuple[str, ...] = ()
        self._end: dict[str, JsonValue] | None = None

    async def run(self) -> ExecutionReport:
        """Run, then commit or keep the failure; events go out after the store knows.

        An execution that another one continues does not tell its end: `tell_end` does, should
        nothing follow.

        Raises:
            asyncio.CancelledError: it was aborted. Before the commit: the turn is kept as failed,
                without its writes. A commit that has begun ends first and counts.
            Exception: a defect of the host; the turn is kept as failed, without its writes.
        """
        target = self._facts.target
        named = {} if target is None else {"runtimeId": target.runtime.runtime_id}
        self._trace.add("turn.started", origin=self._facts.origin, seed=self._seed, **named)
        if self._facts.unsettled:
            self._trace.add("execution.settle-timeout", jobIds=list(self._facts.unsettled))
        try:
            try:
                ended = await self._played()
            finally:
                if self._maker.interjections is not None:
                    self._ports.interjections.close(self._facts.session.session_id)
        except asyncio.CancelledError:
            if not is_cancelled():
                return await self._settled(CANCELLED)
            await self._settled(ABORTED)
            raise
        except Exception:
            # The turn is over all the same: it is kept, and whoever watches is told so.
            await self._settled(BROKEN)
            raise
        try:
            return await self._settled(ended)
        except asyncio.CancelledError:
            await self._ports.tasks.finish(self.tell_end(), name=f"end {self._facts.turn_id}")
            raise

    async def tell_end(self) -> None:
        """Tell the end of the execution unless it was told."""
        told, self._end = self._end, None
        if told is not None:
            await self._announcer.tell("execution.completed", **told)

    async def _played(self) -> RunFailure | None:
        """Why the execution came to no end of its own, None when it did.

        Until all this is over the execution can still be aborted.
        """
        if self._facts.is_new_session:
            await self._hooks.session_started()
        self._selected = self._selection()
        await self._announcer.tell("execution.started", runtimeCount=len(self._selected))
        reason = await self._hooks.why_not_start(self._selected)
        if reason is not None:
            return RunFailure(TURN_VETOED, reason, counts_as_error=False)
        kept = await self._hooks.scheduled(self._selected)
        await self._reports.dropped([name for name in self._selected if name not in kept])
        if any(self._facts.runtimes.by_id[name].declaration.is_story for name in kept):
            session_id = self._facts.session.session_id
            self._maker.interjections = self._ports.interjections.open(session_id)
        if not await self._play_layers(kept):
            return CANCELLED
        await self._hooks.stopped(self._finished.results, duration_ms=self._since_start())
        await self._review()
        return None

    def _selection(self) -> tuple[str, ...]:
        facts = self._facts
        selected = select_runtimes(facts.runtimes.declarations, facts.situation)
        if facts.is_start:
            setup = {runtime.runtime_id for runtime in facts.runtimes.of_setup}
            return tuple(name for name in selected if name in setup)
        return selected

    async def _play_layers(self, selected: Sequence[str]) -> bool:
        """Whether all layers were played; something inside the host may end it before."""
        facts = self._facts
        schedule = Schedule(facts.runtimes.declarations, facts.situation, selected=selected)
        while layer := schedule.next_layer():
            await self._reports.tell(schedule)
            schedule.settle(await self._player.play(layer))
            if self._player.was_cancelled:
                return False
        await self._reports.tell(schedule)
        await self._reports.paused()
        return True

    async def _review(self) -> None:
        """Let hooks look at what is to be committed, before any transaction is open."""
        runs = self._finished.runs
        for index, run in enumerate(runs):
            result, veto = await self._hooks.before_commit(run.result)
            if result is not run.result or veto is not None:
                runs[index] = replace(run, result=result, veto=veto)

    async def _settled(self, ended: RunFailure | None) -> ExecutionReport:
        """Settle to the end: what is short and decides must not be cut short."""
        return await self._ports.tasks.finish(
            self._settle(ended), name=f"turn {self._facts.turn_id}"
        )

    async def _settle(self, ended: RunFailure | None) -> ExecutionReport:
        if self._barrier is None:
            return await self._settle_now(ended)
        async with self._barrier.entered() as obstacle:
            return await self._settle_now(ended or obstacle)

    async def _settle_now(self, ended: RunFailure | None) -> ExecutionReport:
        if ended is not None:
            self._keep_unbegun(ended)
            self._finished.cut_short(ended)
        self._trace.add("turn.completed", status=self._status(ended))
        settling = Settling(
            self._facts,
            self._finished,
            self._ports,
            self._trace,
            self._announcer,
            self._hooks,
            since_start=self._since_start,
        )
        settled = await settling.settle(ended)
        await self._progress.close(self._lost(settled))
        if self._ports.tape is not None:
            self._ports.tape.settled(self._finished, settled.failure)
        self._end = end_facts(self._finished, settled, duration_ms=self._since_start())
        report = ExecutionReport(
            session_id=self._facts.session.session_id,
            turn_id=self._facts.turn_id,
            results=tuple(shown_result(result) for result in self._results()),
            session=settled.session,
            failure=settled.failure,
        )
        if not is_continued(self._facts, report):
            await self.tell_end()
        if settled.defect is not None:
            raise settled.defect
        return report

    def _lost(self, settled: Settled) -> frozenset[str]:
        """The runs of which nothing was committed, with those inside them."""
        return frozenset(
            result.run_id
            for result in self._finished.results
            if settled.failure is not None or result.status in ("failed", "suspended")
        )

    def _status(self, ended: RunFailure | None) -> str:
        if ended is not None:
            return "failed"
        return "success" if self._facts.target is None else self._target_run().result.status

    def _results(self) -> tuple[RuntimeResult, ...]:
        """All results, that of what was started by hand at the front."""
        if self._facts.target is not None:
            first = self._target_run().result
            others = (one for one in self._finished.results if one.run_id != first.run_id)
            return (first, *others)
        return self._finished.results

    def _target_run(self) -> FinishedRun:
        """The run that was started by hand."""
        found = self._started_by_hand()
        assert found is not None, "what is started by hand runs, or says why it does not"
        return found

    def _started_by_hand(self) -> FinishedRun | None:
        target = self._facts.target
        if target is None:
            return None
        runtime_id = target.runtime.runtime_id
        return next(
            (run for run in self._finished.runs if run.runtime.runtime_id == runtime_id), None
        )

    def _keep_unbegun(self, ended: RunFailure) -> None:
        """Keep the failure of a run by hand that the end of the execution did not let begin."""
        target = self._facts.target
        if target is not None and self._started_by_hand() is None:
            declaration = target.runtime.declaration
            self._player.cut_short(ScheduledRun(declaration.runtime_id, declaration.stage), ended)

    def _since_start(self) -> int:
        return round((self._ports.clock.monotonic() - self._started) * 1000)
