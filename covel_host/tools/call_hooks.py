"""The hooks around tool calls, whoever makes them (spec/manifest.md 10.5; seed: 同一批调用的执行).

A call whose arguments are no JSON object is announced to no hook: it fails before any tool runs.
"""

from dataclasses import dataclass, replace

from covel_host.base.json_text import dump_json
from covel_host.hooks.dispatcher import HookDispatcher
from covel_host.hooks.hook import HookFacts
from covel_host.tools.call_arguments import arguments_object
from covel_host.tools.calls import CallError, CallScope, ToolCallResult, ToolRequest
from covel_host.tools.envelope import replaced_envelope
from plugin_sdk.hook_events import FinishedToolCall, ToolCall, ToolFailure


@dataclass(slots=True)
class AskedCall:
    """A call as its hooks left it, its ID kept; with a `refusal` it is not to be run."""

    request: ToolRequest
    refusal: CallError | None = None


@dataclass(slots=True)
class ReviewedCall:
    """A call that has ended, as its hooks left it; `ends_run` when one of them ends the loop."""

    result: ToolCallResult
    ends_run: bool = False


class CallHooks:
    """Asks the hooks of one run's calls."""

    def __init__(self, hooks: HookDispatcher, scope: CallScope) -> None:
        self._hooks = hooks
        self._scope = scope
        self.asks = hooks.listens("pre_tool_use")
        self.reviews = hooks.listens("post_tool_use")

    async def before(self, request: ToolRequest) -> AskedCall:
        """`request` with the final name and arguments, or why it is not run."""
        arguments = arguments_object(request.arguments) if self.asks else None
        if arguments is None:
            return AskedCall(request)
        call = ToolCall(id=request.call_id, name=request.name, arguments=arguments)
        outcome = await self._hooks.dispatch("pre_tool_use", call, self._facts(request))
        if outcome.aborted is not None:
            return AskedCall(request, CallError("refused", outcome.aborted, raised_by="hook"))
        wanted = outcome.payload
        if wanted is call:
            return AskedCall(request)
        text = request.arguments if wanted.arguments == arguments else dump_json(wanted.arguments)
        return AskedCall(replace(request, name=wanted.name, arguments=text))

    async def after(self, result: ToolCallResult) -> ReviewedCall:
        """`result` with the content that code and model read; what the call staged stays staged.

        Calls that were not run are not announced.
        """
        arguments = result.arguments
        if not self.reviews or result.status == "skipped" or not isinstance(arguments, dict):
            return ReviewedCall(result)
        call = FinishedToolCall(
            id=result.request.call_id,
            name=result.request.name,
            arguments=arguments,
            result=result.content,
            error=None if result.error is None else _failure(result.error),
        )
        outcome = await self._hooks.dispatch("post_tool_use", call, self._facts(result.request))
        ends_run = outcome.effects.get("terminate") is True
        content = outcome.payload.result
        if outcome.payload is call or content == result.content:
            return ReviewedCall(result, ends_run)
        envelope = replaced_envelope(
            result.envelope, content, language=self._scope.instruction_locale
        )
        # `tool.completed` was told with what the tool itself gave.
        self._scope.trace.add(
            "tool.replaced",
            toolCallId=result.request.call_id,
            toolName=result.request.name,
            result=envelope,
        )
        return ReviewedCall(replace(result, content=content, envelope=envelope), ends_run)

    def _facts(self, request: ToolRequest) -> HookFacts:
        scope = self._scope
        return HookFacts(
            signal=scope.signal,
            trace=scope.trace,
            plugin_id=scope.plugin_id,
            runtime_id=scope.runtime_id,
            target_id=request.call_id,
        )


def _failure(error: CallError) -> ToolFailure:
    return ToolFailure(code=error.code, message=error.message, hint=error.hint)
