"""Numbers every await of a turn that crosses a port, and lets one of them go wrong.

Ports: model, store, tool, hook, guard, handler, service, extension. What goes wrong is an error of
the port, the same at every later crossing of that port too, the player's abort at that moment, or
an answer that never comes; for the store, whose answers always come, its own time-out.
"""

import asyncio
import inspect
import selectors
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final, Literal, TypeVar
from unittest.mock import patch

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.generation import Generation
from covel_host.catalog.holder import CatalogHolder, PackageLoader
from covel_host.models.errors import ErrorFacts, ModelError
from covel_host.models.gateway import ModelGateway
from covel_host.store.errors import StoreBusyError, StoreError
from covel_host.store.store import Store
from covel_host.tools import executor as tool_executor
from plugin_sdk.extensions import Extension
from plugin_sdk.services import Service

Value = TypeVar("Value")
Mode = Literal["error", "outage", "cancel", "timeout"]
MODES: Final[tuple[Mode, ...]] = ("error", "outage", "cancel", "timeout")

_GRACE_S: Final = 0.03
"""How long the loop really waits before it jumps to its next timer."""


class Injected(Exception):
    """What author's code raises in the place of its answer."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The crossing with this number, counted from 1, goes wrong."""

    number: int
    mode: Mode


class Crossings:
    """Counts while it is armed; `seen` names the crossings of the turn in their order."""

    def __init__(self, loop: "JumpingLoop") -> None:
        self.seen: list[str] = []
        self._loop = loop
        self._fault: Fault | None = None
        self._out: str | None = None
        self._root: asyncio.Task[Any] | None = None

    async def turn(self, work: Awaitable[Value], fault: Fault | None = None) -> Value:
        """What the turn gives in which the fault happens.

        Raises:
            asyncio.CancelledError: it was aborted.
        """
        self.seen, self._fault = [], fault
        self._root = asyncio.ensure_future(work)
        try:
            return await self._root
        finally:
            self._root = self._fault = self._out = None
            self._loop.jumps = False

    async def cross(self, port: str, label: str, go: Callable[[], Any]) -> Any:
        """What `go` gives, unless it is this crossing's turn to fail."""
        if self._root is None:
            return await _answer(go)
        self.seen.append(f"{port} {label}")
        if port == self._out:
            raise _error_of(port)
        fault = self._fault
        if fault is not None and fault.number == len(self.seen):
            await self._fail(fault.mode, port, self._root)
        return await _answer(go)

    async def _fail(self, mode: Mode, port: str, root: "asyncio.Task[Any]") -> None:
        if mode == "cancel":
            root.cancel()
            return
        if mode == "timeout":
            await self._no_answer(port)
        if mode == "outage":
            self._out = port
        raise _error_of(port)

    async def _no_answer(self, port: str) -> None:
        if port == "store":
            raise StoreBusyError("The database was locked for too long.", code="store-busy")
        self._loop.jumps = True
        await self._loop.create_future()

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Puts tools, services and extensions of every package behind the crossings."""
        invoke, service, extension = tool_executor.invoke, Service.invoke, Extension.invoke

        async def tool_call(tool: Any, context: Any, keywords: Any, **more: Any) -> Any:
            return await invoke(_CrossedTool(tool, self), context, keywords, **more)

        def service_call(one: Any, context: Any, value: Any) -> Any:
            return self.cross("service", one.name, lambda: service(one, context, value))

        def extension_call(one: Any, context: Any, value: Any) -> Any:
            return self.cross("extension", one.id, lambda: extension(one, context, value))

        with (
            patch.object(tool_executor, "invoke", tool_call),
            patch.object(Service, "invoke", service_call),
            patch.object(Extension, "invoke", extension_call),
        ):
            yield

    def catalogs(self, catalog: Catalog, loader: PackageLoader) -> CatalogHolder:
        """A holder of `catalog` whose handlers, guards and hooks are behind the crossings."""
        packages = {
            plugin_id: state
            if state.generation is None
            else replace(state, generation=self._generation(state.generation))
            for plugin_id, state in catalog.packages.items()
        }
        return CatalogHolder(replace(catalog, packages=packages), loader)

    def _generation(self, generation: Generation) -> Generation:
        return replace(
            generation,
            handlers=self._functions("handler", generation.handlers),
            guards=self._functions("guard", generation.guards),
            hooks=tuple(
                replace(hook, function=self._function("hook", hook.event, hook.function))
                for hook in generation.hooks
            ),
        )

    def _functions(
        self, port: str, functions: Mapping[str, Callable[..., Any]]
    ) -> dict[str, Callable[..., Any]]:
        return {name: self._function(port, name, one) for name, one in functions.items()}

    def _function(self, port: str, label: str, one: Callable[..., Any]) -> Callable[..., Any]:
        async def crossed(*given: Any, **named: Any) -> Any:
            return await self.cross(port, label, lambda: one(*given, **named))

        return crossed

    def store(self, store: Store) -> None:
        """Puts the transactions and readings of `store` behind the crossings."""
        for name in ("transaction", "read"):
            setattr(store, name, self._store_call(name, getattr(store, name)))

    def _store_call(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        async def crossed(body: Any) -> Any:
            return await self.cross("store", name, lambda: call(body))

        return crossed

    def model(self, model: ModelGateway) -> None:
        """Puts the calls of `model` behind the crossings."""
        complete = model.complete

        async def crossed(request: Any, **more: Any) -> Any:
            return await self.cross("model", "complete", lambda: complete(request, **more))

        setattr(model, "complete", crossed)  # noqa: B010 - a method of the class to mypy


class _CrossedTool:
    """A tool whose function is behind the crossings, and else as it is."""

    def __init__(self, tool: Any, crossings: Crossings) -> None:
        self._tool = tool
        self._crossings = crossings
        self.is_async = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tool, name)

    def invoke(self, context: Any, keywords: Any) -> Any:
        tool = self._tool
        return self._crossings.cross("tool", tool.name, lambda: tool.invoke(context, keywords))


async def _answer(go: Callable[[], Any]) -> Any:
    given = go()
    return await given if inspect.isawaitable(given) else given


def _error_of(port: str) -> Exception:
    if port == "store":
        return StoreError("The disk is full.", code="store-failed")
    if port == "model":
        facts = ErrorFacts(kind="server", retriable=False, output_started=False)
        return ModelError("The provider is on fire.", code="provider-error", facts=facts)
    return Injected("injected")


# --- time -------------------------------------------------------------------------------------


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop that does not wait for its timers while `jumps` is set: its clock goes ahead."""

    def __init__(self) -> None:
        self.jumps = False
        self.ahead_s = 0.0
        super().__init__(_JumpingSelector(self))

    def time(self) -> float:
        return super().time() + self.ahead_s


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: JumpingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        if not self._loop.jumps or timeout is None or timeout <= _GRACE_S:
            return super().select(timeout)
        ready = super().select(_GRACE_S)
        if not ready:
            self._loop.ahead_s += timeout - _GRACE_S
        return ready


class LoopClock:
    """The host's clock with the steady counter of a loop."""

    def __init__(self, loop: JumpingLoop) -> None:
        self._loop = loop

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return self._loop.time()
