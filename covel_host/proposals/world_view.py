"""What a run sees of the world: the committed snapshot with the staged writes over it.

Characters and their schema take in, in order, the proposals of upstream runs that succeeded and the
run's own, through the very rules of the commit; what these refuse never enters. Dimensions are the
frozen snapshot and show no pending write (seed: 读到的是哪一份数据; spec/transactions.md 3.2).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from covel_host.proposals.character_rules import CharacterState
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.frozen_json import FrozenObject, freeze_object
from covel_host.proposals.read_sets import (
    CharacterRead,
    CharacterSchemaRead,
    ReadSet,
    RosterRead,
    record_digest,
    roster_digest,
)
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.world_directory import SeenDirectory
from covel_host.proposals.world_records import CharacterList
from covel_host.proposals.world_snapshot import EMPTY_WORLD, WorldSnapshot
from covel_host.store.records import SeatRecord
from plugin_sdk.proposals import CharacterSchemaSet, CharacterUpsert
from plugin_sdk.rules.character_names import CharacterDirectory
from plugin_sdk.values import JsonValue


@dataclass(frozen=True, slots=True)
class WorldState:
    """Characters and schema after some proposals; replaced as a whole, never changed.

    `records` are in the order of their IDs. `state` is what the next proposals are laid over, None
    while the snapshot's own is.
    """

    records: tuple[FrozenObject, ...]
    schema: FrozenObject | None
    state: CharacterState | None = None


class WorldView:
    """The world as one run sees it; shared by its calls, which open it each for themselves.

    `upstream` are the proposals of the upstream runs that succeeded, in execution order; `reads`
    takes what is looked at. Nothing is worked out before the first look or the first write.
    """

    def __init__(
        self,
        snapshot: WorldSnapshot = EMPTY_WORLD,
        *,
        upstream: Iterable[StagedProposal] = (),
        reads: ReadSet | None = None,
    ) -> None:
        self.reads = ReadSet() if reads is None else reads
        self._snapshot = snapshot
        self._upstream = _world_writes(upstream)
        self._upstream_ids = {
            proposal.model.id
            for proposal in self._upstream
            if isinstance(proposal.model, CharacterUpsert)
        }
        self._recorded: set[str | None] = set()
        self._before: WorldState | None = None
        self._now: WorldState | None = None
        self._own = WorldHandle(self, _always)

    def nested(self) -> "WorldView":
        """The same world for a run inside this one: what that stages does not show here.

        Its reads are reads of this view.
        """
        view = copy(self)
        view._own = WorldHandle(view, _always)
        return view

    def unrecorded(self) -> "WorldView":
        """The same world for what only fills prompts: nothing is to rest on what it looks at."""
        view = copy(self)
        view.reads, view._recorded = ReadSet(), set()
        view._own = WorldHandle(view, _always)
        return view

    def opened(self, check: Callable[[], None]) -> "WorldHandle":
        """The `ctx.world` of one call or run; `check` raises once that has ended."""
        return WorldHandle(self, check)

    @property
    def world_record(self) -> Mapping[str, JsonValue] | None:
        """The world the session plays in, None without one."""
        return self._snapshot.world_record

    @property
    def character_schema(self) -> Mapping[str, JsonValue] | None:
        """The schema after all staged writes, None before it is set; a read of it."""
        return self._own.character_schema

    @property
    def characters(self) -> Sequence[Mapping[str, JsonValue]]:
        """The characters after all staged writes, by ID in code-point order."""
        return self._own.characters

    @property
    def dimensions(self) -> Mapping[str, Mapping[str, JsonValue]]:
        """The public snapshot by ID, as it was when the execution began."""
        return self._snapshot.dimensions

    @property
    def seats(self) -> tuple[SeatRecord, ...]:
        """The seats of the session, as they were when the execution began."""
        return self._snapshot.seats

    def stage(self, proposals: Iterable[StagedProposal]) -> None:
        """Lay proposals over the view, all or none; those of other types are passed by.

        Raises:
            ProposalRefused: one breaks a rule of characters; the view is as before.
        """
        self.enter(self.prepared(proposals))

    def prepared(self, proposals: Iterable[StagedProposal]) -> WorldState | None:
        """The world after the proposals, for `enter`; None when they leave it as it is.

        Raises:
            ProposalRefused: like `stage`.
        """
        writes = _world_writes(proposals)
        return self._written(self.current(), writes) if writes else None

    def enter(self, prepared: WorldState | None) -> None:
        """Show what `prepared` made; nothing may have been staged in between."""
        if prepared is not None:
            self._now = prepared

    def current(self) -> WorldState:
        """The world after all staged writes."""
        return self._now or self._after_upstream()

    def directory(self) -> CharacterDirectory:
        """The characters after all staged writes, by ID and name; only to be read, or copied."""
        return (self.current().state or self._snapshot.state).directory

    def read_schema(self) -> None:
        """Record a read of the schema."""
        seen = None
        if any(isinstance(proposal.model, CharacterSchemaSet) for proposal in self._upstream):
            schema = self._after_upstream().schema
            seen = None if schema is None else record_digest(schema)
        revision = self._snapshot.schema_revision
        self.reads.record(CharacterSchemaRead(revision=revision, seen=seen))

    def read_character(self, character_id: str | None) -> None:
        """Record a read of one character; with None, of which characters there are."""
        if character_id in self._recorded:
            return
        if character_id is None:
            self.reads.record(RosterRead(seen=self._roster()))
        else:
            revision = self._snapshot.character_revision(character_id)
            seen = self._digest(character_id) if character_id in self._upstream_ids else None
            read = CharacterRead(character_id=character_id, revision=revision, seen=seen)
            self.reads.record(read)
        self._recorded.add(character_id)

    def _roster(self) -> str:
        if not self._upstream_ids:
            return self._snapshot.roster
        return roster_digest(str(record["id"]) for record in self._after_upstream().records)

    def _digest(self, character_id: str) -> str | None:
        for record in self._after_upstream().records:
            if record["id"] == character_id:
                return record_digest(record)
        return None

    def _after_upstream(self) -> WorldState:
        if self._before is None:
            snapshot = self._snapshot
            committed = WorldState(tuple(snapshot.characters.values()), snapshot.schema)
            self._before = self._written(committed, self._upstream, passes_refused=True)
        return self._before

    def _written(
        self, world: WorldState, writes: Sequence[StagedProposal], *, passes_refused: bool = False
    ) -> WorldState:
        if not writes:
            return world
        state = (world.state or self._snapshot.state).copy()
        records = {str(record["id"]): record for record in world.records}
        for proposal in writes:
            try:
                made = state.write(proposal)
            except ProposalRefused:
                # Parallel runs may stage what does not fit together: the commit refuses it, so it
                # never enters a view.
                if passes_refused:
                    continue
                raise
            if made is not None and isinstance(proposal.model, CharacterUpsert):
                records[str(made["id"])] = freeze_object(made)
        schema = None if state.schema is None else freeze_object(state.schema)
        return WorldState(tuple(records[key] for key in sorted(records)), schema, state)


class WorldHandle:
    """The world for one call: dead, and recording nothing more, once the call has ended.

    What it gives is frozen; one list serves until the next staged write.
    """

    def __init__(self, view: WorldView, check: Callable[[], None]) -> None:
        self._view = view
        self._check = check
        self._listed: tuple[WorldState, CharacterList] | None = None

    @property
    def world_record(self) -> Mapping[str, JsonValue] | None:
        self._check()
        return self._view.world_record

    @property
    def character_schema(self) -> Mapping[str, JsonValue] | None:
        self._check()
        self._view.read_schema()
        return self._view.current().schema

    @property
    def characters(self) -> Sequence[Mapping[str, JsonValue]]:
        self._check()
        world = self._view.current()
        if self._listed is None or self._listed[0] is not world:
            self._listed = (world, CharacterList(world.records, self))
        return self._listed[1]

    @property
    def dimensions(self) -> Mapping[str, Mapping[str, JsonValue]]:
        self._check()
        return self._view.dimensions

    def directory(self) -> SeenDirectory:
        """The characters to be looked up and, as far as this call goes, changed."""
        self.look(None)
        return SeenDirectory(self._view.directory(), self)

    def look(self, character_id: str | None) -> None:
        """Record that a character is read or, with None, which characters there are."""
        self._check()
        self._view.read_character(character_id)

    def note(self, character_id: str | None) -> None:
        """Like `look`, for the host, which copies what a call returned once it has ended."""
        self._view.read_character(character_id)


def _always() -> None:
    """The check of a view that is looked at by the host itself."""


def _world_writes(proposals: Iterable[StagedProposal]) -> tuple[StagedProposal, ...]:
    kinds = (CharacterUpsert, CharacterSchemaSet)
    return tuple(proposal for proposal in proposals if isinstance(proposal.model, kinds))
