"""The value of a told story: its paragraphs, and its prose word for word."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.runtime.told_story import told_story


@pytest.mark.parametrize(
    ("prose", "paragraphs"),
    [
        ("One.", ["One."]),
        ("One.\nStill one.", ["One.\nStill one."]),
        ("One.\n\nTwo.", ["One.", "Two."]),
        ("One.\n \t\n\n Two.\n", ["One.", "Two."]),
    ],
)
def test_blank_lines_part_paragraphs(prose: str, paragraphs: list[str]) -> None:
    told = told_story(prose)
    assert told["segments"] == [{"text": text, "kind": "narration"} for text in paragraphs]
    assert told["narrativeOutput"] == prose


@given(st.text(alphabet="ab \n\t"))
def test_no_word_is_lost_and_no_paragraph_is_empty(prose: str) -> None:
    segments = told_story(prose)["segments"]
    assert isinstance(segments, list)
    texts = [one["text"] for one in segments if isinstance(one, dict)]
    assert all(isinstance(text, str) and text.strip() == text != "" for text in texts)
    assert " ".join(str(text) for text in texts).split() == prose.split()
