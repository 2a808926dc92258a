"""The trace of a turn as a tree: the turn's own events, runs below what started them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from plugin_sdk.values import JsonValue


class Traced(Protocol):
    """An event as the tree needs it: a `TraceEvent`, or the row it was stored as."""

    @property
    def type(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def position(self) -> int: ...
    @property
    def run_id(self) -> str | None: ...
    @property
    def parent_id(self) -> str | None: ...
    @property
    def data(self) -> dict[str, JsonValue]: ...


@dataclass(slots=True)
class TraceNode:
    """One event, or one run (`event` is None) with what belongs to it, in order of adding."""

    run_id: str | None
    event: Traced | None = None
    children: list["TraceNode"] = field(default_factory=list)


def build_tree(events: Iterable[Traced]) -> TraceNode:
    """The root node of a turn, whose children are its own events and the runs it started.

    A run stands where its first event was added. A run whose starter is unknown, or that would
    stand below itself, stands at the root: no event is ever lost.
    """
    ordered = sorted(events, key=lambda event: event.position)
    root = TraceNode(run_id=None)
    runs: dict[str, TraceNode] = {}
    parents = _parents(ordered)
    for event in ordered:
        node = root if event.run_id is None else _run_node(event.run_id, root, runs, parents)
        node.children.append(TraceNode(run_id=event.run_id, event=event))
    return root


def _parents(events: Sequence[Traced]) -> dict[str, str]:
    parents: dict[str, str] = {}
    for event in events:
        if event.run_id is not None and event.parent_id is not None:
            parents.setdefault(event.run_id, event.parent_id)
    known = {event.run_id for event in events}
    return {run: parent for run, parent in parents.items() if parent in known}


def _run_node(
    run_id: str, root: TraceNode, runs: dict[str, TraceNode], parents: dict[str, str]
) -> TraceNode:
    chain: list[str] = []
    current: str | None = run_id
    while current is not None and current not in runs:
        if current in chain:
            # The runs name each other as starters: the newest of the circle goes to the root.
            break
        chain.append(current)
        current = parents.get(current)
    above = runs[current] if current is not None and current in runs else root
    for missing in reversed(chain):
        runs[missing] = TraceNode(run_id=missing)
        above.children.append(runs[missing])
        above = runs[missing]
    return runs[run_id]
