"""What the dispatcher needs of a hook, and what it is told of each event."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from covel_host.base.cancel_signal import CancelSignal
from plugin_sdk.hooks import HookOrder


class Hook(Protocol):
    """One implementation of one life-cycle hook, such as `catalog.registered_hook` holds it.

    `event` is its name in `plugin_sdk.hook_events.HOOK_EVENTS`; `arguments` are the names the
    function takes: `ctx`, the payload's name, both or none. `position` counts a package's hooks in
    order of definition. `timeout_ms` None means the default.
    """

    @property
    def plugin_id(self) -> str: ...
    @property
    def event(self) -> str: ...
    @property
    def function(self) -> Callable[..., Any]: ...
    @property
    def function_name(self) -> str: ...
    @property
    def arguments(self) -> tuple[str, ...]: ...
    @property
    def order(self) -> HookOrder: ...
    @property
    def match(self) -> Callable[[Any], bool] | None: ...
    @property
    def timeout_ms(self) -> int | None: ...
    @property
    def position(self) -> int: ...


class TraceWriter(Protocol):
    """Adds trace events: the log of a turn, or the writer of one run."""

    def add(self, type: str, **data: Any) -> object: ...


# Not frozen, like all that is made for each call: freezing takes longer than a small hook.
@dataclass(slots=True, kw_only=True)
class HookFacts:
    """What surrounds one event.

    `signal` is the execution's cancellation. `plugin_id` and `runtime_id` are those of the runtime
    concerned, None for events of a turn or session; `target_id` is the ID of what the event is
    about, such as a tool call or a proposal, for the trace.
    """

    signal: CancelSignal
    trace: TraceWriter
    plugin_id: str | None = None
    runtime_id: str | None = None
    target_id: str | None = None
