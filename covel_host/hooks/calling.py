"""One call of one hook's own code: within its limit, and without harm to the host."""

import asyncio
import inspect
from collections.abc import Awaitable
from dataclasses import dataclass

from covel_host.base.author_calls import AuthorCall, AuthorLate, AuthorRaised, is_cancelled
from covel_host.base.tasks import TaskTracker
from covel_host.hooks.context import HookCallContext
from covel_host.hooks.copies import private_copy
from covel_host.hooks.failures import HookFailure, ill_formed, raised
from covel_host.hooks.hook import Hook
from plugin_sdk.hook_events import HookEvent

DEFAULT_TIMEOUT_MS = 5_000
"""Limit of one call, `match` included (spec/manifest.md 10.5)."""


@dataclass(slots=True)
class Returned:
    """What the function returned; `was_called` is False when `match` said no."""

    was_called: bool
    value: object = None


async def call_hook(
    hook: Hook,
    event: HookEvent,
    payload: object,
    context: HookCallContext,
    *,
    tasks: TaskTracker,
) -> Returned:
    """What the hook's function returns for its own copy of `payload`.

    An async function runs on the loop in a task of its own, a plain one in a daemon thread, both
    together with their `match`. What does not end in time is cancelled where it can be and left to
    `tasks`; what it returns then is dropped.

    Raises:
        HookFailure: it raised, or did not answer in time.
        asyncio.CancelledError: the caller was cancelled.
    """
    limit_ms = DEFAULT_TIMEOUT_MS if hook.timeout_ms is None else hook.timeout_ms
    is_async = inspect.iscoroutinefunction(hook.function)
    made = _Call(hook, event, payload, context)
    call = AuthorCall(
        made.on_loop if is_async else made.here,
        name=f"hook {hook.plugin_id}:{hook.function_name}",
        is_async=is_async,
        tasks=tasks,
    )
    end = "ended"
    try:
        returned: Returned = await call.returned(limit_s=limit_ms / 1000)
    except AuthorLate:
        end = "timeout"
        message = f"The hook did not answer in {limit_ms} ms."
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
        context.end(end)
    return returned


class _Call:
    def __init__(
        self, hook: Hook, event: HookEvent, payload: object, context: HookCallContext
    ) -> None:
        self._context = context
        self._hook = hook
        self._event = event
        self._payload = payload

    async def on_loop(self) -> Returned:
        if not self._matches():
            return Returned(was_called=False)
        returned: Awaitable[object] = self._hook.function(**self._arguments())
        return Returned(was_called=True, value=await returned)

    def here(self) -> Returned:
        # `match` may have eaten the time up: then the host has gone on, and this is too late.
        if not self._matches() or self._context.has_ended:
            return Returned(was_called=False)
        return Returned(was_called=True, value=self._hook.function(**self._arguments()))

    def _matches(self) -> bool:
        match = self._hook.match
        if match is None:
            return True
        try:
            said: object = match(private_copy(self._payload))
        except Exception as error:
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
        if "ctx" in self._hook.arguments:
            arguments["ctx"] = self._context
        if self._event.argument in self._hook.arguments:
            arguments[self._event.argument] = private_copy(self._payload)
        return arguments
