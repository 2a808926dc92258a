"""One run of an agent runtime, from its prompt to its result."""

from covel_host.base.errors import HostError
from covel_host.base.unicode_text import storable_text
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.agent_calls import AgentCalls
from covel_host.runtime.agent_loop import AgentLoop, LoopEnd
from covel_host.runtime.agent_model import AgentModel
from covel_host.runtime.agent_prompt import agent_prompt
from covel_host.runtime.agent_settings import completion_settings
from covel_host.runtime.agent_tools import agent_tools
from covel_host.runtime.completion_state import Fail, Finish
from covel_host.runtime.deadline import RunDeadline, RunTimedOut, run_within
from covel_host.runtime.result import ModelUse, RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_status import RunStatus
from plugin_sdk.values import JsonValue


class AgentRun:
    """One agent run, played once with `result`.

    A successful story run stages its prose as `narrative.append`. The writes of a run that did not
    succeed are not handed on (spec/transactions.md 3.1).
    """

    def __init__(self, run: RuntimeRun, ports: RunPorts) -> None:
        self._run = run
        self._ports = ports
        self._started = ports.clock.monotonic()
        self._settings = completion_settings(run.manifest, locale=run.instruction_locale)
        self._loop: AgentLoop | None = None
        self._warnings: tuple[str, ...] = ()

    async def result(self) -> RuntimeResult:
        """How the run went; a failure is a result, never an exception.

        Raises:
            asyncio.CancelledError: the execution was cancelled; nothing of the run counts.
        """
        run, trace = self._run, self._ports.trace
        trace.add("runtime.started", runtimeId=run.runtime_id, pluginId=run.plugin_id)
        try:
            end = await self._within_deadline()
            await self._stage_story(end)
        except RunTimedOut as error:
            result = self._failed(_timed_out(run, error))
        except HostError as error:
            message = storable_text(error.message)
            result = self._failed(RunFailure(error.code, message, error.hint))
        else:
            result = self._ended(end)
        self._report(result)
        return result

    def cut_short(self, failure: RunFailure) -> RuntimeResult:
        """The result of a run that was cancelled: what its audit keeps, as far as it came."""
        result = self._failed(failure)
        self._report(result)
        return result

    async def _within_deadline(self) -> LoopEnd:
        run, ports = self._run, self._ports
        limit_s = run.manifest.agent_settings.loop.timeout_ms / 1000
        deadline = RunDeadline(limit_s, ports.clock)
        return await run_within(
            deadline,
            self._play(deadline),
            name=f"runtime {run.runtime_id}",
            signal=run.signal,
            tasks=ports.tasks,
        )

    async def _play(self, deadline: RunDeadline) -> LoopEnd:
        run, ports, settings = self._run, self._ports, self._settings
        tools = agent_tools(run, ports.registry, settings)
        self._warnings = tuple(
            f'builtin tool "{name}" is not installed on this host — not offered'
            for name in tools.missing
        )
        calls = AgentCalls(run, ports, tools, settings)
        model = AgentModel(run, ports, settings, tools, deadline)
        self._loop = AgentLoop(run, ports, settings, model, calls)
        return await self._loop.play(agent_prompt(run, settings))

    async def _stage_story(self, end: LoopEnd) -> None:
        if isinstance(end.decision, Finish) and self._settings.is_story:
            story = {"type": "narrative.append", "payload": {"content": end.value}}
            await self._run.staging.stage([story])

    def _ended(self, end: LoopEnd) -> RuntimeResult:
        if isinstance(end.decision, Fail):
            return self._failed(RunFailure(end.decision.reason, end.decision.message))
        return self._result(
            "success",
            output=_projected(end.value),
            text=end.decision.text,
            ended_by=end.decision.ended_by,
            proposals=self._run.staging.proposals,
        )

    def _failed(self, failure: RunFailure) -> RuntimeResult:
        return self._result("failed", failure=failure)

    def _result(
        self,
        status: RunStatus,
        *,
        output: dict[str, JsonValue] | None = None,
        text: str = "",
        ended_by: str | None = None,
        failure: RunFailure | None = None,
        proposals: tuple[StagedProposal, ...] = (),
    ) -> RuntimeResult:
        run, loop = self._run, self._loop
        return RuntimeResult(
            plugin_id=run.plugin_id,
            runtime_id=run.runtime_id,
            run_id=self._ports.trace.run_id,
            turn_id=run.turn_id,
            status=status,
            duration_ms=round((self._ports.clock.monotonic() - self._started) * 1000),
            output=output or {},
            text=text,
            ended_by=ended_by,
            failure=failure,
            warnings=self._warnings,
            tool_calls=() if loop is None else loop.calls.done,
            proposals=proposals,
            steps=0 if loop is None else loop.steps,
            model_use=ModelUse() if loop is None else loop.model.use,
        )

    def _report(self, result: RuntimeResult) -> None:
        facts: dict[str, object] = {
            "runtimeId": result.runtime_id,
            "pluginId": result.plugin_id,
            "status": result.status,
            "durationMs": result.duration_ms,
        }
        if result.failure is None:
            self._ports.trace.add("runtime.completed", **facts)
        else:
            facts["error"] = {"code": result.failure.code, "message": result.failure.message}
            self._ports.trace.add("runtime.failed", **facts)


def _timed_out(run: RuntimeRun, error: RunTimedOut) -> RunFailure:
    limit_ms = run.manifest.agent_settings.loop.timeout_ms
    left = " It did not stop when it was cancelled and was left behind." if error.was_left else ""
    return RunFailure(
        "timeout",
        f"The run of {run.runtime_id!r} did not end within {limit_ms} ms "
        f"('agent.loop.timeoutMs').{left}",
    )


def _projected(value: JsonValue) -> dict[str, JsonValue]:
    """The output as an object: other values stand under `value`, nothing is `{}`."""
    if isinstance(value, dict):
        return value
    return {} if value is None or value == "" else {"value": value}
