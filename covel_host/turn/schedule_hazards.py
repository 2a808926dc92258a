"""Effects of runtimes in one layer that meet in one resource (spec/execution.md 3.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from covel_host.turn.schedule_types import EffectsConflict, RuntimeDeclaration

_UI_PREFIX = "ui:"
_UI_ALL = "ui:*"
_OWN_DATA_PREFIX = "plugin-data:self:"
_NETWORK_PREFIX = "http:"


@dataclass(slots=True)
class _Users:
    writers: list[str] = field(default_factory=list)
    readers: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _LastPart:
    write: int = -1
    read: int = -1


def effects_conflicts(layer: Sequence[RuntimeDeclaration]) -> tuple[EffectsConflict, ...]:
    """One conflict for each resource that a runtime of `layer` writes and another reads or writes.

    Sorted by resource; `runtime_ids` in the order of `layer`. Runtimes marked `parallelSafe` are
    left out. `plugin-data:self:…` belongs to its own package, `ui:*` meets every UI slot, and
    network origins are no shared resource.
    """
    users: dict[str, _Users] = {}
    for runtime_id, reads, writes in _claims(layer):
        for resource in writes:
            users.setdefault(resource, _Users()).writers.append(runtime_id)
        for resource in reads - writes:
            users.setdefault(resource, _Users()).readers.append(runtime_id)
    conflicts = []
    for resource in sorted(users):
        writers, readers = users[resource].writers, users[resource].readers
        if writers and len(writers) + len(readers) > 1:
            involved = {*writers, *readers}
            ordered = tuple(d.runtime_id for d in layer if d.runtime_id in involved)
            conflicts.append(EffectsConflict(resource, ordered))
    return tuple(conflicts)


def split_by_effects(layer: Sequence[RuntimeDeclaration]) -> tuple[tuple[str, ...], ...]:
    """`layer` in serial parts without conflicts inside a part, in the order of `layer`.

    Of two conflicting runtimes the earlier one runs in an earlier part; the others run as soon as
    they can.
    """
    last: dict[str, _LastPart] = {}
    part_of: dict[str, int] = {}
    for runtime_id, reads, writes in _claims(layer):
        seen = [last.setdefault(resource, _LastPart()) for resource in writes]
        part = max([0, *(1 + max(parts.write, parts.read) for parts in seen)])
        read_only = [last.setdefault(resource, _LastPart()) for resource in reads - writes]
        part = max([part, *(1 + parts.write for parts in read_only)])
        for parts in seen:
            parts.write = max(parts.write, part)
        for parts in read_only:
            parts.read = max(parts.read, part)
        part_of[runtime_id] = part
    split: dict[int, list[str]] = {}
    for declaration in layer:
        split.setdefault(part_of.get(declaration.runtime_id, 0), []).append(declaration.runtime_id)
    return tuple(tuple(split[part]) for part in sorted(split))


def _claims(
    layer: Sequence[RuntimeDeclaration],
) -> list[tuple[str, set[str], set[str]]]:
    claiming = [declaration for declaration in layer if not declaration.parallel_safe]
    all_ui = any(_UI_ALL in (*declaration.reads, *declaration.writes) for declaration in claiming)
    return [
        (
            declaration.runtime_id,
            _resources(declaration.reads, declaration.plugin_id, all_ui=all_ui),
            _resources(declaration.writes, declaration.plugin_id, all_ui=all_ui),
        )
        for declaration in claiming
    ]


def _resources(names: Iterable[str], plugin_id: str, *, all_ui: bool) -> set[str]:
    found = set()
    for name in names:
        if name.startswith(_OWN_DATA_PREFIX):
            found.add(f"plugin-data:{plugin_id}:{name.removeprefix(_OWN_DATA_PREFIX)}")
        elif all_ui and name.startswith(_UI_PREFIX):
            found.add(_UI_ALL)
        elif not name.startswith(_NETWORK_PREFIX):
            found.add(name)
    return found
