"""What a character has witnessed of the committed story (spec/decisions.md 6).

A turn in which it speaks in a segment, was delegated to, or belongs to a seat that acted.
"""

from collections.abc import Collection, Mapping, Sequence

from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.store.records import MessageRecord, SeatRecord
from plugin_sdk.rules.character_names import character_aliases, character_name_key
from plugin_sdk.values import JsonValue


class Witness:
    """Tells the turns that one character witnessed from those it did not."""

    def __init__(self, character: Mapping[str, JsonValue], seats: Sequence[SeatRecord]) -> None:
        self.character_id = str(character["id"])
        names = (str(character.get("name", "")), *character_aliases(character))
        self._keys = {character_name_key(name) for name in names} - {""}
        self._seats = frozenset(
            seat.seat_id for seat in seats if seat.character_id == self.character_id
        )

    def was_there(self, turn: Sequence[MessageRecord], delegated: Collection[str]) -> bool:
        """Whether it witnessed the turn with these messages; `delegated` are turns by ID."""
        return any(
            message.turn_id in delegated or self._speaks(message) or self._acts(message)
            for message in turn
        )

    def _speaks(self, message: MessageRecord) -> bool:
        segments = message.data.get("segments")
        if not isinstance(segments, list):
            return False
        speakers = [one.get("speaker") for one in segments if isinstance(one, dict)]
        return any(self._is(speaker) for speaker in speakers if isinstance(speaker, str))

    def _is(self, speaker: str) -> bool:
        return speaker == self.character_id or character_name_key(speaker) in self._keys

    def _acts(self, message: MessageRecord) -> bool:
        seat = message.data.get("seatId", DEFAULT_SEAT_ID)
        return message.source == "player" and seat in self._seats
