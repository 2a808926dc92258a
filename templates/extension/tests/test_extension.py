import pytest

pytestmark = pytest.mark.covel(companions=["narrator"])


def test_a_question_is_answered(covel):
    turn = covel.turn("Who is there?", replies=["A keeper."])
    assert "Answer the question." in turn.prompts[0]
    assert "Let consequences follow" in turn.prompts[0].system


def test_what_is_no_question_gets_no_reminder(covel):
    turn = covel.turn("I knock.", replies=["Nobody answers."])
    assert "Answer the question." not in turn.prompts[0]


def test_what_the_table_says_aside_is_not_told(covel):
    covel.turn("((Pizza is here.))", replies=["The sea is calm."])
    turn = covel.turn("I sail on.", replies=["Wind rises."])
    assert "Pizza" not in turn.prompts[0]
    assert "The sea is calm." in turn.prompts[0]
