"""One loaded state of a package."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from covel_host.catalog.events import LoadedEvent
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registered_hook import RegisteredHook
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.net.policy import NO_HTTP, HttpPolicy
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.actions import Action
from plugin_sdk.extensions import Extension
from plugin_sdk.forms import FormValidator
from plugin_sdk.services import Service
from plugin_sdk.tools import Tool

if TYPE_CHECKING:
    from covel_host.catalog.datasets import LoadedDataset

RuntimeFunction: TypeAlias = Callable[[Any], Any]
"""`handle` or `guard` of a runtime's module; takes the context, may be asynchronous."""


@dataclass(frozen=True, slots=True)
class RuntimeSchemas:
    """The compiled schemas of one runtime, `None` where the manifest names none.

    `contract` is what the package publishes for the runtime's output contract, `inputs` are what
    its inputs accept, by slot.
    """

    payload: CompiledSchema | None = None
    output: CompiledSchema | None = None
    contract: CompiledSchema | None = None
    inputs: Mapping[str, CompiledSchema] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoadedEntry:
    """The code side of a generation: its modules and its clean-ups, `on_unload` among them."""

    namespace: PackageNamespace
    registrar: EntryRegistrar

    async def withdraw(self, reason: str) -> None:
        """Cancel the signal, run the clean-ups, take the modules out; never raises for these."""
        try:
            await self.registrar.dispose(reason)
        finally:
            self.namespace.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What a package is and brings, as published; nothing of it changes any more.

    `number` counts the generations of the package in this process from 1. `entry` is `None` for a
    package without code. What the entry registered stands by name: `tools`, `actions`, `forms`,
    `services` by their own names (several may serve one contract), `extensions` by
    `<point>/<id>`; `hooks` in order of definition. `handlers` and `guards` are by runtime ID,
    declared `events` by topic. `http` says where its code may send requests outside of a run.
    """

    plugin_id: str
    number: int
    content_hash: str
    reading: PackageReading
    tools: Mapping[str, Tool[..., Any]] = field(default_factory=dict)
    actions: Mapping[str, Action[..., Any]] = field(default_factory=dict)
    services: Mapping[str, Service[..., Any]] = field(default_factory=dict)
    forms: Mapping[str, FormValidator] = field(default_factory=dict)
    extensions: Mapping[str, Extension[..., Any]] = field(default_factory=dict)
    hooks: tuple[RegisteredHook, ...] = ()
    handlers: Mapping[str, RuntimeFunction] = field(default_factory=dict)
    guards: Mapping[str, RuntimeFunction] = field(default_factory=dict)
    datasets: "Mapping[str, LoadedDataset]" = field(default_factory=dict)
    schemas: Mapping[str, RuntimeSchemas] = field(default_factory=dict)
    events: Mapping[str, LoadedEvent] = field(default_factory=dict)
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    http: HttpPolicy = NO_HTTP
    entry: LoadedEntry | None = None

    def runtime(self, runtime_id: str) -> RuntimeReading | None:
        """The runtime of that ID, or None."""
        return next(
            (found for found in self.reading.runtimes if found.runtime_id == runtime_id), None
        )

    async def dispose(self) -> None:
        """End the generation: signal, `on_unload`, clean-ups in reverse, modules withdrawn.

        What raises is logged and stops nothing; what takes over 15 s is left behind. A second call
        does nothing.
        """
        if self.entry is not None:
            await self.entry.withdraw("the generation has ended")
