"""A player's line as words with places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covel_host.turn.command_errors import CommandRefused
from covel_host.turn.command_lines import MAX_LINE_CHARACTERS, read_line, written_word


@pytest.mark.parametrize(
    ("line", "name", "words"),
    [
        ("/roll", "roll", []),
        ("/roll 2d6 1", "roll", ["2d6", "1"]),
        ("  /roll\t2d6\n", "roll", ["2d6"]),
        ('/note "two words" x', "note", ["two words", "x"]),
        ("/note 'two words'", "note", ["two words"]),
        ('/note ""', "note", [""]),
        (r'/note "a \"b\" \\ \n"', "note", [r'a "b" \ \n']),
        (r"/note 'a \' b", "note", ["a \\", "b"]),
        ("/note don't stop", "note", ["don't", "stop"]),
        ('/note 5"', "note", ['5"']),
        ("/骰子 二", "骰子", ["二"]),
        ("/satchel/roll", "satchel/roll", []),
        ("/roll\u30002d6", "roll", ["2d6"]),
    ],
)
def test_words_are_parted_by_space_and_joined_by_quotes(
    line: str, name: str, words: list[str]
) -> None:
    read = read_line(line)
    assert read.name.text == name
    assert [word.text for word in read.words] == words


def test_places_count_characters_and_take_the_marks_in() -> None:
    read = read_line('/note "two words" x')
    assert [(word.start, word.end) for word in (read.name, *read.words)] == [
        (0, 5),
        (6, 17),
        (18, 19),
    ]


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("", (0, 1), "begins with '/'"),
        ("roll", (0, 1), "begins with '/'"),
        ("/", (0, 1), "not followed by a name"),
        ("/ roll", (0, 1), "not followed by a name"),
        ('/note "open', (6, 11), "does not end"),
        ("/note 'tis", (6, 10), "does not end"),
        (r'/note "open\"', (6, 13), "does not end"),
        ('/note "a"b', (9, 10), "directly behind"),
        ("/" + "x" * MAX_LINE_CHARACTERS, (0, 1), "4,001 characters"),
    ],
)
def test_a_line_that_cannot_be_read_says_where(
    line: str, place: tuple[int, int], message: str
) -> None:
    with pytest.raises(CommandRefused, match=message) as refused:
        read_line(line)
    assert (refused.value.code, refused.value.place) == ("command-malformed", place)


@given(st.lists(st.text(min_size=0, max_size=20), max_size=6))
def test_written_words_are_read_back(texts: list[str]) -> None:
    line = " ".join(["/say", *map(written_word, texts)])
    read = read_line(line)
    assert [word.text for word in read.words] == texts
    for word in read.words:
        assert line[word.start : word.end] == written_word(word.text)
