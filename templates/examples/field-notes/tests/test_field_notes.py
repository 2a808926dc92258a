import pytest

from plugin_sdk.testing import Refused, call, reply

HERON = {"topic": "Salt heron", "kind": "creature", "text": "Fishes at dusk."}
DONE = reply(None, call("runtime-done"))


def test_a_turn_adds_to_the_notes(covel):
    add = reply(None, call("notes-upsert", {"record": HERON}))
    covel.turn("I watch the heron.", replies=[add, DONE])
    assert list(covel.data("notes").values()) == [HERON]


def test_known_notes_stand_in_the_prompt(covel):
    covel.put_data("notes", {"salt heron": HERON})
    turn = covel.turn("I watch the heron.", replies=[DONE])
    assert "Fishes at dusk." in turn.prompts[0]


def test_a_note_of_no_kind_is_refused(covel):
    with pytest.raises(Refused, match="kind"):
        covel.put_data("notes", {"salt heron": {**HERON, "kind": "rumour"}})
