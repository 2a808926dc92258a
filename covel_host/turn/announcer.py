"""Telling an observer what happens in one execution, in order."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from operator import methodcaller

from covel_host.proposals.narrative_writes import NARRATIVE
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.run import TextSink
from covel_host.trace.concealment import concealed_facts
from covel_host.trace.event_log import EventLog, ResetReason
from covel_host.trace.events import SessionEvent, TraceEvent
from covel_host.turn.ports import Observer
from plugin_sdk.values import JsonObject, JsonValue

_LOG = logging.getLogger(__name__)


class Announcer:
    """Makes the events of one execution and hands them to the session's log, then to `observer`.

    An observer that fails, such as a closed terminal, is told nothing more; the execution goes on
    (spec/execution.md 12).
    """

    def __init__(
        self, observer: Observer, events: EventLog, *, session_id: str, turn_id: str
    ) -> None:
        self._observer: Observer | None = observer
        self._events = events
        self._session_id = session_id
        self._turn_id = turn_id

    async def tell(self, type_name: str, **payload: JsonValue) -> None:
        """Send one event of the execution; `payload` has the camelCase members of its type."""
        await self.pass_on([self._event(type_name, payload)])

    async def tell_runtime_end(self, result: RuntimeResult) -> None:
        """Send the one terminal event of a run; it is no word about the commit."""
        facts: dict[str, JsonValue] = {
            "runtimeId": result.runtime_id,
            "pluginId": result.plugin_id,
            "turnId": result.turn_id,
            "runId": result.run_id,
            "status": result.status,
            "durationMs": result.duration_ms,
        }
        name = "runtime.completed"
        if result.status == "skipped":
            name, facts["reason"] = "runtime.skipped", result.reason
        elif result.failure is not None:
            failure = result.failure
            name = "runtime.failed"
            facts["error"] = {"code": failure.code, "message": failure.message}
        await self.tell(name, **(concealed_facts(facts) if result.is_concealed else facts))

    async def publish(self, events: Iterable[SessionEvent]) -> list[str]:
        """Send what was committed, one by one; what went wrong with those that did not go out.

        One that fails keeps no other from being sent (spec/transactions.md 4.1).
        """
        problems = []
        for event in map(self._events.add, events):
            if self._observer is None:
                continue
            try:
                await self._observer.on_event(event)
            except Exception as error:
                problems.append(f"{event.type}: {type(error).__name__}: {error}")
                _LOG.exception("The event %r of %r was not sent.", event.type, self._turn_id)
        return problems

    async def pass_on(self, events: Iterable[SessionEvent]) -> None:
        """Send events that were made elsewhere, such as those of a commit."""
        for event in map(self._events.add, events):
            await self._safely(methodcaller("on_event", event))

    async def tell_reset(self, reason: ResetReason) -> None:
        """Say that what clients were told is not all that happened."""
        reset = self._events.renew(self._session_id, reason=reason)
        await self._safely(methodcaller("on_event", reset))

    def text_sink(self, runtime_id: str, plugin_id: str) -> TextSink:
        """Where the text of that runtime's model goes while it streams.

        Observers get it as text; who listens to the session's events gets `narrative.delta`.
        """
        whose: JsonObject = {"runtimeId": runtime_id, "pluginId": plugin_id, "kind": NARRATIVE}

        async def show(text: str, is_reset: bool) -> None:
            if self._events.is_heard(self._session_id):
                piece = {**whose, "delta": text, **({"reset": True} if is_reset else {})}
                self._events.add(self._event("narrative.delta", piece))
            await self._safely(methodcaller("on_text", text, reset=is_reset))

        return show

    def show_trace(self, event: TraceEvent) -> None:
        """Show a step of the execution as it is added to the trace."""
        if self._events.is_heard(self._session_id):
            self._events.add(self._event(event.type, event.data))
        if self._observer is not None:
            try:
                self._observer.on_trace(event)
            except Exception:
                self._drop()

    def _event(self, name: str, payload: JsonObject) -> SessionEvent:
        return SessionEvent(
            type=name, session_id=self._session_id, turn_id=self._turn_id, payload=payload
        )

    async def _safely(self, telling: Callable[[Observer], Awaitable[None]]) -> None:
        if self._observer is None:
            return
        try:
            await telling(self._observer)
        except Exception:
            self._drop()

    def _drop(self) -> None:
        self._observer = None
        _LOG.exception("An observer of %r failed; it is told nothing more.", self._turn_id)
