"""Offsets become lines and columns of the original text, whatever its line ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.diagnostics.diagnostic import Span
from covel_host.diagnostics.source import SourceText


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_every_line_end_starts_a_new_line(line_end: str) -> None:
    source = SourceText(line_end.join(["one", "two", "three"]))
    assert source.line_count == 3
    assert source.position(source.text.index("three")) == (3, 1)
    assert [source.line_text(line) for line in (1, 2, 3)] == ["one", "two", "three"]


def test_mixed_line_ends_count_once_each() -> None:
    source = SourceText("a\r\nb\rc\n\rd")
    assert [source.line_text(line) for line in range(1, 6)] == ["a", "b", "c", "", "d"]


def test_columns_count_characters_and_not_bytes() -> None:
    source = SourceText("草药😀x")
    assert source.position(3) == (1, 4)


def test_a_byte_order_mark_takes_no_column() -> None:
    assert SourceText("\ufeffab").position(1) == (1, 1)
    assert SourceText("\ufeffab").position(0) == (1, 1)


def test_the_end_of_the_text_is_a_place() -> None:
    assert SourceText("ab\n").position(3) == (2, 1)
    assert SourceText("").position(0) == (1, 1)


def test_offsets_outside_are_moved_to_the_nearer_end() -> None:
    source = SourceText("ab")
    assert source.position(-5) == (1, 1)
    assert source.position(99) == (1, 3)
    assert source.span(1, 0) == Span(1, 2, 1, 2)


def test_a_line_that_does_not_exist_is_empty() -> None:
    assert SourceText("a").line_text(0) == ""
    assert SourceText("a").line_text(2) == ""


@given(st.text(alphabet="ab\r\n草😀"), st.integers(0, 40))
def test_a_position_leads_back_to_its_character(text: str, at: int) -> None:
    source = SourceText(text)
    offset = min(at, len(text))
    line, column = source.position(offset)
    rest = source.line_text(line)[column - 1 :]
    assert text[offset:].startswith(rest) or text[offset:].startswith("\n")


@given(st.text(alphabet="ab\r\n"))
def test_the_lines_hold_all_of_the_text_but_its_line_ends(text: str) -> None:
    source = SourceText(text)
    lines = [source.line_text(line) for line in range(1, source.line_count + 1)]
    assert "".join(lines) == text.replace("\r", "").replace("\n", "")
