"""What the runs of one execution gave, as their consumers ask for it (spec/execution.md 3.1)."""

from __future__ import annotations

from covel_host.turn.schedule_types import Dependency, RunOutcome, RuntimeDeclaration

_DIMENSIONS_CONTRACT = "world.dimensions@1"


class Results:
    """Usable results by runtime and by contract, updated run by run.

    `dimensions_failed` says that a provider of the world's dimensions ran and failed, which holds
    back every story of the execution (spec/world.md 3.7).
    """

    def __init__(self) -> None:
        self.dimensions_failed = False
        self._usable: dict[str, bool] = {}
        self._providers: dict[str, int] = {}
        self._usable_providers: dict[str, int] = {}

    def expect(self, declaration: RuntimeDeclaration) -> None:
        """Count a runtime among the providers of its contract that this execution asks."""
        if declaration.runtime_id in self._usable:
            return
        self._usable[declaration.runtime_id] = False
        if declaration.contract is not None:
            self._providers[declaration.contract] = self._providers.get(declaration.contract, 0) + 1

    def record(self, declaration: RuntimeDeclaration, outcome: RunOutcome) -> None:
        """Take up how a run ended; the latest run of a runtime counts."""
        was_usable = self._usable.get(declaration.runtime_id, False)
        self._usable[declaration.runtime_id] = outcome.is_usable
        contract = declaration.contract
        if contract is None:
            return
        change = int(outcome.is_usable) - int(was_usable)
        self._usable_providers[contract] = self._usable_providers.get(contract, 0) + change
        if contract == _DIMENSIONS_CONTRACT and outcome.status == "failed":
            self.dimensions_failed = True

    def is_met(self, dependency: Dependency) -> bool:
        """Whether a turn-scoped dependency has the usable result it waits for.

        A contract with cardinality `one` takes any provider; `all` takes every provider that this
        execution selected up to now, and at least one.
        """
        if dependency.runtime_id is not None:
            return self._usable.get(dependency.runtime_id, False)
        contract = dependency.contract or ""
        usable = self._usable_providers.get(contract, 0)
        if dependency.cardinality == "one":
            return usable > 0
        return 0 < usable == self._providers.get(contract, 0)
