"""Running a tool's function within its limit, and what may come out of it."""

import asyncio
import inspect
from typing import Any

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.base.tasks import TaskTracker
from covel_host.tools.calls import CallError
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import ToolError, ToolValidationError, is_tool_error
from plugin_sdk.tools import Tool


async def invoke(
    tool: Tool[Any, Any],
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
    limit_s = None if tool.timeout_ms is None else tool.timeout_ms / 1000
    if tool.is_async and limit_s is None:
        return await _guarded(tool, context, keywords)
    task = tasks.start(_guarded(tool, context, keywords), name=f"tool {tool.name}")
    try:
        done, _ = await asyncio.wait({task}, timeout=limit_s)
    except asyncio.CancelledError:
        _leave(task, tool)
        raise
    if done:
        return task.result()
    signal.cancel("timeout")
    _leave(task, tool)
    raise CallError("timeout", f'Tool "{tool.name}" did not finish in {tool.timeout_ms} ms.')


def _leave(task: "asyncio.Task[Any]", tool: Tool[Any, Any]) -> None:
    # A thread cannot be stopped; its task stays uncancelled, so that the tracker knows of it.
    if tool.is_async:
        task.cancel()


async def _guarded(
    tool: Tool[Any, Any], context: ToolContext, keywords: dict[str, object]
) -> object:
    try:
        return await _called(tool, context, keywords)
    except asyncio.CancelledError as error:
        current = asyncio.current_task()
        if current is not None and current.cancelling():
            raise
        # The tool raised it of itself; nobody has cancelled this run.
        raise unexpected(tool.name, error) from error
    except TimeoutError as error:
        text = str(error).splitlines()[0] if str(error) else "it waited too long for something"
        message = f'Tool "{tool.name}" timed out: {text}.'.replace("..", ".")
        raise CallError("timeout", message, raised_by="tool", cause=error) from error
    except (Exception, SystemExit) as error:
        if is_tool_error(error):
            raise _told(error) from error
        raise unexpected(tool.name, error) from error


async def _called(
    tool: Tool[Any, Any], context: ToolContext, keywords: dict[str, object]
) -> object:
    if not tool.is_async:
        return await run_in_daemon_thread(
            lambda: tool.invoke(context, keywords), name=f"covel tool {tool.name}"
        )
    result = tool.invoke(context, keywords)
    return await result if inspect.isawaitable(result) else result


def _told(error: ToolError) -> CallError:
    details = error.details if isinstance(error, ToolValidationError) else ()
    return CallError(
        error.code,
        error.message,
        error.hint,
        raised_by="tool",
        is_authored=True,
        details=details,
        cause=error,
    )


def unexpected(tool_name: str, error: BaseException) -> CallError:
    """The `internal` failure for an error nobody declared (seed: 统一返回格式与错误码)."""
    text = str(error) or type(error).__name__
    return CallError("internal", text, raised_by="tool", cause=error)
