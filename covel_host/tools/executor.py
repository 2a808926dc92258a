"""One path for every tool call, whoever makes it (seed: ToolExecutor)."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import Clock
from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.base.tasks import TaskTracker
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal
from covel_host.tools.call_arguments import UnreadArguments, arguments_value, read_arguments
from covel_host.tools.calls import CallError, CallScope, ToolCallResult, ToolRequest
from covel_host.tools.envelope import failure_envelope, success_envelope
from covel_host.tools.envelope_texts import READ_ONLY_WRITES
from covel_host.tools.invocation import invoke
from covel_host.tools.registry import RegisteredTool, ToolRegistry, ToolSource
from plugin_sdk.errors import ToolErrorCode
from plugin_sdk.proposals import Proposal
from plugin_sdk.results import (
    get_emitted_events,
    get_model_view,
    get_pending_proposals,
    get_tool_content,
)
from plugin_sdk.values import JsonValue

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class _Progress:
    """What is known of a call when it ends, however it ends."""

    started_at: datetime
    started: float
    history_arguments: str
    source: ToolSource | None = None


class ToolExecutor:
    """Runs tool calls: authorisation, resolution, arguments, the function, the read-only check.

    A failed call is a result, not an exception. `close` refuses new calls, cancels what runs and
    waits for the callbacks that were left behind.
    """

    def __init__(self, registry: ToolRegistry, *, clock: Clock) -> None:
        self._registry = registry
        self._clock = clock
        self._tasks = TaskTracker()
        self._closed = False

    async def call(self, request: ToolRequest, scope: CallScope) -> ToolCallResult:
        """What came of one call.

        Raises:
            asyncio.CancelledError: the run was cancelled; the call's late outcome is dropped.
        """
        progress = _Progress(
            self._clock.now(), self._clock.monotonic(), history_arguments=request.arguments
        )
        scope.trace.add(
            "tool.calling", callId=request.call_id, tool=request.name, arguments=request.arguments
        )
        try:
            result = await self._run(request, scope, progress)
        except CallError as failure:
            result = self._failed(request, scope, progress, failure)
        except BaseException:
            scope.trace.add(
                "tool.failed", callId=request.call_id, tool=request.name, code="cancelled"
            )
            raise
        self._report(result, scope)
        return result

    async def close(self, *, budget_s: float = 5.0) -> tuple[str, ...]:
        """Refuse new calls, cancel running ones, wait for what was left; names of what did not end.

        May be called again.
        """
        self._closed = True
        return await self._tasks.close(budget_s=budget_s)

    async def _run(
        self, request: ToolRequest, scope: CallScope, progress: _Progress
    ) -> ToolCallResult:
        registered = self._resolved(request, scope)
        progress.source = registered.source
        try:
            arguments = read_arguments(registered.tool, request.arguments)
        except UnreadArguments as error:
            progress.history_arguments = error.text
            raise error.failure from None
        progress.history_arguments = arguments.text
        value = await self._value(registered, request, scope, arguments.keywords)
        return await self._completed(request, scope, progress, registered, value)

    def _resolved(self, request: ToolRequest, scope: CallScope) -> RegisteredTool:
        if self._closed:
            raise CallError("unavailable", "The host is closing and takes no more calls.")
        if request.name not in scope.authorized:
            raise CallError(
                "unavailable", f'The tool "{request.name}" is not available to this runtime.'
            )
        registered = self._registry.find(request.name, plugin_id=scope.plugin_id)
        if registered is None:
            raise CallError("not-found", f'The tool "{request.name}" is not registered.')
        return registered

    async def _value(
        self,
        registered: RegisteredTool,
        request: ToolRequest,
        scope: CallScope,
        keywords: dict[str, object],
    ) -> object:
        signal = CancelSignal()
        opened = scope.open_context(request, signal)
        try:
            value = await invoke(
                registered.tool, opened.context, keywords, signal=signal, tasks=self._tasks
            )
        finally:
            opened.close()
        if scope.signal.cancelled:
            # The tool swallowed the cancellation; what it returns comes too late.
            raise CallError("cancelled", f'The call of "{request.name}" was cancelled.')
        return value

    async def _completed(
        self,
        request: ToolRequest,
        scope: CallScope,
        progress: _Progress,
        registered: RegisteredTool,
        value: object,
    ) -> ToolCallResult:
        events = get_emitted_events(value)
        wanted = get_pending_proposals(value)
        if registered.tool.annotations.read_only and (wanted or events):
            raise CallError("internal", READ_ONLY_WRITES, raised_by="tool")
        content, envelope = _json_forms(value, scope)
        return ToolCallResult(
            request=request,
            status="completed",
            envelope=envelope,
            started_at=progress.started_at,
            duration_ms=self._since(progress),
            history_arguments=progress.history_arguments,
            arguments=arguments_value(progress.history_arguments),
            source=registered.source,
            content=content,
            # Last of all: a call that fails stages nothing.
            proposals=await _staged(scope, wanted),
            events=events,
        )

    def _failed(
        self, request: ToolRequest, scope: CallScope, progress: _Progress, failure: CallError
    ) -> ToolCallResult:
        if failure.code == "internal":
            _LOG.error(
                "Tool %r of %r failed: %s",
                request.name,
                scope.runtime_id,
                failure.message,
                exc_info=failure.cause,
            )
        return ToolCallResult(
            request=request,
            status="failed",
            envelope=failure_envelope(
                request.name,
                failure.code,
                failure.message,
                hint=failure.hint,
                authored=failure.is_authored,
            ),
            started_at=progress.started_at,
            duration_ms=self._since(progress),
            history_arguments=progress.history_arguments,
            arguments=arguments_value(progress.history_arguments),
            source=progress.source,
            error=failure,
        )

    def _report(self, result: ToolCallResult, scope: CallScope) -> None:
        facts: dict[str, object] = {
            "callId": result.request.call_id,
            "tool": result.request.name,
            "durationMs": result.duration_ms,
            "result": result.envelope,
        }
        if result.error is None:
            scope.trace.add("tool.completed", **facts)
            return
        facts |= {"code": result.error.code, "error": result.error.message}
        if result.error.hint:
            facts["hint"] = result.error.hint
        if result.error.details:
            facts["details"] = [
                {"path": problem.path, "message": problem.message}
                for problem in result.error.details
            ]
        scope.trace.add("tool.failed", **facts)

    def _since(self, progress: _Progress) -> int:
        return round((self._clock.monotonic() - progress.started) * 1000)


def _json_forms(value: object, scope: CallScope) -> tuple[JsonValue, str]:
    """The content for code and the envelope for the model."""
    try:
        content = json_copy(get_tool_content(value))
        envelope = success_envelope(
            content,
            view=get_model_view(value),
            proposal_types=[proposal.type for proposal in get_pending_proposals(value)],
            event_count=len(get_emitted_events(value)),
            language=scope.instruction_locale,
        )
    except JsonValueError as error:
        raise CallError(
            "internal", f"the result has no JSON form: {error}", raised_by="tool", cause=error
        ) from error
    return content, envelope


async def _staged(scope: CallScope, wanted: Sequence[Proposal]) -> tuple[StagedProposal, ...]:
    """What the call wants written, checked and buffered: all of it or nothing."""
    try:
        return await scope.staging.stage(wanted)
    except ProposalRefused as refusal:
        # A too large value is the one refusal that the model can mend by writing less.
        code: ToolErrorCode = "invalid-input" if refusal.code == "value-too-large" else "internal"
        raise CallError(
            code, refusal.message, refusal.hint, raised_by="tool", cause=refusal
        ) from refusal
