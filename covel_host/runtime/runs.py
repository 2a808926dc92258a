"""One run of any kind: what may keep a runtime from running, then agent or function; or a call."""

from typing import Protocol

from covel_host.proposals.errors import ProposalRefused
from covel_host.runtime.agent import AgentRun
from covel_host.runtime.bound_values import missing_input
from covel_host.runtime.function import FunctionRun
from covel_host.runtime.guard import ask_guard
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.runtime_hooks import why_not_run
from covel_host.runtime.settlement import settled
from covel_host.runtime.suspension_scene import restore_staging
from covel_host.runtime.tool_run import ToolRun
from covel_host.trace.concealed_logs import in_run


class Run(Protocol):
    """A run that was not played yet."""

    async def result(self) -> RuntimeResult:
        """How the run went; called once. A failure is a result, never an exception.

        Raises:
            asyncio.CancelledError: the execution was cancelled; nothing of the run counts.
        """
        ...

    def cut_short(self, failure: RunFailure) -> RuntimeResult:
        """The result of a run that does not count: what its audit keeps, as far as it came.

        For one that was cancelled, was never to begin, or was undone after its end.
        """
        ...


def new_run(run: RuntimeRun, ports: RunPorts) -> Run:
    """The run that `run` describes: of its runtime, or of its one tool call."""
    record = RunRecord(run, ports)
    if run.call is not None:
        return _ToldRun(record, ToolRun(run, ports, run.call, record))
    body = (
        FunctionRun(run, ports, record)
        if run.manifest.runtime_type == "function"
        else AgentRun(run, ports, record)
    )
    return _ToldRun(record, _WholeRun(run, ports, record, body))


class _ToldRun:
    """Tells the trace of the one end of a run, whichever it is."""

    def __init__(self, record: RunRecord, body: Run) -> None:
        self._record = record
        self._body = body
        self._ended: RuntimeResult | None = None

    async def result(self) -> RuntimeResult:
        with in_run(is_concealed=self._record.is_concealed):
            self._ended = self._record.ended(await self._body.result())
        return self._ended

    def cut_short(self, failure: RunFailure) -> RuntimeResult:
        if self._ended is not None:
            return self._ended.cut_short(failure)
        return self._record.ended(self._body.cut_short(failure))


class _WholeRun:
    """A runtime with what stands around it, in the order of spec/execution.md 3.5."""

    def __init__(
        self, run: RuntimeRun, ports: RunPorts, record: RunRecord, body: AgentRun | FunctionRun
    ) -> None:
        self._run = run
        self._ports = ports
        self._record = record
        self._body = body

    async def result(self) -> RuntimeResult:
        run, ports = self._run, self._ports
        if run.resumed is not None:
            return await self._resumed()
        reason = missing_input(run)
        if reason is None:
            reason = await why_not_run(run, ports)
        if reason is not None:
            return self._record.result("skipped", reason=reason)
        if run.guard is not None:
            ended = await ask_guard(run, ports, run.guard, self._record)
            if ended is not None:
                return ended
        await ports.on_start()
        return await settled(run, ports, await self._body.result())

    async def _resumed(self) -> RuntimeResult:
        """Go on: what may keep a runtime from running was asked when it first began."""
        run, ports = self._run, self._ports
        await ports.on_start()
        try:
            await restore_staging(run, ports.trace.run_id)
        except ProposalRefused as refused:
            self._record.begin()
            return self._record.failed(RunFailure(refused.code, refused.message, refused.hint))
        return await settled(run, ports, await self._body.result())

    def cut_short(self, failure: RunFailure) -> RuntimeResult:
        return self._body.cut_short(failure)
