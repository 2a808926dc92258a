import pytest

from covel_host.catalog.foreign_text import error_text, one_line, value_text


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ValueError("no such note."), "ValueError: no such note"),
        (ValueError(), "ValueError"),
        (KeyError("key"), "KeyError: 'key'"),
        (SyntaxError("invalid", ("file.py", 3, 1, "x")), "SyntaxError: invalid"),
        (ValueError("one\n  two\tthree"), "ValueError: one two three"),
        (type("N" * 1_000, (Exception,), {})("x"), "N" * 79 + "…: x"),
    ],
)
def test_an_error_is_its_type_and_message_on_one_line(error: Exception, text: str) -> None:
    assert error_text(error) == text


def test_a_value_is_shown_or_at_least_named() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise SystemExit

    assert value_text([1, "a"]) == "[1, 'a']"
    assert value_text("x" * 100) == "'" + "x" * 78 + "…"
    assert value_text(Mute()) == "a value of type 'Mute'"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("short", "short"),
        ("exactly10!", "exactly10!"),
        ("eleven char", "eleven ch…"),
        ("a\x1b[0m\ud800", "a\ufffd[0m\ufffd"),
        (" " * 100 + "late", "…"),
    ],
)
def test_a_line_is_cut_at_its_limit(text: str, line: str) -> None:
    assert one_line(text, 10) == line
