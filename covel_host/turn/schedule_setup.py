"""Needs between setup runtimes that reach over executions (spec/execution.md 1.3)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from covel_host.turn.schedule_layers import order_layers
from covel_host.turn.schedule_types import Dependency, RuntimeDeclaration, Situation


@dataclass(frozen=True, slots=True)
class SetupNeeds:
    """Setup runtimes of a session by ID and by output contract, with their committed progress."""

    runtimes: Mapping[str, RuntimeDeclaration]
    providers: Mapping[str, tuple[str, ...]]
    situation: Situation

    @classmethod
    def of(cls, declarations: Iterable[RuntimeDeclaration], situation: Situation) -> SetupNeeds:
        """The setup runtimes among `declarations`, IDs by code points."""
        runtimes = {d.runtime_id: d for d in declarations if d.stage == "setup"}
        providers: dict[str, list[str]] = {}
        for runtime_id in sorted(runtimes):
            contract = runtimes[runtime_id].contract
            if contract is not None:
                providers.setdefault(contract, []).append(runtime_id)
        return cls(runtimes, {key: tuple(ids) for key, ids in providers.items()}, situation)

    def is_met(self, need: Dependency) -> bool:
        """Whether the committed `done` mirror satisfies a need with scope `session`."""
        return all(any(self._is_done(target) for target in group) for group in self.groups(need))

    def groups(self, need: Dependency) -> Sequence[Sequence[str]]:
        """Target IDs in groups; the need waits for one of every group.

        An empty group stands for a target that nobody provides.
        """
        if need.runtime_id is not None:
            return [[need.runtime_id]]
        providers = self.providers.get(need.contract or "", ())
        if need.cardinality == "all" and providers:
            return [[provider] for provider in providers]
        return [providers]

    def cycle_members(self) -> frozenset[str]:
        """Pending setup runtimes that wait for each other so that no order can ever release them.

        A target that is done, blocked or inactive holds nobody in a cycle: it is finished, or left
        for the player. Cycles of turn-scoped edges alone are the layers' affair and left out.
        """
        stuck = self._stuck()
        waits = {runtime_id: self._targets_within(runtime_id, stuck) for runtime_id in stuck}
        return frozenset(_on_cycles(waits))

    def _is_done(self, runtime_id: str) -> bool:
        return runtime_id in self.runtimes and self.situation.setup_state(runtime_id) == "done"

    def _stuck(self) -> set[str]:
        pending = [
            declaration
            for runtime_id, declaration in self.runtimes.items()
            if self.situation.setup_state(runtime_id) == "pending"
        ]
        held = {d.runtime_id for d in pending} - set(order_layers(pending).in_cycle)
        waiting_groups: dict[str, int] = dict.fromkeys(held, 0)
        waited_by: dict[str, list[tuple[str, int]]] = {}
        open_groups: set[tuple[str, int]] = set()
        for runtime_id in held:
            for number, group in enumerate(self._open_groups(runtime_id, held)):
                waiting_groups[runtime_id] += 1
                open_groups.add((runtime_id, number))
                for target in group:
                    waited_by.setdefault(target, []).append((runtime_id, number))
        released = [runtime_id for runtime_id, count in waiting_groups.items() if not count]
        for runtime_id in released:
            for key in waited_by.get(runtime_id, ()):
                if key in open_groups:
                    open_groups.remove(key)
                    waiting_groups[key[0]] -= 1
                    if not waiting_groups[key[0]]:
                        released.append(key[0])
        return held - set(released)

    def _open_groups(self, runtime_id: str, held: Collection[str]) -> list[Sequence[str]]:
        """Groups whose every target is itself held, so that the runtime has to wait for one."""
        return [
            group
            for dependency in self.runtimes[runtime_id].dependencies
            if dependency.gates
            for group in self.groups(dependency)
            if group and all(target in held for target in group)
        ]

    def _targets_within(self, runtime_id: str, stuck: Collection[str]) -> set[str]:
        return {target for group in self._open_groups(runtime_id, stuck) for target in group}


def _on_cycles(waits: Mapping[str, set[str]]) -> set[str]:
    """Nodes that others of `waits` wait for, after those that nobody waits for are taken away."""
    awaited = dict.fromkeys(waits, 0)
    for targets in waits.values():
        for target in targets:
            awaited[target] += 1
    unawaited = [node for node, count in awaited.items() if not count]
    for node in unawaited:
        for target in waits[node]:
            awaited[target] -= 1
            if not awaited[target]:
                unawaited.append(target)
    return set(waits) - set(unawaited)
