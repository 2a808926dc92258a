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
from covel_host.runtime.contexts import OpenToolCall
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.tools.call_arguments import arguments_value, unread_text
from covel_host.tools.calls import (
    CallCancelled,
    CallError,
    CallScope,
    ToolCallResult,
    ToolRequest,
)
from covel_host.tools.envelope import failure_envelope
from covel_host.tools.pools import MAX_PARALLEL_CALLS, RequestedCall, group_calls

_SKIPPED = "The run had ended before this call; it was not executed."


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """One call of a reply with its result, and the same as the completion rules see it."""

    result: ToolCallResult
    outcome: CallOutcome


class AgentCalls:
    """Runs the calls of one run and keeps what came of each."""

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
            authorized=tools.authorized,
            signal=run.signal,
            trace=ports.trace,
            staging=run.staging,
            open_call=lambda request, signal: OpenToolCall(run, ports, request, signal),
        )
        self._requested = 0
        self._results: dict[int, ToolCallResult] = {}

    @property
    def done(self) -> tuple[ToolCallResult, ...]:
        """Every call that has ended so far, however it did, in the model's order."""
        return tuple(self._results[position] for position in sorted(self._results))

    async def answer(
        self, calls: Sequence[ModelCall], state: CompletionState
    ) -> tuple[AnsweredCall, ...]:
        """Every call of one reply with its result, in the order of the reply.

        Calls after the one that ends the run are answered without being run
        (seed: 同一批调用的执行).
        """
        requests = [
            ToolRequest(position, call.call_id, call.name, call.arguments)
            for position, call in enumerate(calls, start=self._requested)
        ]
        self._requested += len(requests)
        answered: list[AnsweredCall] = []
        has_ended = False
        for group in self._groups(requests):
            if has_ended:
                answered += [self._skip(request) for request in group]
                continue
            answered += await self._run(group)
            has_ended = self._ends(answered, len(group), state)
        return tuple(answered)

    def _ends(self, answered: Sequence[AnsweredCall], newest: int, state: CompletionState) -> bool:
        """Whether one of the `newest` calls ended the run; in a pool it need not be the last."""
        outcomes = [call.outcome for call in answered]
        ends = range(len(outcomes) - newest + 1, len(outcomes) + 1)
        return any(batch_ends(self._settings, state, outcomes[:end]) for end in ends)

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
            return [self._answered(await self._call(group[0]))]
        async with asyncio.TaskGroup() as pool:
            tasks = [pool.create_task(self._pooled(request)) for request in group]
        return [self._answered(task.result()) for task in tasks]

    async def _pooled(self, request: ToolRequest) -> ToolCallResult:
        async with self._gate:
            return await self._call(request)

    async def _call(self, request: ToolRequest) -> ToolCallResult:
        try:
            result = await self._ports.executor.call(request, self._scope)
        except CallCancelled as cancelled:
            self._results[request.position] = cancelled.result
            raise
        self._results[request.position] = result
        return result

    def _skip(self, request: ToolRequest) -> AnsweredCall:
        self._ports.trace.add(
            "tool.failed",
            callId=request.call_id,
            tool=request.name,
            code="cancelled",
            error=_SKIPPED,
        )
        text = unread_text(request.arguments)
        result = ToolCallResult(
            request=request,
            status="skipped",
            envelope=failure_envelope(request.name, "cancelled", _SKIPPED),
            started_at=self._ports.clock.now(),
            duration_ms=0,
            history_arguments=text,
            arguments=arguments_value(text),
            error=CallError("cancelled", _SKIPPED),
        )
        self._results[request.position] = result
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
