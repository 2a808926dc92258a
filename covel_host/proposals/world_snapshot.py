"""The committed world of one session, read once for an execution and shared by all its runs.

What it holds stays text until somebody looks: a run that never does pays for a reference.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache

from covel_host.proposals.character_rules import CharacterState
from covel_host.proposals.frozen_json import FrozenObject, freeze_object
from covel_host.proposals.read_sets import roster_digest
from covel_host.store.character_schemas import character_schema_text
from covel_host.store.characters import character_texts
from covel_host.store.dimensions import every_dimension
from covel_host.store.read_versions import RevisedText
from covel_host.store.records import DimensionRecord, SeatRecord, SessionRecord
from covel_host.store.seats import every_seat
from covel_host.store.session_worlds import session_world_text
from covel_host.store.transaction import Reading
from covel_host.store.values import parsed_object


class WorldSnapshot:
    """The world as it was committed when an execution began; nothing of it ever changes.

    `seats` are the session's, by ID.

    Everything it gives is frozen and made once, at the first look. It may be looked at from any
    thread: two first looks at once make equal values.
    """

    def __init__(
        self,
        *,
        characters: Mapping[str, RevisedText] | None = None,
        schema: RevisedText | None = None,
        dimensions: Iterable[DimensionRecord] = (),
        world: RevisedText | None = None,
        seats: Iterable[SeatRecord] = (),
    ) -> None:
        self.seats = tuple(seats)
        self._character_texts = characters or {}
        self._schema_text = schema
        self._dimensions = tuple(dimensions)
        self._world_text = world

    @cached_property
    def world_record(self) -> FrozenObject | None:
        """The world the session plays in, None without one."""
        return None if self._world_text is None else _frozen_record(self._world_text.text)

    @cached_property
    def schema(self) -> FrozenObject | None:
        """The character schema, None before it is set."""
        return None if self._schema_text is None else freeze_object(self._schema_text.parsed())

    @cached_property
    def characters(self) -> Mapping[str, FrozenObject]:
        """The characters by ID in code-point order; never to be changed."""
        texts = self._character_texts.items()
        return {character_id: _frozen_record(text.text) for character_id, text in texts}

    @cached_property
    def dimensions(self) -> FrozenObject:
        """The public dimension snapshot by ID (spec/world.md 3.6)."""
        return freeze_object({record.dimension_id: record.public() for record in self._dimensions})

    @cached_property
    def state(self) -> CharacterState:
        """The characters and the schema as proposals are laid over them; copied before a write."""
        return CharacterState(self.characters.values(), self.schema)

    @cached_property
    def roster(self) -> str:
        """The digest of the characters' IDs."""
        return roster_digest(self._character_texts)

    @property
    def schema_revision(self) -> int | None:
        """The revision that wrote the schema, None where there is none."""
        return None if self._schema_text is None else self._schema_text.revision

    def character_revision(self, character_id: str) -> int | None:
        """The revision that wrote the character, None where there is none."""
        text = self._character_texts.get(character_id)
        return None if text is None else text.revision


def _frozen_record(text: str) -> FrozenObject:
    """The record of that text; most are the same from one execution to the next."""
    return _kept_record(text) if len(text) <= _KEPT_TEXT else freeze_object(parsed_object(text))


_KEPT_TEXT = 4_096
"""Characters of the longest record that is kept from one execution to the next."""


@lru_cache(maxsize=2_048)
def _kept_record(text: str) -> FrozenObject:
    return freeze_object(parsed_object(text))


EMPTY_WORLD = WorldSnapshot()
"""The world of a session that has nothing yet."""


def read_world(reading: Reading, session: SessionRecord) -> WorldSnapshot:
    """The session's committed world; a session that was made without one has no world record."""
    return WorldSnapshot(
        world=session_world_text(reading, session.session_id),
        characters=character_texts(reading, session.session_id),
        schema=character_schema_text(reading, session.session_id),
        dimensions=every_dimension(reading, session.session_id),
        seats=every_seat(reading, session.session_id),
    )
