"""The immutable set of packages that an execution holds from start to end."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from covel_host.catalog.discovery import FoundPackage
from covel_host.catalog.generation import Generation
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.reading import PackageReading
from plugin_sdk.tools import Tool

PackageStatus = Literal["discovered", "loaded", "untrusted", "error"]
"""`discovered`: read, not loaded yet. `untrusted`: its code was not allowed to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageState:
    """One package as this catalog knows it; `generation` is set exactly when it is `loaded`."""

    found: FoundPackage
    reading: PackageReading
    status: PackageStatus
    diagnostics: tuple[Diagnostic, ...] = ()
    generation: Generation | None = None

    @property
    def plugin_id(self) -> str:
        """The package's ID."""
        return self.found.plugin_id


@dataclass(frozen=True, slots=True)
class Catalog:
    """Packages by ID in order of discovery; `diagnostics` belong to no package of it."""

    packages: Mapping[str, PackageState] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()

    def tools(self, plugin_id: str) -> Mapping[str, Tool[..., Any]]:
        """The tools that a loaded package registered; empty for any other ID."""
        state = self.packages.get(plugin_id)
        if state is None or state.generation is None:
            return {}
        return state.generation.tools

    def generations(self) -> Iterator[Generation]:
        """Every loaded generation, in order of discovery."""
        for state in self.packages.values():
            if state.generation is not None:
                yield state.generation

    async def close(self) -> None:
        """End every generation, in reverse order of discovery; one that fails stops no other."""
        for generation in reversed(list(self.generations())):
            await generation.dispose()
