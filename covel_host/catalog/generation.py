"""One loaded state of a package."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pluggy import PluginManager

from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registrar import EntryRegistrar
from covel_host.manifest.package import PackageReading, RuntimeReading
from covel_host.schemas.compiled import CompiledSchema
from plugin_sdk.tools import Tool

CLEAN_UP_LIMIT_S = 15.0
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RuntimeSchemas:
    """The compiled schemas of one runtime, `None` where the manifest names none."""

    payload: CompiledSchema | None = None
    output: CompiledSchema | None = None


@dataclass(frozen=True, slots=True)
class LoadedEntry:
    """The code side of a generation: its modules, its hooks and its clean-ups."""

    namespace: PackageNamespace
    hooks: PluginManager
    registrar: EntryRegistrar


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """What a package is and brings, as published; nothing of it changes any more.

    `number` counts the loads of the package in this process from 1. `entry` is `None` for a package
    without code. `tools` are the registered tools by name.
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

        What raises is logged and stops nothing; what takes over 15 s is left behind.
        """
        if self.entry is None:
            return
        try:
            await asyncio.wait_for(self._clean_up(self.entry), CLEAN_UP_LIMIT_S)
        except TimeoutError:
            _LOG.error("Cleaning up %r took over %s s.", self.plugin_id, CLEAN_UP_LIMIT_S)
        finally:
            self.entry.namespace.close()

    async def _clean_up(self, entry: LoadedEntry) -> None:
        entry.registrar.signal.cancel("the generation has ended")
        try:
            entry.hooks.hook.on_unload(covel=entry.registrar)
        except Exception:
            _LOG.exception("'on_unload' of %r failed.", self.plugin_id)
        for error in await entry.registrar.dispose():
            _LOG.error("A clean-up of %r failed.", self.plugin_id, exc_info=error)
