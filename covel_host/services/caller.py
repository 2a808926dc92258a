"""Who calls a service, and what the rooms above lend to a call."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from covel_host.base.cancel_signal import CancelSignal
from covel_host.services.directory import OfferedService
from plugin_sdk.context import ServiceContext

WriteBar: TypeAlias = Literal["run", "read-service"]
"""Why a caller may not call write services: its run cannot change data, or it is itself a service
that only reads."""

MAX_DEPTH: Final = 8
"""How many services may be under way one inside the other (spec/manifest.md 10.3)."""


class ServiceKey(NamedTuple):
    """One service of one package."""

    plugin_id: str
    name: str


class WriteScope(Protocol):
    """Where the writes of service calls go: into the unit of whoever calls.

    A scope that is neither kept nor withdrawn shows its writes to nobody else.
    """

    def open(self, *, may_write: bool) -> "WriteScope":
        """A scope over this one, for one call that may write or that only reads."""
        ...

    async def keep(self) -> None:
        """Hand what was written on to the scope below: all of it, or nothing.

        Raises:
            HostError: it does not apply there any more.
        """
        ...

    def withdraw(self) -> None:
        """Drop what was not kept; nothing can be written any more."""
        ...


class OpensScopes(Protocol):
    """The lowest scope of a caller, such as a run's own buffer."""

    def open(self, *, may_write: bool) -> WriteScope:
        """See `WriteScope.open`."""
        ...


class ProviderTurns:
    """The turns of one caller at the providers it writes to: one call of a provider at a time."""

    def __init__(self) -> None:
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def of(self, plugin_id: str) -> asyncio.Lock:
        """The lock that a write call to this provider holds."""
        return self._locks[plugin_id]


@dataclass(slots=True, kw_only=True, eq=False)
class Caller:
    """One place that calls services: a tool call, a handler, or a service that is under way.

    `call_id` names that place in the trace, `path` it and what called it, so that random streams
    follow from it. `above` are the services under way around it, the outermost first. Calls of one
    run share its `turns`.
    """

    plugin_id: str
    call_id: str | None
    path: tuple[str | int, ...]
    signal: CancelSignal
    scope: OpensScopes
    turns: ProviderTurns
    bar: WriteBar | None = None
    above: tuple[ServiceKey, ...] = ()
    _calls: int = field(default=0, init=False)

    def next_path(self) -> tuple[str | int, ...]:
        """The path of the next call made from here."""
        self._calls += 1
        return (*self.path, self._calls)


class RunningService:
    """One call of a service while it runs.

    `scope` holds what it writes, `signal` is cancelled when nobody waits for it any more, `caller`
    is the service itself where it calls further ones.
    """

    __slots__ = ("call_id", "caller", "caller_plugin_id", "offered", "scope", "signal")

    def __init__(self, offered: OfferedService, by: Caller) -> None:
        service, provider_id = offered.service, offered.plugin_id
        path = by.next_path()
        self.offered = offered
        self.caller_plugin_id = by.plugin_id
        self.call_id = "service-" + "-".join(str(part) for part in path)
        self.signal = CancelSignal(by.signal)
        self.scope = by.scope.open(may_write=service.kind == "write")
        self.caller = Caller(
            plugin_id=provider_id,
            call_id=self.call_id,
            path=path,
            signal=self.signal,
            scope=self.scope,
            turns=ProviderTurns(),
            bar=by.bar or (None if service.kind == "write" else "read-service"),
            above=(*by.above, ServiceKey(provider_id, service.name)),
        )


class OpenService(Protocol):
    """What a service gets, for the time of its call."""

    @property
    def context(self) -> ServiceContext:
        """The object its function gets."""
        ...

    async def uses_ended(self) -> None:
        """Return when everything that was begun with the context has ended."""
        ...

    def close(self) -> None:
        """Withdraw every capability."""
        ...


class ServiceContexts(Protocol):
    """Makes the contexts of services; filled by the room of runtimes."""

    def open(self, running: RunningService) -> OpenService:
        """The context of one call."""
        ...
