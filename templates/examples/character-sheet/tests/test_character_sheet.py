import pytest

from plugin_sdk.testing import Refused

ADA = {"name": "Ada", "strength": 4, "wit": 6}


def test_the_story_waits_for_the_sheet(covel):
    covel.turn()
    assert [asked.text for asked in covel.questions()] == ["Who are you?"]
    covel.turn(answers={"character-sheet": ADA})
    assert covel.data("sheets") == {"player": ADA}
    assert covel.questions() == []
    assert ("user", "I am Ada, 4 strong and 6 clever.") in covel.messages()


def test_nobody_has_more_than_ten_points(covel):
    covel.turn()
    with pytest.raises(Refused) as refused:
        covel.answer("character-sheet", {**ADA, "wit": 7})
    assert [issue.field for issue in refused.value.details] == ["wit"]
    assert covel.data("sheets") == {}


def test_the_check_alone(covel):
    data = {"points": 10}
    assert covel.call_validator("ten-points", {"strength": 5, "wit": 5}, data) == []
    assert covel.call_validator("ten-points", {"strength": 9, "wit": 9}, data) == [
        ("wit", "You have spent too many points.")
    ]
