"""Running a tool's function within its limit, and what the errors it raises mean."""

import asyncio
import inspect
from typing import Any

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.daemon_threads import run_in_daemon_thread
from covel_host.base.tasks import TaskTracker
from covel_host.tools.calls import CallError
from covel_host.tools.envelope_texts import unexpected_cause
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import TOOL_ERROR_CODES, ToolError, ToolValidationError, is_tool_error
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
    task = tasks.start(
        _guarded(tool, context, keywords), name=f"tool {tool.name}", stoppable=tool.is_async
    )
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


def failure_of(tool_name: str, error: BaseException) -> CallError:
    """What an error raised by a tool's own code tells the model (seed: 统一返回格式与错误码)."""
    if isinstance(error, TimeoutError):
        message = f'Tool "{tool_name}" timed out: {unexpected_cause(_text_of(error))}'
        return CallError("timeout", message, raised_by="tool", cause=error)
    if is_tool_error(error) and getattr(error, "code", None) in TOOL_ERROR_CODES:
        return _told(error)
    return CallError("internal", _text_of(error), raised_by="tool", cause=error)


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
        raise failure_of(tool.name, error) from error
    except GeneratorExit as error:
        if not _is_in_task():
            # Nobody waits any more: the coroutine is being thrown away.
            raise
        raise failure_of(tool.name, error) from error
    except KeyboardInterrupt as error:
        # In a thread it is the tool's own doing; on the loop it is a person's Ctrl-C.
        if tool.is_async:
            raise
        raise failure_of(tool.name, error) from error
    except BaseException as error:
        raise failure_of(tool.name, error) from error


def _is_in_task() -> bool:
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False


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
    # A sub-class may have been made without the members of its base.
    message = getattr(error, "message", None)
    hint = getattr(error, "hint", None)
    return CallError(
        error.code,
        _text_of(error) if message is None else str(message),
        None if hint is None else str(hint),
        raised_by="tool",
        is_authored=True,
        details=error.details if isinstance(error, ToolValidationError) else (),
        cause=error,
    )


def _text_of(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"sys.exit({error.code!r}) was called"
    try:
        text = str(error)
    except BaseException as broken:
        return f"{type(error).__name__} (its text cannot be shown: {type(broken).__name__})"
    return text or type(error).__name__
