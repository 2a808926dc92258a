"""Runs inside the runs of one execution (spec/execution.md 7, 8)."""

import asyncio
from collections.abc import Iterable

from covel_host.base.ids import IdSource
from covel_host.catalog.generation import Generation
from covel_host.runtime.nested import NestedRequest
from covel_host.runtime.nested_limits import SubagentLimits
from covel_host.runtime.nested_settings import nested_run
from covel_host.runtime.nested_targets import NestedTargets
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run_status import NestedKind
from covel_host.runtime.runs import new_run
from covel_host.runtime.subagent_output import recorded_result
from covel_host.turn.execution_inputs import inputs_of
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRuns, NestedResult
from covel_host.turn.run_making import RunActivation, RunMaker
from covel_host.turn.session_runtimes import session_runtime

CALLER_ENDED = RunFailure("cancelled", "The run was cancelled together with the one that asked.")


class ExecutionNestedRuns:
    """Plays the nested runs of one execution; they see what their caller sees."""

    def __init__(
        self,
        facts: ExecutionFacts,
        maker: RunMaker,
        finished: FinishedRuns,
        generations: Iterable[Generation],
        *,
        ids: IdSource,
    ) -> None:
        self.targets = NestedTargets(generations)
        self.limits = SubagentLimits()
        self._facts = facts
        self._maker = maker
        self._finished = finished
        self._ids = ids
        self._outermost: dict[str, str] = {}
        self._ended: dict[str, list[NestedResult]] = {}

    async def run(self, request: NestedRequest) -> RuntimeResult:
        """How the run went; see `NestedRuns.run`."""
        target, finished = request.target, self._finished
        runtime = session_runtime(target.generation, target.reading, target.manifest)
        run_id, parent_id = self._ids.new("run"), request.trace.run_id
        self._outermost[run_id] = self._outermost.get(parent_id, parent_id)
        made = self._maker.make(
            RunActivation(
                runtime=runtime,
                run_id=run_id,
                activation=ManualActivation(request.payload),
                inputs=inputs_of(runtime, self._facts, finished),
                upstream=finished.upstream,
                stories=finished.stories,
            )
        )
        run = new_run(*nested_run(*made, request))
        try:
            result = await run.result()
        except asyncio.CancelledError:
            self._keep(run.cut_short(CALLER_ENDED), parent_id, request.facts.kind)
            raise
        self._keep(recorded_result(result), parent_id, request.facts.kind)
        return result

    def ended_in(self, run_id: str) -> tuple[NestedResult, ...]:
        """The runs inside that outermost run, in the order in which they ended."""
        return tuple(self._ended.get(run_id, ()))

    def _keep(self, result: RuntimeResult, parent_id: str, kind: NestedKind) -> None:
        kept = self._ended.setdefault(self._outermost[result.run_id], [])
        kept.append(NestedResult(result, kind, parent_id))
