"""Telling an observer what happens in one execution, in order."""

import logging
from collections.abc import Awaitable, Callable, Iterable
from operator import methodcaller

from covel_host.runtime.result import RuntimeResult
from covel_host.trace.events import SessionEvent, TraceEvent
from covel_host.turn.ports import Observer
from plugin_sdk.values import JsonValue

_LOG = logging.getLogger(__name__)


class Announcer:
    """Makes the events of one execution and hands them on.

    An observer that fails, such as a closed terminal, is told nothing more; the execution goes on
    (spec/execution.md 12).
    """

    def __init__(self, observer: Observer, *, session_id: str, turn_id: str) -> None:
        self._observer: Observer | None = observer
        self._session_id = session_id
        self._turn_id = turn_id

    async def tell(self, type_name: str, **payload: JsonValue) -> None:
        """Send one event of the execution; `payload` has the camelCase members of its type."""
        await self.pass_on(
            [
                SessionEvent(
                    type=type_name,
                    session_id=self._session_id,
                    turn_id=self._turn_id,
                    payload=payload,
                )
            ]
        )

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
        if result.status == "skipped":
            await self.tell("runtime.skipped", reason=result.reason, **facts)
            return
        if result.failure is None:
            await self.tell("runtime.completed", **facts)
            return
        error: JsonValue = {"code": result.failure.code, "message": result.failure.message}
        await self.tell("runtime.failed", error=error, **facts)

    async def publish(self, events: Iterable[SessionEvent]) -> list[str]:
        """Send what was committed, one by one; what went wrong with those that did not go out.

        One that fails keeps no other from being sent (spec/transactions.md 4.1).
        """
        problems = []
        for event in events:
            if self._observer is None:
                break
            try:
                await self._observer.on_event(event)
            except Exception as error:
                problems.append(f"{event.type}: {type(error).__name__}: {error}")
                _LOG.exception("The event %r of %r was not sent.", event.type, self._turn_id)
        return problems

    async def pass_on(self, events: Iterable[SessionEvent]) -> None:
        """Send events that were made elsewhere, such as those of a commit."""
        for event in events:
            await self._safely(methodcaller("on_event", event))

    async def show_text(self, text: str, reset: bool) -> None:
        """Send the next piece of a model's text."""
        await self._safely(methodcaller("on_text", text, reset=reset))

    def show_trace(self, event: TraceEvent) -> None:
        """Show a step of the execution as it is added to the trace."""
        if self._observer is not None:
            try:
                self._observer.on_trace(event)
            except Exception:
                self._drop()

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
