"""One call of one hook's own code: within its limit, and without harm to the host."""

import asyncio
import inspect
from typing import Final

from covel_host.base.author_calls import (
    AuthorCall,
    AuthorLate,
    AuthorRaised,
    is_authors_own,
    is_cancelled,
)
from covel_host.base.tasks import TaskTracker
from covel_host.hooks.context import HookCallContext
from covel_host.hooks.copies import private_copy
from covel_host.hooks.failures import HookFailure, ill_formed, raised
from covel_host.hooks.hook import Hook
from plugin_sdk.hook_events import HookEvent

DEFAULT_TIMEOUT_MS = 5_000
"""Limit of one call, `match` included (spec/manifest.md 10.5)."""

NOT_CALLED: Final = object()
"""What a call gives when `match` said no."""


class ReadyHook:
    """A hook with what each of its calls has to know of it, found out once."""

    __slots__ = ("call_name", "hook", "is_async", "limit_ms", "takes_context")

    def __init__(self, hook: Hook) -> None:
        self.hook = hook
        self.call_name = f"hook {hook.plugin_id}:{hook.function_name}"
        self.is_async = inspect.iscoroutinefunction(hook.function)
        self.limit_ms = DEFAULT_TIMEOUT_MS if hook.timeout_ms is None else hook.timeout_ms
        self.takes_context = "ctx" in hook.arguments


async def call_hook(
    ready: ReadyHook,
    event: HookEvent,
    payload: object,
    context: HookCallContext | None,
    *,
    tasks: TaskTracker,
) -> object:
    """What the hook's function returns for its own copy of `payload`, or `NOT_CALLED`.

    An async function runs on the loop in a task of its own, a plain one in a daemon thread, both
    together with their `match`. What does not end in time is cancelled where it can be and left to
    `tasks`; what it returns then is dropped. `context` is for a function that takes one.

    Raises:
        HookFailure: it raised, or did not answer in time.
        asyncio.CancelledError: the caller was cancelled.
    """
    made = _Call(ready.hook, event, payload, context)
    call = AuthorCall(made.begin, name=ready.call_name, is_async=ready.is_async, tasks=tasks)
    end = "ended"
    try:
        returned: object = await call.returned(limit_s=ready.limit_ms / 1000)
    except AuthorLate:
        end = "timeout"
        message = f"The hook did not answer in {ready.limit_ms} ms."
        raise HookFailure("timeout", "TimeoutError", message) from None
    except AuthorRaised as error:
        own = error.error
        raise (own if isinstance(own, HookFailure) else raised(own)) from own
    except asyncio.CancelledError:
        end = "cancelled"
        if is_cancelled():
            raise
        raise HookFailure("closing", "CancelledError", "The host is closing.") from None
    finally:
        made.end(end)
    return returned


class _Call:
    __slots__ = ("_context", "_event", "_has_ended", "_hook", "_payload")

    def __init__(
        self, hook: Hook, event: HookEvent, payload: object, context: HookCallContext | None
    ) -> None:
        self._context = context
        self._hook = hook
        self._event = event
        self._payload = payload
        self._has_ended = False

    def begin(self) -> object:
        """What the function returns, a coroutine if it is async; in its task or its thread."""
        # `match` may have eaten the time up: then the host has gone on, and this is too late.
        if not self._matches() or self._has_ended:
            return NOT_CALLED
        return self._hook.function(**self._arguments())

    def end(self, reason: str) -> None:
        """Call nothing any more and end the context."""
        self._has_ended = True
        if self._context is not None:
            self._context.end(reason)

    def _matches(self) -> bool:
        match = self._hook.match
        if match is None:
            return True
        try:
            said: object = match(private_copy(self._payload))
        except BaseException as error:
            if not is_authors_own(error):
                raise
            raise raised(error, in_match=True) from error
        if inspect.iscoroutine(said):
            said.close()
        if not isinstance(said, bool):
            raise ill_formed(
                f"'match' returned a value of type {type(said).__name__!r}. It is a plain function "
                "that returns True or False."
            )
        return said

    def _arguments(self) -> dict[str, object]:
        arguments: dict[str, object] = {}
        if self._context is not None:
            arguments["ctx"] = self._context
        if self._event.argument in self._hook.arguments:
            arguments[self._event.argument] = private_copy(self._payload)
        return arguments
