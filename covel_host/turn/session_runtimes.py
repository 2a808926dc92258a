"""The runtimes of a session's packages, as one execution may schedule them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from covel_host.catalog.catalog import Catalog
from covel_host.catalog.generation import Generation, RuntimeSchemas
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.store.records import SessionRecord
from covel_host.turn.declared_runtimes import (
    PACKAGE_PAUSED,
    DeclaredRuntime,
    LeftOut,
    declared,
    declared_runtimes,
)
from covel_host.turn.schedule_types import RuntimeDeclaration
from covel_host.turn.services import session_generations


@dataclass(frozen=True, slots=True)
class SessionRuntime:
    """One runtime with what is loaded for it; `declaration` is what scheduling reads of it."""

    generation: Generation
    reading: RuntimeReading
    manifest: RuntimeManifest
    schemas: RuntimeSchemas
    declaration: RuntimeDeclaration

    @property
    def runtime_id(self) -> str:
        """The runtime's ID."""
        return self.reading.runtime_id

    @property
    def plugin_id(self) -> str:
        """The package's ID."""
        return self.generation.plugin_id

    @property
    def version(self) -> str | None:
        """The package's version, which a completed setup is bound to."""
        manifest = self.generation.reading.manifest
        return None if manifest is None else manifest.version


@dataclass(frozen=True, slots=True)
class SessionRuntimes:
    """What may be scheduled by runtime ID, and what may not.

    `paused` are the runtimes of packages that are set aside; they are among those left out.
    """

    by_id: Mapping[str, SessionRuntime]
    left_out: tuple[LeftOut, ...] = field(default=())
    paused: Mapping[str, SessionRuntime] = field(default_factory=dict)

    @property
    def declarations(self) -> tuple[RuntimeDeclaration, ...]:
        """What scheduling reads of them."""
        return tuple(runtime.declaration for runtime in self.by_id.values())

    @property
    def of_setup(self) -> tuple[SessionRuntime, ...]:
        """Those of the setup stage."""
        return tuple(one for one in self.by_id.values() if one.declaration.stage == "setup")

    def with_target(self, target: SessionRuntime) -> "SessionRuntimes":
        """The same with `target`, which a person starts by hand.

        It runs now and here whatever it is declared to wait for: what is missing of its inputs
        ends it (spec/execution.md 3.2).
        """
        declaration = replace(target.declaration, dependencies=(), background=False, detached=False)
        started = replace(target, declaration=declaration)
        return replace(self, by_id={**self.by_id, target.runtime_id: started})


def session_runtimes(
    catalog: Catalog, session: SessionRecord, *, paused: frozenset[str] = frozenset()
) -> SessionRuntimes:
    """The runtimes of what is loaded of the session's packages; see `declared_runtimes`."""
    generations = {one.plugin_id: one for one in session_generations(catalog, session)}
    found, left_out = declared_runtimes(
        [one.reading for one in generations.values()], paused=paused
    )
    reasons = {one.runtime_id: one.code for one in left_out}
    return SessionRuntimes(
        {one.reading.runtime_id: _loaded(generations[one.package.plugin_id], one) for one in found},
        tuple(left_out),
        {
            reading.runtime_id: session_runtime(generations[plugin_id], reading, reading.manifest)
            for plugin_id in sorted(paused & generations.keys())
            for reading in generations[plugin_id].reading.runtimes
            if reading.manifest is not None and reasons.get(reading.runtime_id) == PACKAGE_PAUSED
        },
    )


def session_runtime(
    generation: Generation, reading: RuntimeReading, manifest: RuntimeManifest
) -> SessionRuntime:
    """One runtime of a loaded package."""
    return _loaded(generation, declared(generation.reading, reading, manifest))


def _loaded(generation: Generation, one: DeclaredRuntime) -> SessionRuntime:
    schemas = generation.schemas.get(one.reading.runtime_id, RuntimeSchemas())
    return SessionRuntime(generation, one.reading, one.manifest, schemas, one.declaration)
