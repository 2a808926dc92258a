"""Running the tool calls of one reply: pools and barriers, results in the model's order."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from covel_host.models.messages import ModelCall
from covel_host.runtime.agent_tools import AgentTools
from covel_host.runtime.completion import batch_ends
from covel_host.runtime.completion_calls import CallFailure, CallOutcome
from covel_host.runtime.completion_settings import CompletionSettings
from covel_host.runtime.completion_state import CompletionState
from covel_host.runtime.contexts import OpenToolCall
from covel_host.runtime.loop_delegate import answer_delegate
from covel_host.runtime.loop_search import answer_search
from covel_host.runtime.loop_tools import SEARCH_TOOLS
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.service_access import RunServices
from covel_host.runtime.subagents import Subagents
from covel_host.tools.call_hooks import CallHooks
from covel_host.tools.calls import (
    CallCancelled,
    CallError,
    CallScope,
    ToolCallResult,
    ToolRequest,
)
from covel_host.tools.calls_not_run import call_not_run
from covel_host.tools.pools import MAX_PARALLEL_CALLS, RequestedCall, group_calls
from covel_host.tools.refusals import DELEGATE

_ENDED = "The run had ended before this call; it was not executed."


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """One call of a reply with its result, and the same as the completion rules see it."""

    result: ToolCallResult
    outcome: CallOutcome


class AgentCalls:
    """Runs the calls of one run and keeps what came of each.

    `is_ended_by_hook` says that a `post_tool_use` hook ended the loop.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        tools: AgentTools,
        settings: CompletionSettings,
        services: RunServices,
    ) -> None:
        self._ports = ports
        self._subagents = Subagents(run, ports)
        self._tools = tools
        self._settings = settings
        self._gate = asyncio.Semaphore(MAX_PARALLEL_CALLS)
        self._scope = CallScope(
            plugin_id=run.plugin_id,
            runtime_id=run.runtime_id,
            instruction_locale=run.instruction_locale,
            authorized=tools.authorized,
            tools=tools.resolved,
            signal=run.signal,
            trace=ports.trace,
            staging=run.staging,
            open_call=partial(OpenToolCall, run, ports, services, self._emitted),
            absent=tools.absent,
        )
        self._hooks = CallHooks(ports.hooks, self._scope)
        self._refused: dict[int, CallError] = {}
        self.is_ended_by_hook = False
        scene = None if run.resumed is None else run.resumed.scene.agent
        self._requested = 0 if scene is None else scene.requested
        self._earlier = run.earlier_outputs
        self._results: dict[int, ToolCallResult] = {}

    @property
    def done(self) -> tuple[ToolCallResult, ...]:
        """Every call that has ended so far, however it did, in the model's order."""
        return tuple(self._results[position] for position in sorted(self._results))

    @property
    def requested(self) -> int:
        """How many calls the run has asked for, those before a suspension among them."""
        return self._requested

    def _emitted(self) -> tuple[str, ...]:
        return self._earlier.plus(self._results.values()).topics

    async def answer(
        self, calls: Sequence[ModelCall], state: CompletionState
    ) -> tuple[AnsweredCall, ...]:
        """Every call of one reply with its result, in the order of the reply.

        Calls after the one that ends the run are answered without being run
        (seed: 同一批调用的执行).
        """
        requests = self._requests(calls)
        if self._hooks.asks:
            # All of them before the first is run: pools need the final names.
            requests = [await self._asked(request) for request in requests]
        answered: list[AnsweredCall] = []
        has_ended = False
        for group in self._groups(requests):
            if has_ended:
                why = CallError("cancelled", _ENDED)
                answered += [self._skipped(request, why) for request in group]
                continue
            # One by one in the model's order, whichever ended first.
            answered += [await self._reviewed(result) for result in await self._run(group)]
            has_ended = self.is_ended_by_hook or self._ends(answered, len(group), state)
        return tuple(answered)

    def skip(self, calls: Sequence[ModelCall], why: str) -> tuple[AnsweredCall, ...]:
        """Every call of a reply that does not count, with the reason as its result."""
        return tuple(
            self._skipped(request, CallError("cancelled", why)) for request in self._requests(calls)
        )

    def _requests(self, calls: Sequence[ModelCall]) -> list[ToolRequest]:
        first = self._requested
        self._requested += len(calls)
        return [
            ToolRequest(position, call.call_id, call.name, call.arguments)
            for position, call in enumerate(calls, start=first)
        ]

    async def _asked(self, request: ToolRequest) -> ToolRequest:
        asked = await self._hooks.before(request)
        if asked.refusal is not None:
            self._refused[request.position] = asked.refusal
        return asked.request

    async def _reviewed(self, result: ToolCallResult) -> AnsweredCall:
        if self._hooks.reviews:
            reviewed = await self._hooks.after(result)
            result = self._results[result.request.position] = reviewed.result
            self.is_ended_by_hook = self.is_ended_by_hook or reviewed.ends_run
        return self._answered(result)

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

    async def _run(self, group: Sequence[ToolRequest]) -> list[ToolCallResult]:
        if len(group) == 1:
            return [await self._call(group[0])]
        run = self._call if len(group) <= MAX_PARALLEL_CALLS else self._pooled
        async with asyncio.TaskGroup() as pool:
            tasks = [pool.create_task(run(request)) for request in group]
        return [task.result() for task in tasks]

    async def _pooled(self, request: ToolRequest) -> ToolCallResult:
        async with self._gate:
            return await self._call(request)

    async def _call(self, request: ToolRequest) -> ToolCallResult:
        try:
            result = await self._result(request)
        except CallCancelled as cancelled:
            self._results[request.position] = cancelled.result
            raise
        self._results[request.position] = result
        return result

    async def _result(self, request: ToolRequest) -> ToolCallResult:
        refusal = self._refused.get(request.position)
        if refusal is not None:
            return self._not_run(request, refusal)
        search, scope, clock = self._tools.search, self._scope, self._ports.clock
        if search is not None and request.name == SEARCH_TOOLS:
            approval = self._ports.executor.approval_of(SEARCH_TOOLS, "builtin")
            return await answer_search(search, request, scope, clock=clock, approval=approval)
        if request.name == DELEGATE and DELEGATE in self._tools.resolved:
            approval = self._ports.executor.approval_of(DELEGATE, "builtin")
            return await answer_delegate(
                self._subagents, request, scope, clock=clock, approval=approval
            )
        return await self._ports.executor.call(request, self._scope)

    def _skipped(self, request: ToolRequest, why: CallError) -> AnsweredCall:
        result = self._results[request.position] = self._not_run(request, why)
        return self._answered(result)

    def _not_run(self, request: ToolRequest, why: CallError) -> ToolCallResult:
        return call_not_run(request, why, clock=self._ports.clock, trace=self._ports.trace)

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
    raised_by = result.error.raised_by
    if result.status == "skipped" and raised_by != "hook":
        raised_by = "loop"
    return CallFailure(result.error.code, raised_by)
