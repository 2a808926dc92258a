"""Characters found by name in one call's world: what is found is read, the others are not."""

from collections.abc import Mapping
from typing import TypeAlias

from covel_host.proposals.world_records import Looker
from plugin_sdk.rules.character_names import CharacterDirectory, Resolution
from plugin_sdk.values import JsonValue

_Records: TypeAlias = tuple[Mapping[str, JsonValue], ...]


class SeenDirectory(CharacterDirectory):
    """A directory of its own for one call, which records whom a look-up finds.

    That nobody else has a name is no read of all the others: the commit checks names anew
    (spec/world.md 2.8). Similar names and parts of names are looked for in everybody.
    """

    __slots__ = ("_looker",)

    def __init__(self, known: CharacterDirectory, looker: Looker) -> None:
        super().__init__()
        self._looker = looker
        self.take(known)

    def resolve(self, query: str, *, partial: bool = False) -> Resolution:
        """Whom `query` means; see `resolve_character`."""
        if query in self.characters:
            self._looker.look(query)
        return super().resolve(query, partial=partial)

    def closest(self, query: str, *, limit: int = 5) -> _Records:
        """Characters with a name or alias like `query`."""
        self._look_at_all()
        return super().closest(query, limit=limit)

    def _overlapping(self, key: str) -> _Records:
        self._look_at_all()
        return super()._overlapping(key)

    def _records(self, table: Mapping[str, tuple[str, ...]], key: str) -> _Records:
        found = super()._records(table, key)
        for record in found:
            self._looker.look(str(record["id"]))
        return found

    def _look_at_all(self) -> None:
        for character_id in self.characters:
            self._looker.look(character_id)
