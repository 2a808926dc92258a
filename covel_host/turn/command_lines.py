"""A player's command line as words with their places (spec/manifest.md 4.5). Pure."""

from dataclasses import dataclass
from typing import Final

from covel_host.turn.command_errors import CommandRefused

MAX_LINE_CHARACTERS: Final = 4_000

_QUOTES: Final = "\"'"
_ESCAPED: Final = '"\\'


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a line without its quotation marks; `start` to `end` is its place, marks too.

    Places count characters from 0, the end is behind the last one.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CommandLine:
    """A line that begins with `/`: the name behind it, and the words after that."""

    raw: str
    name: Word
    words: tuple[Word, ...]


def read_line(line: str) -> CommandLine:
    """The command that `line` names, and its words.

    Words are parted by white space. One that begins with `"` or `'` goes to the closing mark; in
    double quotes a backslash takes the meaning from a `"` or a backslash. Anywhere else in a word
    these characters stand for themselves, so that an apostrophe needs nothing.

    Raises:
        CommandRefused: `command-malformed`: no `/`, no name, a quotation that does not end, or a
            line over `MAX_LINE_CHARACTERS`.
    """
    if len(line) > MAX_LINE_CHARACTERS:
        raise _malformed(
            f"The line has {len(line):,} characters; a command takes {MAX_LINE_CHARACTERS:,}.",
            line[:MAX_LINE_CHARACTERS],
            (0, 1),
        )
    start = len(line) - len(line.lstrip())
    if not line.startswith("/", start):
        raise _malformed("A command begins with '/'.", line, (start, start + 1))
    end = start + 1
    while end < len(line) and not line[end].isspace():
        end += 1
    if end == start + 1:
        raise _malformed(
            "The '/' is not followed by a name.",
            line,
            (start, end),
            hint="/help lists the commands of this session.",
        )
    return CommandLine(line, Word(line[start + 1 : end], start, end), _words(line, end))


def written_word(text: str) -> str:
    """`text` as one word of a line, in quotation marks where it needs them."""
    is_plain = bool(text) and text[0] not in _QUOTES and not any(map(str.isspace, text))
    if is_plain:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _words(line: str, at: int) -> tuple[Word, ...]:
    words: list[Word] = []
    while True:
        while at < len(line) and line[at].isspace():
            at += 1
        if at == len(line):
            return tuple(words)
        word = _quoted(line, at) if line[at] in _QUOTES else _plain(line, at)
        words.append(word)
        at = word.end


def _plain(line: str, start: int) -> Word:
    end = start
    while end < len(line) and not line[end].isspace():
        end += 1
    return Word(line[start:end], start, end)


def _quoted(line: str, start: int) -> Word:
    mark, text, at = line[start], [], start + 1
    while at < len(line) and line[at] != mark:
        if mark == '"' and line[at] == "\\" and line[at + 1 : at + 2] in tuple(_ESCAPED):
            at += 1
        text.append(line[at])
        at += 1
    if at == len(line):
        raise _malformed(
            f"The quotation that begins with {mark} does not end.",
            line,
            (start, len(line)),
            hint=f"Close it with {mark}, or put the whole text into the other kind of marks.",
        )
    end = at + 1
    if end < len(line) and not line[end].isspace():
        raise _malformed(
            "There is text directly behind the closing quotation mark.",
            line,
            (end, end + 1),
            hint="Put a space behind the mark.",
        )
    return Word("".join(text), start, end)


def _malformed(
    message: str, line: str, place: tuple[int, int], *, hint: str | None = None
) -> CommandRefused:
    return CommandRefused(message, code="command-malformed", hint=hint, line=line, place=place)
