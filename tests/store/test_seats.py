"""Seats: rows of their own, versioned like everything else a snapshot shows."""

from pathlib import Path

from covel_host.store.options import StoreOptions
from covel_host.store.records import SeatRecord
from covel_host.store.seats import every_seat, get_seat, put_seat
from covel_host.store.sessions import insert_session
from covel_host.store.store import Store
from tests.store.builders import session

FIRST = SeatRecord(session_id="s1", seat_id="seat-1", label="Seat 1", character_id="player-ada")
MOVED = SeatRecord(session_id="s1", seat_id="seat-1", label="Seat 1", character_id="player-bo")
EMPTY = SeatRecord(session_id="s1", seat_id="seat-2", label="Guest")


def test_a_seat_reads_as_it_is_and_as_each_revision_left_it(tmp_path: Path) -> None:
    store = Store.open(StoreOptions(path=tmp_path / "covel.db"))
    store.transaction_now(lambda transaction: insert_session(transaction, session()))
    for revision, seat in enumerate([FIRST, MOVED, EMPTY], start=1):
        store.transaction_now(
            lambda transaction, seat=seat, revision=revision: put_seat(  # type: ignore[misc]
                transaction, seat, revision=revision
            )
        )
    read = store.read_now(
        lambda reading: (
            get_seat(reading, "s1", "seat-1"),
            get_seat(reading, "s1", "seat-1", revision=1),
            get_seat(reading, "s1", "seat-9"),
            every_seat(reading, "s1"),
            every_seat(reading, "s1", revision=2),
        )
    )
    store.close()
    assert read == (MOVED, FIRST, None, [MOVED, EMPTY], [MOVED])
