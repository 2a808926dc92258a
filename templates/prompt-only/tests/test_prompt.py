import pytest


def test_the_segment_stands_in_the_prompt(covel):
    run = covel.run(replies=["A drip in the dark."])
    assert "Prefer the exact word" in run.prompts[0].system
    assert run.text == "A drip in the dark."


@pytest.mark.covel(locale="zh")
def test_a_chinese_session_has_the_chinese_texts(covel):
    run = covel.run(replies=["黑暗里一声滴水。"])
    assert "Prefer the exact word" not in run.prompts[0].system
