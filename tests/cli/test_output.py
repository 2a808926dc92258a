"""Text as terminals can take it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.cli.output import counted, one_line, safe_text, table


@given(st.text())
def test_safe_text_can_be_written_and_steers_nothing(text: str) -> None:
    safe = safe_text(text)
    assert len(safe) == len(text)
    assert not any(ord(character) < 32 and character not in "\n\t" for character in safe)
    safe.encode("utf-8")


@pytest.mark.parametrize("character", ["\x1b", "\x9b", "\u202e", "\u2066", "\u2028", "\udcff"])
def test_characters_that_steer_or_deceive_are_not_shown(character: str) -> None:
    assert safe_text(f"a{character}b") == "a\N{REPLACEMENT CHARACTER}b"


@given(st.text(), st.integers(min_value=1, max_value=20))
def test_one_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = one_line(text, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert table([("a", "bb", "c"), ("aaa", "b", "cc")]) == "a    bb  c\naaa  b   cc\n"
    assert table([("钟", "b"), ("aaa", "c")]) == "钟   b\naaa  c\n"
    assert table([]) == ""


@pytest.mark.parametrize(("number", "text"), [(0, "0 turns"), (1, "1 turn"), (1200, "1,200 turns")])
def test_numbers_are_counted_in_words(number: int, text: str) -> None:
    assert counted(number, "turn") == text
