"""One loaded state of a package."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.manifest.reading import PackageReading, RuntimeReading
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.tools import Tool


@dataclass(frozen=True, slots=True)
class RuntimeSchemas:
    """The compiled schemas of one runtime, `None` where the manifest names none."""

    payload: CompiledSchema | None = None
    output: CompiledSchema | None = None


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
    package without code. `tools` are the registered tools by name.
    """

    plugin_id: str
    number: int
    content_hash: str
    reading: PackageReading
    tools: Mapping[str, Tool[..., Any]] = field(default_factory=dict)
    schemas: Mapping[str, RuntimeSchemas] = field(default_factory=dict)
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
