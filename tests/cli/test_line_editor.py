"""What keys do to a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.cli.line_editor import LineEditor

LEFT, RIGHT, UP, DOWN, HOME, END = "\x1b[D", "\x1b[C", "\x1b[A", "\x1b[B", "\x1b[H", "\x1b[F"
DELETE, ENTER, BACK, FORGET = "\x1b[3~", "\n", "\x7f", "\x15"


def typed(*keys: str) -> tuple[list[str | None], str, int]:
    """The lines that were entered, the one that is left, and where its cursor is."""
    editor = LineEditor()
    entered = [line for key in keys for line in editor.feed(key)]
    return entered, editor.text, editor.cursor


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        (["look"], "look", 4),
        (["look", BACK], "loo", 3),
        (["看钟", BACK], "看", 1),
        ([BACK, LEFT, RIGHT, DELETE, UP, DOWN], "", 0),
        (["ok", HOME, "l", RIGHT, "o"], "look", 3),
        (["look", LEFT, LEFT, DELETE], "lok", 2),
        (["look", "\x01", "\x04"], "ook", 0),
        (["go  north east", "\x17"], "go  north ", 10),
        (["go north ", "\x17"], "go ", 3),
        (["north", "\x17", "\x17"], "", 0),
        (["go north", HOME, RIGHT, "\x0b"], "g", 1),
        (["go north", LEFT, LEFT, FORGET], "th", 0),
        # A mark stands on the letter before it and goes with it.
        (["me\N{COMBINING ACUTE ACCENT}", BACK], "m", 1),
        (["e\N{COMBINING ACUTE ACCENT}", LEFT, "x"], "xe\N{COMBINING ACUTE ACCENT}", 1),
        # Alt with a letter, function keys, Escape by itself, Tab and bells are nothing.
        (["a", "\x1bb", "\x1b[15~", "\x1bOP", "\x1b", "\t\x07", "b"], "ab", 2),
    ],
)
def test_keys_edit_the_line(keys: list[str], text: str, cursor: int) -> None:
    assert typed(*keys) == ([], text, cursor)


def test_enter_gives_the_line_and_begins_another() -> None:
    assert typed("one\ntwo\r", "th") == (["one", "two"], "th", 2)


def test_the_end_of_input_is_a_key_on_an_empty_line_only() -> None:
    assert typed("\x04") == ([None], "", 0)
    assert typed("ab", "\x04") == ([], "ab", 2)


def test_a_sequence_may_come_in_pieces() -> None:
    assert typed("ab", "\x1b[", "1", "~", "x") == ([], "xab", 1)


def test_lines_before_are_fetched_back_and_the_one_begun_is_kept() -> None:
    editor = LineEditor()
    seen = []
    for keys in ("north\n", "south\n", "south\n", " \n", "ea", UP, UP, UP, DOWN, DOWN, DOWN):
        list(editor.feed(keys))
        seen.append(editor.text)
    assert seen[5:] == ["south", "north", "north", "south", "ea", "ea"]


def test_what_is_pasted_is_one_line() -> None:
    assert typed("\x1b[200~I go.\r\nThen\tI rest.\n\x1b[201~", "\n") == (
        ["I go.  Then I rest. "],
        "",
        0,
    )


def test_a_long_paste_is_taken_at_once() -> None:
    text = "钟 " * 50_000
    assert typed(f"\x1b[200~{text}\x1b[201~", "\n")[0] == [text]


@given(st.lists(st.text(max_size=5) | st.sampled_from([LEFT, RIGHT, UP, HOME, BACK, DELETE])))
def test_the_cursor_stays_in_the_line_and_no_control_gets_into_it(keys: list[str]) -> None:
    _, text, cursor = typed(*keys)
    assert 0 <= cursor <= len(text)
    assert all(char.isprintable() or not char.isascii() for char in text)
