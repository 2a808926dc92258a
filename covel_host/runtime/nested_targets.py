"""Which runtimes a run may start inside itself: those of its session's packages."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from covel_host.catalog.generation import Generation
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest

CHARACTER_ACTOR: Final = "character-actor@1"
"""The contract of runtimes that play one character (seed: 角色委托与策略导入)."""


@dataclass(frozen=True, slots=True)
class NestedTarget:
    """A runtime and the generation of its package that the execution holds."""

    generation: Generation
    reading: RuntimeReading
    manifest: RuntimeManifest

    @property
    def plugin_id(self) -> str:
        """The package's ID."""
        return self.reading.plugin_id

    @property
    def runtime_id(self) -> str:
        """The runtime's ID."""
        return self.reading.runtime_id

    @property
    def is_agent(self) -> bool:
        """Whether a model runs it."""
        return self.manifest.runtime_type == "agent"

    @property
    def plays_character(self) -> bool:
        """Whether it is bound to the rules of `character-actor@1`, however it was named."""
        return self.manifest.io.output.contract == CHARACTER_ACTOR


class NestedTargets:
    """The runtimes of the loaded packages of one session, in the session's order."""

    def __init__(self, generations: Iterable[Generation] = ()) -> None:
        self._generations = tuple(generations)

    def own(self, plugin_id: str, runtime_id: str) -> NestedTarget | None:
        """That runtime of that package, by its whole ID; None where it has none of that ID."""
        for generation in self._generations:
            if generation.plugin_id == plugin_id:
                return _target(generation, generation.runtime(runtime_id))
        return None

    def own_ids(self, plugin_id: str) -> list[str]:
        """The IDs of that package's runtimes."""
        return [
            reading.runtime_id
            for generation in self._generations
            if generation.plugin_id == plugin_id
            for reading in generation.reading.runtimes
        ]

    def contracts(self) -> list[str]:
        """The contracts that agents publish as their output."""
        outputs = (
            target.manifest.io.output.contract
            for generation in self._generations
            for target in _targets(generation)
            if target.is_agent
        )
        return sorted({contract for contract in outputs if contract is not None})

    def providers(self, contract: str) -> list[NestedTarget]:
        """The runtimes that publish `contract` as their output.

        Packages that are only its default provider step aside for any other.
        """
        found = [
            (target, _is_default(generation, contract))
            for generation in self._generations
            for target in _targets(generation)
            if target.manifest.io.output.contract == contract
        ]
        explicit = [target for target, is_default in found if not is_default]
        return explicit or [target for target, _ in found]


def _targets(generation: Generation) -> Iterable[NestedTarget]:
    for reading in generation.reading.runtimes:
        target = _target(generation, reading)
        if target is not None:
            yield target


def _target(generation: Generation, reading: RuntimeReading | None) -> NestedTarget | None:
    if reading is None or reading.manifest is None:
        return None
    return NestedTarget(generation, reading, reading.manifest)


def _is_default(generation: Generation, contract: str) -> bool:
    manifest = generation.reading.manifest
    provided = () if manifest is None else manifest.provided_contracts
    return any(one.contract == contract and one.default for one in provided)
