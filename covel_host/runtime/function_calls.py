"""`ctx.tools`: the tool calls of a function runtime (seed: Function runtime 调用工具)."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from covel_host.base.error_texts import cut_text
from covel_host.base.json_text import JsonValueError, dump_json, json_copy
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.completion_calls import CallFailure, CallOutcome
from covel_host.runtime.contexts import OpenToolCall
from covel_host.runtime.function_tools import FunctionTools
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.service_access import RunServices
from covel_host.tools.call_audit import audit_value
from covel_host.tools.call_hooks import CallHooks
from covel_host.tools.calls import (
    CallCancelled,
    CallError,
    CallScope,
    ToolCallResult,
    ToolRequest,
)
from covel_host.tools.calls_not_run import call_not_run
from covel_host.tools.envelope_texts import unexpected_text
from plugin_sdk.errors import ToolError
from plugin_sdk.values import JsonValue

_SHOWN_NAME: Final = 200
"""How much of a name is told; those of tools have at most 64 characters."""

_ENDED = "A 'post_tool_use' hook has ended the tool calls of this run; this one was not executed."


class FunctionCalls:
    """The calls of one run, one after another in the order they were asked for.

    Each goes the way of a model's call: arguments, limits, audit, trace, staging. `done` holds
    them all in that order, failed ones included.
    """

    def __init__(
        self,
        run: RuntimeRun,
        ports: RunPorts,
        tools: FunctionTools,
        life: CallLife,
        services: RunServices,
    ) -> None:
        self._run = run
        self._ports = ports
        self._tools = tools
        self._life = life
        self._turn = asyncio.Lock()
        self._is_ended_by_hook = False
        self._requested = 0
        self._earlier = run.earlier_outputs
        self._results: dict[int, ToolCallResult] = {}
        self._scope = CallScope(
            plugin_id=run.plugin_id,
            runtime_id=run.runtime_id,
            instruction_locale=run.instruction_locale,
            authorized=frozenset(tools.resolved),
            tools=tools.resolved,
            signal=run.signal,
            trace=ports.trace,
            staging=run.staging,
            open_call=partial(OpenToolCall, run, ports, services, self._emitted),
        )
        self._hooks = CallHooks(ports.hooks, self._scope)

    @property
    def done(self) -> tuple[ToolCallResult, ...]:
        """Every call that has ended so far, in the order they were asked for."""
        return tuple(self._results[position] for position in sorted(self._results))

    def _emitted(self) -> tuple[str, ...]:
        return self._earlier.plus(self._results.values()).topics

    @property
    def outcomes(self) -> tuple[CallOutcome, ...]:
        """The same calls as the completion rules see them."""
        return tuple(self._outcome(result) for result in self.done)

    async def call(self, name: str, arguments: Mapping[str, JsonValue]) -> JsonValue:
        """The tool's whole content; calls asked for meanwhile wait for their turn.

        Raises:
            ToolError: the call failed, and with it the run (seed: 任何一次调用失败).
        """
        return await self._life.use(lambda: self._queued(name, arguments))

    async def _queued(self, name: object, arguments: object) -> JsonValue:
        position = self._requested
        self._requested += 1
        shown = cut_text(name, _SHOWN_NAME) if isinstance(name, str) else f"<{type(name).__name__}>"
        request = ToolRequest(position, f"call-{position + 1}", shown, "{}")
        result = self._results[position] = await self._in_turn(request, arguments)
        if result.error is not None:
            error = result.error
            raise ToolError(error.code, _told(request.name, error), hint=error.hint)
        # The audit keeps the content: what the handler does with its own is its business.
        return json_copy(result.content)

    async def _in_turn(self, request: ToolRequest, arguments: object) -> ToolCallResult:
        try:
            text = dump_json(arguments)
        except Exception as error:  # a model among the arguments may raise anything when written
            return self._never_run(request, _unwritable(request, arguments, error), arguments)
        try:
            async with self._turn:
                return await self._called(replace(request, arguments=text), arguments)
        except CallCancelled as cancelled:
            self._results[request.position] = cancelled.result
            raise
        except asyncio.CancelledError:
            if request.position not in self._results:
                withdrawn = CallError("cancelled", f'The call of "{request.name}" was cancelled.')
                self._results[request.position] = self._never_run(request, withdrawn, arguments)
            raise

    async def _called(self, request: ToolRequest, arguments: object) -> ToolCallResult:
        if self._is_ended_by_hook:
            return self._never_run(request, CallError("cancelled", _ENDED), arguments)
        if self._hooks.asks:
            asked = await self._hooks.before(request)
            if asked.refusal is not None:
                return self._never_run(request, asked.refusal, arguments)
            request = asked.request
        result = await self._ports.executor.call(request, self._scope)
        if not self._hooks.reviews:
            return result
        # It was run, also when the hooks are not heard to their end.
        self._results[request.position] = result
        reviewed = await self._hooks.after(result)
        self._is_ended_by_hook = reviewed.ends_run
        return reviewed.result

    def _never_run(
        self, request: ToolRequest, failure: CallError, arguments: object
    ) -> ToolCallResult:
        return call_not_run(
            request,
            failure,
            clock=self._ports.clock,
            trace=self._ports.trace,
            status="failed" if failure.code == "invalid-input" else "skipped",
            arguments=audit_value(arguments).value,
        )

    def _outcome(self, result: ToolCallResult) -> CallOutcome:
        found, error = self._tools.resolved.get(result.request.name), result.error
        return CallOutcome(
            call_id=result.request.call_id,
            tool=result.request.name,
            arguments=result.history_arguments,
            read_only=found is not None and found.tool.annotations.read_only,
            failure=None if error is None else CallFailure(error.code, error.raised_by),
        )


def _told(name: str, error: CallError) -> str:
    """What the code that called is told; nobody wrote the text of an unexpected error for it."""
    if error.code == "internal" and not error.is_authored:
        return unexpected_text(name, error.message)
    return error.message


def _unwritable(request: ToolRequest, arguments: object, error: Exception) -> CallError:
    why = str(error) if isinstance(error, JsonValueError) else type(error).__name__
    return CallError(
        "invalid-input",
        f'The arguments for "{request.name}" cannot be written as JSON: {why}.',
        details=audit_value(arguments).problems,
    )
