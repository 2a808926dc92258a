"""Running a tool's function within its limit, and what the errors it raises mean."""

from collections.abc import Awaitable
from typing import cast

from covel_host.base.author_calls import AuthorCall, AuthorLate, AuthorRaised, is_authors_own
from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.error_texts import error_text, tool_error_of, unexpected_cause
from covel_host.base.tasks import TaskTracker
from covel_host.tools.calls import CallError
from covel_host.tools.refusals import DELEGATE, RaisedBy
from covel_host.tools.registry import CallableTool
from covel_host.tools.service_failures import service_failure
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import ToolValidationError


async def invoke(
    tool: CallableTool,
    context: ToolContext,
    keywords: dict[str, object],
    *,
    signal: CancelSignal,
    tasks: TaskTracker,
) -> object:
    """What the tool's function returns.

    An async function without a limit of its own is awaited in place. One with a limit runs in a
    task of its own and a plain function in a thread: both can be left behind, the tracker then
    keeps them (spec/decisions.md 1).

    Raises:
        CallError: `timeout`, the tool's own error, or `internal` for anything unexpected.
        asyncio.CancelledError: the caller was cancelled.
    """
    if tool.is_async and tool.timeout_ms is None:
        # Most calls: nothing can be left behind, so nothing has to know of it.
        try:
            return await cast("Awaitable[object]", tool.invoke(context, keywords))
        except BaseException as error:
            if not is_authors_own(error):
                raise
            raise failure_of(tool.name, error) from error
    call = AuthorCall(
        lambda: tool.invoke(context, keywords),
        name=f"tool {tool.name}",
        is_async=tool.is_async,
        tasks=tasks,
    )
    try:
        limit_s = None if tool.timeout_ms is None else tool.timeout_ms / 1000
        return await call.returned(limit_s=limit_s)
    except AuthorRaised as raised:
        raise failure_of(tool.name, raised.error) from raised.error
    except AuthorLate:
        signal.cancel("timeout")
        message = f'Tool "{tool.name}" did not finish in {tool.timeout_ms} ms.'
        raise CallError("timeout", message) from None


def failure_of(tool_name: str, error: BaseException) -> CallError:
    """What an error raised by a tool's own code tells the model (seed: 统一返回格式与错误码).

    What comes out of `delegate` is its sub-agent's failure.
    """
    raised_by: RaisedBy = "delegate" if tool_name == DELEGATE else "tool"
    failed_service = service_failure(error)
    if failed_service is not None:
        return failed_service
    if isinstance(error, TimeoutError):
        message = f'Tool "{tool_name}" timed out: {unexpected_cause(error_text(error))}'
        return CallError("timeout", message, raised_by=raised_by, cause=error)
    told = tool_error_of(error)
    if told is None:
        return CallError("internal", error_text(error), raised_by=raised_by, cause=error)
    return CallError(
        told.code,
        told.message,
        told.hint,
        raised_by=raised_by,
        is_authored=True,
        details=error.details if isinstance(error, ToolValidationError) else (),
        cause=error,
    )
