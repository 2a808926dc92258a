"""The lines of `covel dev`."""

import pytest

from covel_host.cli.dev_lines import (
    HELP,
    Line,
    Nothing,
    Quit,
    RunAgain,
    RunThis,
    ShowHelp,
    Unknown,
    parse_line,
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", Nothing()),
        ("   ", Nothing()),
        ("r", RunAgain()),
        (" r ", RunAgain()),
        ("r echo", RunThis("echo")),
        ("r echo/bell", RunThis("echo/bell")),
        ("r echo I go north.", RunThis("echo", message="I go north.")),
        ("r  echo   two  spaces ", RunThis("echo", message="two  spaces")),
        ('r echo {"value": "x"}', RunThis("echo", payload='{"value": "x"}')),
        ("r echo {broken", RunThis("echo", payload="{broken")),
        ("?", ShowHelp()),
        ("help", ShowHelp()),
        ("q", Quit()),
        ("quit", Quit()),
        ("q now", Unknown("q now")),
        ("run echo", Unknown("run echo")),
        ("R", Unknown("R")),
    ],
)
def test_a_line_is_one_of_few(text: str, line: Line) -> None:
    assert parse_line(text) == line


@pytest.mark.parametrize("word", ["r", "r ID", "?", "q"])
def test_the_help_names_every_line(word: str) -> None:
    assert any(line.startswith(f"{word} ") for line in HELP.splitlines())
