"""Calls the hooks of an event and says what comes of their answers (spec/manifest.md 10.5)."""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from covel_host.base.clock import Clock
from covel_host.base.tasks import TaskTracker
from covel_host.hooks.answers import checked_answer
from covel_host.hooks.calling import NOT_CALLED, ReadyHook, call_hook
from covel_host.hooks.context import HookCallContext
from covel_host.hooks.failures import HookFailure, abort_reason
from covel_host.hooks.hook import Hook, HookFacts, TraceWriter
from covel_host.hooks.order import ordered_hooks, package_order
from covel_host.hooks.outcomes import Aborted, CallEnd, EndedCall, HookOutcome
from covel_host.hooks.replacements import Rewritten, rewrite
from covel_host.hooks.reports import failure_text, ignored_text, report_call
from plugin_sdk.hook_events import HOOK_EVENTS, HookEvent
from plugin_sdk.values import JsonValue

Payload = TypeVar("Payload")


class HookDispatcher:
    """The hooks of one execution, or of one event of a session.

    It holds no locks and changes nothing between events: they may be dispatched at once, and from
    within a hook.

    Args:
        hooks: hooks of any packages; only those of active packages are ever called.
        active_plugin_ids: the session's packages, in the session's order.
        session_id, turn_id, locale: what `ctx` says; `turn_id` is `""` outside an execution.
        tasks: keeps the calls that did not end in time.
        dependencies: for a package the packages that provide what it requires.
        own_settings: the settings of each package, resolved.
    """

    def __init__(
        self,
        hooks: Iterable[Hook],
        *,
        active_plugin_ids: Sequence[str],
        session_id: str,
        turn_id: str,
        locale: str,
        tasks: TaskTracker,
        clock: Clock,
        dependencies: Mapping[str, Collection[str]] | None = None,
        own_settings: Mapping[str, Mapping[str, JsonValue]] | None = None,
    ) -> None:
        self._active_plugin_ids = tuple(active_plugin_ids)
        self._session_id = session_id
        self._turn_id = turn_id
        self._locale = locale
        self._tasks = tasks
        self._clock = clock
        self._own_settings = own_settings or {}
        self._failures: list[tuple[TraceWriter, str]] = []
        self._hooks: dict[str, tuple[ReadyHook, ...]] = {}
        given = tuple(hooks)
        # Most executions have no hooks; those pay nothing for the order of their packages.
        packages = package_order(self._active_plugin_ids, dependencies or {}) if given else ()
        for hook in ordered_hooks(given, packages=packages):
            self._hooks[hook.event] = (*self._hooks.get(hook.event, ()), ReadyHook(hook))

    def listens(self, event: str) -> bool:
        """Whether any hook is called on `event`; if not, its payload need not be made."""
        return event in self._hooks

    def failures_told_to(self, trace: TraceWriter) -> tuple[str, ...]:
        """A sentence for the author about each failure that `trace` was told of; each once.

        An answer with members that count for nothing is one.
        """
        return tuple(dict.fromkeys(text for told, text in self._failures if told is trace))

    async def dispatch(
        self, event: str, payload: Payload, facts: HookFacts
    ) -> HookOutcome[Payload]:
        """Call the hooks of a sequential event one by one, each with what the former left.

        An abort ends the chain. A hook that fails is passed over and what earlier ones replaced is
        kept; on a guard event its failure has the effect of an abort.

        Raises:
            asyncio.CancelledError: the caller was cancelled.
        """
        hooks = self._hooks.get(event)
        if hooks is None:
            return HookOutcome(payload)
        about = HOOK_EVENTS[event]
        assert about.mode == "sequential", f"{event} is observed, not dispatched"
        effects: dict[str, object] = {}
        for ready in hooks:
            call = await self._ended(ready, about, payload, facts)
            self._report(call, about, payload, facts)
            reason = _abort_reason(call)
            if about.is_guard and reason is not None:
                return HookOutcome(payload, effects, reason, ready.hook.plugin_id)
            if isinstance(call.end, Aborted):
                break
            if isinstance(call.end, Rewritten):
                payload = call.end.payload
                effects.update(call.end.effects)
        return HookOutcome(payload, effects)

    async def observe(self, event: str, payload: object, facts: HookFacts) -> None:
        """Call the hooks of a parallel event, all at once; what they answer changes nothing.

        Raises:
            asyncio.CancelledError: the caller was cancelled.
        """
        hooks = self._hooks.get(event)
        if hooks is None:
            return
        about = HOOK_EVENTS[event]
        assert about.mode == "parallel", f"{event} is dispatched, not observed"
        async with asyncio.TaskGroup() as group:
            calls = [group.create_task(self._ended(hook, about, payload, facts)) for hook in hooks]
        for call in calls:
            # In order, whichever ended first: traces of repeated runs are alike.
            self._report(call.result(), about, payload, facts)

    def _report(
        self, call: EndedCall[Payload], event: HookEvent, payload: Payload, facts: HookFacts
    ) -> None:
        report_call(call, event, payload, facts)
        if isinstance(call.end, HookFailure):
            self._failures.append((facts.trace, failure_text(call, event, call.end)))
        elif isinstance(call.end, Rewritten) and call.end.ignored:
            self._failures.append((facts.trace, ignored_text(call, event, call.end.ignored)))

    async def _ended(
        self, ready: ReadyHook, event: HookEvent, payload: Payload, facts: HookFacts
    ) -> EndedCall[Payload]:
        context = self._context(ready.hook, event, facts) if ready.takes_context else None
        started = self._clock.monotonic()
        end: CallEnd[Payload]
        try:
            returned = await call_hook(ready, event, payload, context, tasks=self._tasks)
            end = None if returned is NOT_CALLED else _end(event, payload, returned)
        except HookFailure as failure:
            end = failure
        return EndedCall(ready.hook, round((self._clock.monotonic() - started) * 1000), end)

    def _context(self, hook: Hook, event: HookEvent, facts: HookFacts) -> HookCallContext:
        return HookCallContext(
            event,
            facts,
            session_id=self._session_id,
            turn_id=self._turn_id,
            locale=self._locale,
            active_plugin_ids=self._active_plugin_ids,
            own_settings=self._own_settings.get(hook.plugin_id, {}),
        )


def _end(event: HookEvent, payload: Payload, returned: object) -> CallEnd[Payload]:
    answer = checked_answer(returned)
    if answer.action == "continue":
        return rewrite(event.name, payload, answer.replace)
    if event.mode == "parallel":
        return Rewritten(payload, ignored=("abort",))
    return Aborted(answer.reason or "")


def _abort_reason(call: EndedCall[Payload]) -> str | None:
    """Why a guard event stops here, if it does."""
    if isinstance(call.end, HookFailure):
        return abort_reason(call.hook, call.end)
    return call.end.reason if isinstance(call.end, Aborted) else None
