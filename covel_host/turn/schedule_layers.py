"""Layers of runtimes that run at the same time, from their dependencies (spec/execution.md 3.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from covel_host.turn.schedule_types import RuntimeDeclaration

_Node = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Layers:
    """Runtime IDs in layers, and those that a cycle keeps from running at all."""

    layers: tuple[tuple[str, ...], ...]
    in_cycle: tuple[str, ...]


def order_layers(members: Sequence[RuntimeDeclaration]) -> Layers:
    """`members` in layers; each waits for the last of its predecessors among `members`.

    Inside a layer and in `in_cycle` the order of `members` is kept. `in_cycle` holds the members
    of every cycle and all that depend on them. References to runtimes that are not members order
    nothing.

    Cost is linear in runtimes and declared dependencies: a contract is a node of its own between
    its providers and its consumers, so m consumers of n providers make m + n edges.
    """
    successors, waiting = _graph(members)
    level = dict.fromkeys(waiting, 0)
    ready = [node for node, count in waiting.items() if not count]
    for node in ready:
        for successor in successors.get(node, ()):
            weight = 1 if node[0] == "runtime" else 0
            level[successor] = max(level[successor], level[node] + weight)
            waiting[successor] -= 1
            if not waiting[successor]:
                ready.append(successor)
    return _collect(members, level, set(ready))


def _graph(
    members: Sequence[RuntimeDeclaration],
) -> tuple[Mapping[_Node, Sequence[_Node]], dict[_Node, int]]:
    ids = {member.runtime_id for member in members}
    provided = {member.contract for member in members if member.contract is not None}
    successors: dict[_Node, list[_Node]] = {}
    waiting: dict[_Node, int] = {("runtime", runtime_id): 0 for runtime_id in ids}
    waiting.update((("contract", contract), 0) for contract in provided)

    def add_edge(before: _Node, after: _Node) -> None:
        successors.setdefault(before, []).append(after)
        waiting[after] += 1

    for member in members:
        node = ("runtime", member.runtime_id)
        if member.contract is not None:
            add_edge(node, ("contract", member.contract))
        for dependency in member.dependencies:
            if dependency.scope != "turn":
                continue
            if dependency.runtime_id in ids:
                add_edge(("runtime", str(dependency.runtime_id)), node)
            if dependency.contract in provided:
                add_edge(("contract", str(dependency.contract)), node)
    return successors, waiting


def _collect(
    members: Sequence[RuntimeDeclaration],
    level: Mapping[_Node, int],
    placed: set[_Node],
) -> Layers:
    layers: dict[int, list[str]] = {}
    in_cycle = []
    for member in members:
        node = ("runtime", member.runtime_id)
        if node in placed:
            layers.setdefault(level[node], []).append(member.runtime_id)
        else:
            in_cycle.append(member.runtime_id)
    return Layers(tuple(tuple(layers[index]) for index in sorted(layers)), tuple(in_cycle))
