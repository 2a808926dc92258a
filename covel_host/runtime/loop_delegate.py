"""Calls of `delegate`, which the loop answers itself (seed: 子 agent（delegate）)."""

import asyncio

from covel_host.base.clock import Clock
from covel_host.base.json_text import dump_json, json_copy
from covel_host.runtime.private_traces import without_private
from covel_host.runtime.subagents import SubagentAnswer, Subagents
from covel_host.tools.approval import ApprovalStatus
from covel_host.tools.builtin.delegate import DelegateInput, delegate, delegation_of
from covel_host.tools.call_arguments import UnreadArguments, read_arguments
from covel_host.tools.call_outcome import fail_call
from covel_host.tools.call_trace import report_call
from covel_host.tools.calls import (
    CallCancelled,
    CallError,
    CallScope,
    ToolCallResult,
    ToolRequest,
    denied_call,
)
from covel_host.tools.envelope import success_envelope
from covel_host.tools.invocation import failure_of
from plugin_sdk.errors import ToolError
from plugin_sdk.values import JsonValue


async def answer_delegate(
    subagents: Subagents,
    request: ToolRequest,
    scope: CallScope,
    *,
    clock: Clock,
    approval: ApprovalStatus,
) -> ToolCallResult:
    """What came of one call.

    The model reads the whole output. Records, the trace and an output that rests on the call keep
    of a character what it said and did, and nothing of a concealed provider.

    Raises:
        CallCancelled: the caller was cancelled.
    """
    result, started = ToolCallResult(request, clock.now()), clock.monotonic()
    result.source, result.approval = "builtin", approval
    result.unwritten_arguments = kept = without_private(request.arguments)
    scope.trace.add(
        "tool.calling",
        toolCallId=request.call_id,
        toolName=request.name,
        arguments=request.arguments if kept is None else dump_json(kept),
        source=result.source,
        approvalStatus=result.approval,
    )
    is_cancelled = False
    try:
        if approval == "denied":
            raise denied_call(request.name)
        answer = await _answered(subagents, request, result)
        _complete(result, answer, scope)
    except CallError as failure:
        fail_call(result, failure)
    except ToolError as error:
        fail_call(result, failure_of(request.name, error))
    except asyncio.CancelledError:
        fail_call(result, CallError("cancelled", f'The call of "{request.name}" was cancelled.'))
        is_cancelled = True
    result.duration_ms = round((clock.monotonic() - started) * 1000)
    report_call(result, scope)
    if is_cancelled:
        raise CallCancelled(result)
    return result


async def _answered(
    subagents: Subagents, request: ToolRequest, result: ToolCallResult
) -> SubagentAnswer:
    try:
        keywords, text = read_arguments(delegate, request.arguments)
    except UnreadArguments as error:
        result.history_arguments = error.text
        raise error.failure from None
    result.history_arguments = text
    asked = keywords["asked"]
    assert isinstance(asked, DelegateInput)
    return await subagents.run(delegation_of(asked), call_id=request.call_id)


def _complete(result: ToolCallResult, answer: SubagentAnswer, scope: CallScope) -> None:
    """Enter the answer, and what of it may be kept."""

    def written(content: JsonValue) -> str:
        return success_envelope(
            content,
            proposal_types=[one.type for one in answer.proposals],
            language=scope.instruction_locale,
        )

    result.status = "completed"
    result.content = json_copy(answer.kept)
    result.envelope = written(answer.output)
    result.proposals = answer.proposals
    result.shown_envelope = written(answer.kept)
