"""Rows that end between words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.cli.cells import cells
from covel_host.cli.word_wrap import WordWrap, wrapped

TEXTS = st.text(st.sampled_from("ab ,。看钟“\n"), max_size=60)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("It rains on the quay.", ["It rains", "on the", "quay."]),
        ("钟楼在雨里，我看不见。", ["钟楼在雨", "里，我看", "不见。"]),
        ("他说“好的”就走。", ["他说“好", "的”就走。"]),
        ("  1. Up", ["  1. Up"]),
        ("a  b\n\nc", ["a  b", "", "c"]),
        # The terminal itself breaks what is longer than a row.
        ("go to Llanfairpwll now", ["go to", "Llanfairpwll now"]),
        ("用 Python 写", ["用 Python", "写"]),
    ],
)
def test_rows_end_between_words(text: str, rows: list[str]) -> None:
    assert wrapped(text, lambda: 9).split("\n") == rows


@given(TEXTS, st.integers(4, 12), st.data())
def test_pieces_give_what_the_whole_gives(text: str, columns: int, data: st.DataObject) -> None:
    wrap, written, rest = WordWrap(lambda: columns), "", text
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        written += wrap.feed(rest[:size])
        rest = rest[size:]
    assert written + wrap.flush() == wrapped(text, lambda: columns)


@given(TEXTS, st.integers(12, 20))
def test_nothing_is_lost_but_the_spaces_of_a_break(text: str, columns: int) -> None:
    shown = wrapped(text, lambda: columns)
    assert shown.replace("\n", "").replace(" ", "") == text.replace("\n", "").replace(" ", "")
    longest = max((cells(word) for word in shown.split()), default=0)
    assert all(cells(row.rstrip()) <= max(columns, longest) for row in shown.split("\n"))


def test_a_word_that_is_shown_early_goes_on_in_its_row() -> None:
    wrap = WordWrap(lambda: 10)
    shown = [wrap.feed("It rai"), wrap.flush(), wrap.feed("ns. Then"), wrap.flush()]
    assert "".join(shown) == "It rains.\nThen"
