from plugin_sdk.testing import call, reply

GLOVE = reply(None, call("note-clue", name="glove", what="A wet glove.", suspect="Ada"))
LETTER = reply(None, call("note-clue", name="letter", what="A torn letter."))
DONE = reply(None, call("runtime-done"))


def test_what_one_runtime_notes_the_next_one_counts(covel):
    turn = covel.turn("I look under the bench.", replies=[GLOVE, DONE])
    assert turn["clue-tracker/count"].output == {"clues": 1, "suspects": {"Ada": 1}}
    assert covel.data("clues")["glove"]["what"] == "A wet glove."


def test_the_player_is_told_once_that_there_are_enough(covel):
    covel.set("enough", 2)
    told = []
    for replies in ([GLOVE, DONE], [LETTER, DONE], [DONE]):
        turn = covel.turn("I look around.", replies=replies)
        told.append([write.type for write in turn["clue-tracker/count"].writes])
    assert told == [[], ["ui.render"], []]


def test_clues_are_counted_even_where_noting_failed(covel):
    covel.put_data("clues", {"glove": {"what": "A wet glove.", "suspect": None, "turn": 0}})
    outcome = covel.call_handler(
        "count", data={"clues": covel.data("clues")}, settings={"enough": 3}
    )
    assert outcome.value == {"clues": 1, "suspects": {}}
