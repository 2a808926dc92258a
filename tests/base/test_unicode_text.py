import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.unicode_text import shows_something, storable_text


@given(st.text())
def test_text_that_can_be_stored_is_kept(text: str) -> None:
    assert storable_text(text) == text


@given(st.text(st.characters(categories=["Cs", "L"])))
def test_every_text_can_be_stored_afterwards(text: str) -> None:
    stored = storable_text(text)
    stored.encode("utf-8")
    assert storable_text(stored) == stored


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    assert storable_text("a\ud800b") == "a�b"
    assert storable_text("\udc00") == "�"
    assert storable_text("\ud83d\ude00") == "\N{GRINNING FACE}"


@pytest.mark.parametrize(
    "text", ["", " \n", "\u200b", "\u200d\ufe0f", "\u3164", "\u2800 \ufeff", "\x07"]
)
def test_spaces_and_invisible_characters_show_nothing(text: str) -> None:
    assert not shows_something(text)


@pytest.mark.parametrize("text", ["\u200ba", "…", "雨", "\u2764\ufe0f", "\U0001f327"])
def test_letters_marks_and_pictures_show_something(text: str) -> None:
    assert shows_something(text)
