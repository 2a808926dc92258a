"""Characters as a run looks at them: frozen, and recorded when they are looked at."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

from covel_host.proposals.frozen_json import FrozenObject, thawed
from plugin_sdk.values import JsonValue


class Looker(Protocol):
    """Whose looks they are: one call, or one run."""

    def look(self, character_id: str | None) -> None:
        """Record that a character is read or, with None, which characters there are.

        Raises:
            ToolError: the call has ended; nothing is recorded.
        """

    def note(self, character_id: str | None) -> None:
        """Like `look`, for the host, which copies what a call returned once it has ended."""


class CharacterRecord(Mapping[str, Any]):
    """One character; reading any member but `id` is a read of it.

    The ID alone says no more than that the character exists, which the list of all records.
    Members are frozen plain JSON; `dict(record)` is a plain object, `copy.deepcopy` one that shares
    nothing.
    """

    __slots__ = ("_looker", "_record")

    def __init__(self, record: FrozenObject, looker: Looker) -> None:
        self._record = record
        self._looker = looker

    def __getitem__(self, key: str) -> Any:
        if key == "id":
            self._looker.look(None)
            return self._record[key]
        return self._read()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return f"<character {self._record['id']!r}>"

    def __copy__(self) -> dict[str, Any]:
        return dict(self._read())

    def __deepcopy__(self, memo: object) -> JsonValue:
        return thawed(self._read())

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[JsonValue]]:
        return dict, (thawed(self._read()),)

    def __json_form__(self) -> JsonValue:
        self._looker.note(self._record["id"])
        return thawed(self._record)

    def _read(self) -> FrozenObject:
        self._looker.look(self._record["id"])
        return self._record


class CharacterList(Sequence[CharacterRecord]):
    """The characters by ID in code-point order; each record is made when it is first asked for."""

    __slots__ = ("_looker", "_made", "_records")

    def __init__(self, records: tuple[FrozenObject, ...], looker: Looker) -> None:
        self._records = records
        self._looker = looker
        self._made: dict[int, CharacterRecord] = {}

    def __len__(self) -> int:
        self._looker.look(None)
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> CharacterRecord: ...

    @overload
    def __getitem__(self, index: slice) -> list[CharacterRecord]: ...

    def __getitem__(self, index: int | slice) -> CharacterRecord | list[CharacterRecord]:
        self._looker.look(None)
        if isinstance(index, slice):
            return [self._at(at) for at in range(len(self._records))[index]]
        count = len(self._records)
        if not -count <= index < count:
            raise IndexError(f"There is no character {index}: the list has {count}.")
        return self._at(index % count)

    def __iter__(self) -> Iterator[CharacterRecord]:
        self._looker.look(None)
        return map(self._at, range(len(self._records)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, (str, bytes)):
            return NotImplemented
        return len(self) == len(other) and all(
            mine == theirs for mine, theirs in zip(self, other, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # its records are dictionaries

    def __repr__(self) -> str:
        return f"<{len(self._records)} characters>"

    def __copy__(self) -> list[CharacterRecord]:
        return list(self)

    def __deepcopy__(self, memo: object) -> list[JsonValue]:
        return [thawed(dict(record)) for record in self]

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[JsonValue]]]:
        return list, ([thawed(dict(record)) for record in self],)

    def __json_form__(self) -> list[JsonValue]:
        self._looker.note(None)
        for record in self._records:
            self._looker.note(record["id"])
        return [thawed(record) for record in self._records]

    def _at(self, place: int) -> CharacterRecord:
        made = self._made.get(place)
        if made is None:
            made = CharacterRecord(self._records[place], self._looker)
            made = self._made.setdefault(place, made)
        return made
