"""One run of an agent runtime, from its prompt to its result."""

from dataclasses import replace
from typing import Any

from covel_host.base.errors import HostError
from covel_host.base.unicode_text import storable_text
from covel_host.models.errors import ModelError
from covel_host.runtime.agent_calls import AgentCalls
from covel_host.runtime.agent_loop import AgentLoop, LoopEnd
from covel_host.runtime.agent_model import AgentModel
from covel_host.runtime.agent_preparing import prepared_prompt
from covel_host.runtime.agent_settings import run_settings
from covel_host.runtime.agent_tools import agent_tools
from covel_host.runtime.completion_state import Fail, Finish, Suspend
from covel_host.runtime.deadline import RunDeadline, RunTimedOut, run_within
from covel_host.runtime.extensions import RunExtensions
from covel_host.runtime.output_check import check_contract
from covel_host.runtime.prompt_hooks import CallPlanning
from covel_host.runtime.result import ModelUse, RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.run_record import RunRecord
from covel_host.runtime.run_status import RunStatus
from covel_host.runtime.service_access import RunServices
from covel_host.runtime.shown_text import ShownText
from covel_host.runtime.suspension_scene import asked_by, suspended_run
from covel_host.runtime.tool_standings import agent_standings
from covel_host.runtime.traced_prompts import TracedPrompts
from plugin_sdk.values import JsonValue


class AgentRun:
    """One agent run, played once with `result`.

    The value of a story is its prose, which is staged by whoever ends the run. The writes of a run
    that did not succeed are not handed on (spec/transactions.md 3.1).
    """

    def __init__(self, run: RuntimeRun, ports: RunPorts, record: RunRecord) -> None:
        self._run = run
        self._ports = ports
        self._record = record
        self._settings = run_settings(run)
        self._loop: AgentLoop | None = None
        self._warnings: tuple[str, ...] = ()

    async def result(self) -> RuntimeResult:
        """How the run went; a failure is a result, never an exception.

        Raises:
            asyncio.CancelledError: the execution was cancelled; nothing of the run counts.
        """
        self._record.begin()
        try:
            end = await self._within_deadline()
            self._check_contract(end)
            return self._ended(end)
        except RunTimedOut as error:
            return self._failed(_timed_out(self._run, error))
        except HostError as error:
            message = storable_text(error.message)
            counts = not isinstance(error, ModelError) or error.error_kind == "bad_request"
            # A provider that is down, unpaid or slow is not the package's fault.
            return self._failed(RunFailure(error.code, message, error.hint, counts_as_error=counts))

    def cut_short(self, failure: RunFailure) -> RuntimeResult:
        """The result of a run that was cancelled: what its audit keeps, as far as it came."""
        return self._failed(failure)

    async def _within_deadline(self) -> LoopEnd:
        run, ports = self._run, self._ports
        limit_s = _limit_ms(run) / 1000
        deadline = RunDeadline(limit_s, ports.clock)
        return await run_within(
            deadline,
            self._play(deadline),
            name=f"runtime {run.runtime_id}",
            signal=run.signal,
            tasks=ports.tasks,
        )

    async def _play(self, deadline: RunDeadline) -> LoopEnd:
        run, settings = self._run, self._settings
        shown = ShownText(self._ports.on_text)
        ports = replace(self._ports, on_text=shown)
        tools = agent_tools(run, ports.registry, settings)
        if ports.on_tools is not None:
            ports.on_tools(run.runtime_id, agent_standings(run, tools))
        self._warnings = tuple(
            f'builtin tool "{name}" is not installed on this host — not offered'
            for name in tools.missing
        )
        services = RunServices(
            run,
            ports,
            self._record,
            slot=run.manifest.agent_settings.model,
            on_queued=deadline.extend,
        )
        calls = AgentCalls(run, ports, tools, settings, services)
        planning = CallPlanning(run, ports, settings)
        model = AgentModel(run, ports, settings, tools, deadline, planning, TracedPrompts(run))
        self._loop = AgentLoop(run, ports, settings, model, calls, shown)
        extensions = RunExtensions(run, ports, self._record, services)
        if run.resumed is not None:
            return await self._loop.resume(run.resumed)
        prompt = await prepared_prompt(run, ports, settings, extensions, tools, deadline)
        return await self._loop.play(prompt)

    def _check_contract(self, end: LoopEnd) -> None:
        # The loop has checked the private schema, which a model may mend. A story is prose.
        if isinstance(end.decision, Finish) and not self._settings.is_story:
            check_contract(self._run, end.value, has_value=_has_value(end.value))

    def _ended(self, end: LoopEnd) -> RuntimeResult:
        if isinstance(end.decision, Fail):
            return self._failed(RunFailure(end.decision.reason, end.decision.message))
        if isinstance(end.decision, Suspend):
            return self._suspended(end.decision.call_id)
        output = _projected(end.value)
        return self._result(
            "success",
            output=output,
            value=end.value,
            has_value=_has_value(end.value),
            completion="done" if output.get("preGameDone") is True else None,
            text=end.decision.text,
            ended_by=end.decision.ended_by,
            proposals=self._run.staging.proposals,
        )

    def _suspended(self, call_id: str) -> RuntimeResult:
        assert self._loop is not None, "a loop that never began suspends nothing"
        calls = self._loop.calls.done
        reason, schema = asked_by(calls, call_id)
        scene = self._loop.scene(call_id)
        return self._result(
            "suspended", suspension=suspended_run(self._run, reason, schema, calls, agent=scene)
        )

    def _failed(self, failure: RunFailure) -> RuntimeResult:
        return self._result("failed", failure=failure)

    def _result(self, status: RunStatus, **members: Any) -> RuntimeResult:
        loop = self._loop
        return self._record.result(
            status,
            warnings=self._warnings,
            tool_calls=() if loop is None else loop.calls.done,
            steps=0 if loop is None else loop.steps,
            interjections=() if loop is None else loop.heard,
            model_use=ModelUse() if loop is None else loop.model.use,
            **members,
        )


def _limit_ms(run: RuntimeRun) -> int:
    own_ms = run.manifest.agent_settings.loop.timeout_ms
    return own_ms if run.limit_ms is None else min(own_ms, run.limit_ms)


def _timed_out(run: RuntimeRun, error: RunTimedOut) -> RunFailure:
    limit_ms = _limit_ms(run)
    left = " It did not stop when it was cancelled and was left behind." if error.was_left else ""
    return RunFailure(
        "timeout",
        f"The run of {run.runtime_id!r} did not end within {limit_ms} ms "
        f"('agent.loop.timeoutMs').{left}",
    )


def _has_value(value: JsonValue) -> bool:
    return value is not None and value != ""


def _projected(value: JsonValue) -> dict[str, JsonValue]:
    """The output as an object: other values stand under `value`, nothing is `{}`."""
    if isinstance(value, dict):
        return value
    return {"value": value} if _has_value(value) else {}
