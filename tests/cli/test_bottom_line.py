"""The line below the text, seen on a screen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.cli.bottom_line import BottomLine
from covel_host.cli.cells import cells, fitted
from scripts.typist import Screen

TEXTS = st.text(st.sampled_from("ab 看钟"), max_size=40)


def bottom(columns: int = 20) -> tuple[Screen, BottomLine]:
    screen = Screen(columns)
    screen.write("above\r\n")

    def write(text: str) -> None:
        screen.write(text.replace("\n", "\r\n"))

    return screen, BottomLine(write, columns=lambda: columns, colour=False)


def shown(screen: Screen, line: BottomLine) -> str:
    line.hide()
    line.show()
    return screen.text.removeprefix("above\n")


def test_it_shows_what_runs_until_something_is_asked_or_typed() -> None:
    screen, line = bottom()
    line.set_status("narrative: narrator of old")
    assert shown(screen, line) == "narrative: narrato…"
    line.type("wait", 4)
    assert shown(screen, line) == "+ wait"
    line.ask("> ")
    assert shown(screen, line) == "> wait"
    line.enter("wait")
    assert shown(screen, line) == "> wait\nnarrative: narrato…"
    line.set_status("")
    line.hide()
    assert screen.text == "above\n> wait\n"


def test_what_steers_a_terminal_is_shown_as_something_else() -> None:
    screen, line = bottom()
    line.ask("Which \x1b[31mway\n? ")
    assert shown(screen, line) == "Which \ufffd[31mway ?"


@given(TEXTS, st.integers(0, 40), st.integers(6, 12), TEXTS)
def test_it_is_painted_over_several_rows_and_taken_away_whole(
    text: str, cursor: int, columns: int, then: str
) -> None:
    screen, line = bottom(columns)
    line.ask("> ")
    for value in (text, then):
        line.hide()
        line.type(value, min(cursor, len(value)))
        line.show()
        assert screen.text.replace("\n", "").replace(" ", "") == f"above>{value}".replace(" ", "")
        # What is written now stands where the cursor is seen.
        behind = value[min(cursor, len(value)) :]
        expected = Screen(columns)
        expected.write(f"above\r\n> {value[: len(value) - len(behind)]}")
        assert screen.line.rstrip() in (expected.line.rstrip(), "")
    line.hide()
    assert screen.text == "above\n"
    screen.write("more")
    assert screen.text == "above\nmore"


@given(TEXTS, st.integers(1, 30))
def test_a_text_is_cut_to_columns(text: str, columns: int) -> None:
    cut = fitted(text, columns=columns)
    assert cells(cut) <= columns
    joined = " ".join(text.split())
    assert cut == joined or (cut.endswith("…") and joined.startswith(cut[:-1]))


@pytest.mark.parametrize(("text", "width"), [("abc", 3), ("钟楼", 4), ("e\u0301", 1), ("", 0)])
def test_wide_characters_take_two_columns(text: str, width: int) -> None:
    assert cells(text) == width
