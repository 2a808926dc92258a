from random import Random

import pytest

from plugin_sdk.testing import call, reply

CLIMB = reply(None, call("check-skill", skill="climbing", difficulty=1))


def test_a_player_checks_beside_the_story(covel):
    answer = covel.command("/check 30 climbing the wall")
    assert answer["skill"] == "climbing the wall"
    assert answer["message"].startswith("climbing the wall: ")
    assert [event.type for event in covel.events] == ["event.emitted"]
    assert covel.data("luck") == {}


def test_a_check_of_the_story_is_counted_in_the_same_turn(covel):
    answer = covel.tool("check-skill", skill="climbing", difficulty=1)
    won = answer.value["success"]
    assert covel.data("luck")["story"] == {"won": int(won), "lost": int(not won)}


@pytest.mark.parametrize(("difficulty", "success"), [(1, False), (30, True)])
def test_a_one_fails_and_a_twenty_succeeds_whatever_the_difficulty(covel, difficulty, success):
    class Loaded(Random):
        def randint(self, low, high):
            return high if success else low

    rules = covel.module("server/rules.py")
    assert rules.checked(Loaded(), "luck", difficulty)["success"] is success


def test_the_judge_rolls_before_the_story(covel):
    turn = covel.turn("I climb.", replies=[CLIMB, reply(None, call("runtime-done"))])
    assert [run.runtime_id for run in turn.runs] == ["dice-check/judge", "dice-check/luck"]
    assert turn["dice-check/luck"].output == covel.data("luck")["story"]
