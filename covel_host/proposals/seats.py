"""Seats under commits: a new player character is bound to the default seat (seed: creates[])."""

from dataclasses import replace
from typing import Final

from covel_host.proposals.place import CommitPlace
from covel_host.store.records import SeatRecord
from covel_host.store.seats import get_seat, put_seat
from covel_host.store.transaction import Transaction

DEFAULT_SEAT_ID: Final = "seat-1"
DEFAULT_SEAT_LABEL: Final = "Seat 1"


def bind_new_player(transaction: Transaction, place: CommitPlace, character_id: str) -> None:
    """Let the default seat play that character, which the commit has just made.

    A session may have several player characters; the seat plays the newest one, and those before
    it stay characters of the session.
    """
    seat = get_seat(transaction, place.session_id, DEFAULT_SEAT_ID)
    if seat is None:
        seat = SeatRecord(
            session_id=place.session_id, seat_id=DEFAULT_SEAT_ID, label=DEFAULT_SEAT_LABEL
        )
    put_seat(transaction, replace(seat, character_id=character_id), revision=place.revision)
