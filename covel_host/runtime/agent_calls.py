"""Running the tool calls of one reply: pools and barriers, results in the model's order."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from covel_host.models.messages import ModelCall
from covel_host.runtime.agent_tools import AgentTools
from covel_host.runtime.completion import batch_ends
from covel_host.runtime.completion_calls import CallFailure, CallOutcome
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.completion_state import CompletionState
from covel_host.runtime.contexts import ToolCallContext
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.tools.calls import CallError, CallScope, ToolCallResult, ToolRequest
from covel_host.tools.envelope import failure_envelope
from covel_host.tools.pools import MAX_PARALLEL_CALLS, RequestedCall, group_calls

_SKIPPED = "The run had ended before this call; it was not executed."


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """One call of a reply with its result, and the same as the completion rules see it."""

    result: ToolCallResult
    outcome: CallOutcome


class AgentCalls:
    """Runs the calls of one run; `done` holds every answered call so far, in order."""

    def __init__(
        self, run: RuntimeRun, ports: RunPorts, tools: AgentTools, settings: CompletionSettings
    ) -> None:
        self._ports = ports
        self._tools = tools
        self._settings = settings
        self._gate = asyncio.Semaphore(MAX_PARALLEL_CALLS)
        self._scope = CallScope(
            plugin_id=run.plugin_id,
            runtime_id=run.runtime_id,
            instruction_locale=run.instruction_locale,
            authorized=tools.authorised,
            signal=run.signal,
            trace=ports.trace,
            staging=run.staging,
            open_context=lambda request, signal: ToolCallContext(run, ports, request, signal),
        )
        self.done: list[ToolCallResult] = []

    async def answer(
        self, calls: Sequence[ModelCall], state: CompletionState
    ) -> tuple[AnsweredCall, ...]:
        """Every call of one reply with its result, in the order of the reply.

        Calls after the one that ends the run are answered without being run
        (seed: 同一批调用的执行).
        """
        requests = [
            ToolRequest(len(self.done) + offset, call.call_id, call.name, call.arguments)
            for offset, call in enumerate(calls)
        ]
        answered: list[AnsweredCall] = []
        for group in self._groups(requests):
            if answered and batch_ends(self._settings, state, [call.outcome for call in answered]):
                answered += [self._skip(request) for request in group]
            else:
                answered += await self._run(group)
        self.done += [call.result for call in answered]
        return tuple(answered)

    def _groups(self, requests: Sequence[ToolRequest]) -> list[list[ToolRequest]]:
        # Positions stand for the calls: a provider may give two of them one ID.
        wanted = [RequestedCall(str(request.position), request.name) for request in requests]
        by_position = {str(request.position): request for request in requests}
        return [
            [by_position[position] for position in group.call_ids]
            for group in group_calls(wanted, self._tools.targets)
        ]

    async def _run(self, group: Sequence[ToolRequest]) -> list[AnsweredCall]:
        if len(group) == 1:
            return [self._answered(await self._ports.executor.call(group[0], self._scope))]
        async with asyncio.TaskGroup() as pool:
            tasks = [pool.create_task(self._pooled(request)) for request in group]
        return [self._answered(task.result()) for task in tasks]

    async def _pooled(self, request: ToolRequest) -> ToolCallResult:
        async with self._gate:
            return await self._ports.executor.call(request, self._scope)

    def _skip(self, request: ToolRequest) -> AnsweredCall:
        self._ports.trace.add(
            "tool.failed",
            callId=request.call_id,
            tool=request.name,
            code="cancelled",
            error=_SKIPPED,
        )
        result = ToolCallResult(
            request=request,
            status="skipped",
            envelope=failure_envelope(request.name, "cancelled", _SKIPPED),
            started_at=self._ports.clock.now(),
            duration_ms=0,
            history_arguments=request.arguments,
            arguments=request.arguments,
            error=CallError("cancelled", _SKIPPED),
        )
        return self._answered(result)

    def _answered(self, result: ToolCallResult) -> AnsweredCall:
        target = self._tools.targets.get(result.request.name)
        return AnsweredCall(
            result,
            CallOutcome(
                call_id=result.request.call_id,
                tool=result.request.name,
                arguments=result.history_arguments,
                read_only=target is not None and target.read_only,
                failure=_failure(result),
            ),
        )


def _failure(result: ToolCallResult) -> CallFailure | None:
    if result.error is None:
        return None
    raised_by = "loop" if result.status == "skipped" else result.error.raised_by
    return CallFailure(result.error.code, raised_by)
