"""Worlds for tests: a session with characters, a schema and dimensions, and views of it."""

from collections.abc import Sequence
from typing import Any

from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.read_sets import ReadSet
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.world_snapshot import WorldSnapshot, read_world
from covel_host.proposals.world_view import WorldView
from covel_host.store.sessions import require_session
from covel_host.store.store import Store
from tests.proposals.builders import TIDE, committed, provided, staged

HP = {"id": "hp", "name": "HP", "type": "number", "min": 0, "max": 9}


def upsert(number: int = 1, /, **payload: Any) -> StagedProposal:
    """A write of the character Mira, or of the one that the payload names."""
    return staged("character.upsert", number, **{"id": "npc-mira", "name": "Mira", **payload})


def schema_set(*attributes: dict[str, Any], types: Sequence[str] = ("npc",)) -> StagedProposal:
    """A replacement of the character schema."""
    return staged("character.schema.set", types=list(types), attributes=list(attributes))


def with_world(store: Store) -> Store:
    """The store, with two characters, a schema and a dimension in session `s1`."""
    writes = (
        schema_set(HP, types=("npc", "companion")),
        upsert(2, fields={"hp": 3, "bag": {"rope": [1, 2]}}, description="Tall."),
        upsert(3, id="npc-wren", name="Wren", aliases=["Keeper"]),
        staged("dimension.initialize", definitions={"tide": TIDE}),
    )
    committed(store, provided("t1", proposals=writes))
    return store


def snapshot_of(store: Store) -> WorldSnapshot:
    """The committed world of session `s1`."""
    return store.read_now(lambda reading: read_world(reading, require_session(reading, "s1")))


def world_of(
    store: Store, upstream: Sequence[StagedProposal] = (), *, reads: ReadSet | None = None
) -> WorldView:
    """A view of the committed world of session `s1`."""
    return WorldView(snapshot_of(store), upstream=upstream, reads=reads)


def accepted_by(view: WorldView, offered: Sequence[StagedProposal]) -> list[StagedProposal]:
    """Those of the offered proposals that the view takes in, one after the other."""
    passed = []
    for proposal in offered:
        try:
            view.stage([proposal])
        except ProposalRefused:
            continue
        passed.append(proposal)
    return passed
