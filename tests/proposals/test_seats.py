"""Seats under commits, and characters kept current through the proposals of one commit."""

from covel_host.store.seats import every_seat
from covel_host.store.store import Store
from tests.proposals.builders import commit, committed, run
from tests.proposals.worlds import upsert


def seats(store: Store) -> list[tuple[str, str | None]]:
    found = store.read_now(lambda reading: every_seat(reading, "s1"))
    return [(seat.seat_id, seat.character_id) for seat in found]


def player(number: int, character_id: str, **payload: object) -> object:
    return upsert(number, id=character_id, name=character_id, type="player", **payload)


def test_only_a_new_player_character_takes_the_default_seat(store: Store) -> None:
    committed(store, commit("t1", proposals=(upsert(1),)))
    assert seats(store) == []
    committed(store, commit("t2", proposals=(player(1, "ada"), player(2, "bo"))))  # type: ignore[arg-type]
    assert seats(store) == [("seat-1", "bo")]
    again = player(1, "ada", description="Older.")
    became = upsert(2, type="player", expectedVersion=1)
    committed(store, commit("t3", proposals=(again, became)))  # type: ignore[arg-type]
    assert seats(store) == [("seat-1", "bo")]


def test_a_dropped_run_takes_no_seat_and_its_characters_are_forgotten(store: Store) -> None:
    story = run("run-1", upsert(1, id="npc-a", name="A"), role="story")
    wrong = upsert(3, id="npc-b", name="B", type="ghost")
    dropped = run("run-2", player(2, "ada"), wrong, runtime_id="echo-demo/other")  # type: ignore[arg-type]
    # The name is free again, and an alias of somebody else now.
    last = run(
        "run-3", upsert(4, id="npc-c", name="C", aliases=["ada"]), runtime_id="echo-demo/last"
    )
    report = committed(store, commit("t1", runs=(story, dropped, last)))
    assert [one.run_id for one in report.dropped] == ["run-2"]
    assert seats(store) == []
