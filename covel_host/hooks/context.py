"""`ctx` of one hook call; it dies with the call."""

from collections.abc import Mapping
from types import MappingProxyType

from covel_host.base.cancel_signal import CancelSignal
from covel_host.hooks.copies import copied
from covel_host.hooks.hook import HookFacts
from plugin_sdk.errors import ToolError
from plugin_sdk.hook_events import HookEvent
from plugin_sdk.values import JsonValue


class HookCallContext:
    """The `HookContext` of one call (spec/manifest.md 10.5).

    `signal` is the call's own: it is cancelled with the execution, and when the call runs into its
    limit or ends otherwise. The facts stay readable after the call, the settings do not.
    """

    def __init__(
        self,
        event: HookEvent,
        facts: HookFacts,
        *,
        session_id: str,
        turn_id: str,
        locale: str,
        active_plugin_ids: tuple[str, ...],
        own_settings: Mapping[str, JsonValue],
    ) -> None:
        self._event = event
        self._facts = facts
        self._session_id = session_id
        self._turn_id = "" if event.scope == "session" else turn_id
        self._locale = locale
        self._active_plugin_ids = active_plugin_ids
        self._own_settings = own_settings
        self._signal = CancelSignal(facts.signal)
        self._has_ended = False

    @property
    def event(self) -> str:
        return self._event.event

    @property
    def session_id(self) -> str:
        return self._session_id

    @property
    def turn_id(self) -> str:
        return self._turn_id

    @property
    def locale(self) -> str:
        return self._locale

    @property
    def plugin_id(self) -> str | None:
        return self._facts.plugin_id

    @property
    def runtime_id(self) -> str | None:
        return self._facts.runtime_id

    @property
    def active_plugin_ids(self) -> tuple[str, ...]:
        return self._active_plugin_ids

    @property
    def signal(self) -> CancelSignal:
        return self._signal

    def get_own_settings(self) -> Mapping[str, JsonValue]:
        if self._has_ended:
            raise ToolError(
                "unavailable", "The hook call this context belongs to has ended; nothing is read."
            )
        return MappingProxyType(copied(dict(self._own_settings)))

    def end(self, reason: str) -> None:
        """End the call; from the event loop's thread."""
        self._has_ended = True
        self._signal.cancel(reason)
