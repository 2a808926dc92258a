from hypothesis import given
from hypothesis import strategies as st

from covel_host.base.unicode_text import storable_text


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
