import pytest


def test_the_paragraph_becomes_part_of_the_story(covel):
    run = covel.run(message="I open the door.", replies=["Behind it, the sea."])
    assert run.text == "Behind it, the sea."
    assert covel.messages() == [
        ("user", "I open the door."),
        ("assistant", "Behind it, the sea."),
    ]


def test_what_was_told_before_is_in_the_prompt(covel):
    covel.run(message="I open the door.", replies=["Behind it, the sea."])
    run = covel.run(message="I wade in.", replies=["It is cold."])
    assert "Behind it, the sea." in run.prompts[0]


@pytest.mark.covel(locale="zh")
def test_a_chinese_session_has_the_chinese_prompt(covel):
    run = covel.run(message="我打开门。", replies=["门后是海。"])
    assert "You tell" not in run.prompts[0]
