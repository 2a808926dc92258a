"""Seats changed by the player: added, renamed, given another character (spec/decisions.md 4)."""

from dataclasses import replace
from typing import Final

from covel_host.store.characters import get_character
from covel_host.store.records import SeatRecord, SessionRecord
from covel_host.store.seats import every_seat, get_seat, put_seat
from covel_host.store.transaction import Reading, Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_changes import (
    UNCHANGED,
    Changed,
    ChangePlace,
    ChangePorts,
    Unchanged,
    change_session,
)
from plugin_sdk.rules.character_fields import PLAYER_TYPE

MAX_SEATS: Final = 64
"""Seats of one session."""

MAX_SEAT_TEXT: Final = 100
"""Characters of a seat's ID, and of its label."""

NOBODY: Final = ""
"""For a seat that plays no character."""


async def set_seat(
    ports: ChangePorts,
    session_id: str,
    seat_id: str,
    *,
    label: str | None = None,
    character_id: str | None = None,
) -> Changed:
    """Give the seat a label and a character; a seat that is not there is added.

    What is None stays as it is; `NOBODY` takes the character away.

    Raises:
        RequestRefused: `seat-invalid`, `character-not-found`, or as `change_session`.
    """
    for what, text in (("ID", seat_id), ("label", label)):
        if text is not None and not 1 <= len(text.strip()) <= len(text) <= MAX_SEAT_TEXT:
            raise RequestRefused(
                f"The {what} of a seat is {text!r}; expected 1 to {MAX_SEAT_TEXT} characters.",
                code="seat-invalid",
            )

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        found = get_seat(transaction, session_id, seat_id)
        if found is None:
            _refuse_more(transaction, session_id)
        seat = found or SeatRecord(session_id=session_id, seat_id=seat_id, label=seat_id)
        if label is not None:
            seat = replace(seat, label=label)
        if character_id is not None:
            seat = replace(seat, character_id=_player(transaction, session_id, character_id))
        if seat == found:
            return UNCHANGED
        put_seat(transaction, seat, revision=place.revision)
        return place.session

    return await change_session(ports, session_id, change)


def _refuse_more(reading: Reading, session_id: str) -> None:
    if len(every_seat(reading, session_id)) >= MAX_SEATS:
        raise RequestRefused(
            f"The session {session_id!r} has {MAX_SEATS} seats, the most there can be.",
            code="seat-invalid",
        )


def _player(reading: Reading, session_id: str, character_id: str) -> str | None:
    if character_id == NOBODY:
        return None
    character = get_character(reading, session_id, character_id)
    if character is None or character["type"] != PLAYER_TYPE:
        raise RequestRefused(
            f"The session {session_id!r} has no player character {character_id!r}.",
            code="character-not-found",
            hint="A seat plays a character of type 'player'.",
        )
    return character_id
