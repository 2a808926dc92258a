"""Repairs of YAML syntax errors, for the mistakes that have exactly one reading.

Each function looks at the text around one reported place and answers `None` as soon as the text
could have been meant in another way.
"""

import re
from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.yaml_nodes import Repair, Replacement

_LINE: Final = re.compile(r"[^\r\n]*")
_BREAK: Final = re.compile(r"\r\n|\r|\n")
_MEMBER: Final = re.compile(
    r"""(?P<indent>[ ]*+(?P<dash>-[ ]++)*+)(?P<key>[^\s:#'"\[\]{},&*!|>%@`?-][^:#'"\[\]{}]*+)"""
    r""":[ \t]++(?P<value>\S.*)"""
)
_KEY: Final = re.compile(r"[^\s:#][^:#]*:(?:[ \t].*)?")
# Possessive and anchored to the start of the blanks, so that long runs of them are passed once.
_COMMENT: Final = re.compile(r"(?<![ \t])[ \t]++#.*\Z")
# A value that starts so is a quoted text, a list, a map, an alias or a block, not a plain text.
_NOT_PLAIN: Final = frozenset("\"'[]{}&*!|>%@`#,")
_NO_CONTENT: Final = re.compile(r"[ \t]*(?:#.*)?")
_INDENTATION: Final = re.compile(r"[ \t]*")
_SPACES_ONLY: Final = re.compile(r"(?:\A|(?<=[\r\n]))( +)[^\s]")
TAB_WIDTHS: Final = (2, 4, 8)


def quoted_value(text: str, at: int) -> Repair | None:
    """Double quotes around the value with the colon at `at`.

    Only for `key: value` on a line of its own in a block map, with a plain value that ends there.
    """
    start = line_start(text, at)
    line = _line(text, start)
    member = _MEMBER.fullmatch(line)
    if member is None or start + member.start("value") > at:
        return None
    value = _COMMENT.sub("", member["value"]).rstrip()
    if at >= start + member.start("value") + len(value):
        return None
    if value[0] in _NOT_PLAIN or value.startswith(("- ", "? ")):
        return None
    below, column = _content_below(text, start + len(line)), len(member["indent"])
    if len(below) - len(below.lstrip()) > column:
        return None  # the value goes on below, or is a map after all
    if member["dash"] and not (below[:column].isspace() and _KEY.fullmatch(below, column)):
        return None  # `- Note: this: that` may be one text; with a key below it is a map
    begin = start + member.start("value")
    return Repair(
        f"Put the value of `{member['key'].rstrip()}` in double quotes",
        ((begin, begin + len(value), in_double_quotes(value)),),
    )


def in_double_quotes(value: str) -> str:
    """`value`, which has no line end, as a YAML text in double quotes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def spaced_indentation(text: str, at: int, width: int) -> Repair:
    """Spaces for the tabs that indent the line with the tab at `at` and the lines after it."""
    edits: list[Replacement] = []
    for start, stop in _tab_indented(text, line_start(text, at)):
        edits.append((start, stop, text[start:stop].replace("\t", " " * width)))
    lines = "1 line" if len(edits) == 1 else f"{len(edits):,} lines"
    return Repair(f"Indent {lines} with spaces instead of tabs", tuple(edits))


def tab_widths(text: str) -> tuple[int, ...]:
    """Widths a tab may have been meant as, the one that fits the other lines of `text` first."""
    used = [len(found[1]) for found in _SPACES_ONLY.finditer(text)]
    first = min(used, default=TAB_WIDTHS[0])
    return (first, *(width for width in TAB_WIDTHS if width != first))


def line_start(text: str, at: int) -> int:
    """The offset of the first character of the line around `at`."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end(text: str, at: int) -> int:
    """The offset behind the last character of the line around `at`, its line end left out."""
    found = _BREAK.search(text, at)
    return len(text) if found is None else found.start()


def _line(text: str, start: int) -> str:
    return text[start : line_end(text, start)]


def _lines_from(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Start and text of each line from the one that starts at `start`."""
    while start <= len(text):
        line = _line(text, start)
        yield start, line
        found = _BREAK.match(text, start + len(line))
        if found is None:
            return
        start = found.end()


def _content_below(text: str, end: int) -> str:
    """The first line with content below the one that ends at `end`; empty when there is none."""
    found = _BREAK.match(text, end)
    if found is None:
        return ""
    lines = (line for _, line in _lines_from(text, found.end()))
    return next((line for line in lines if not _NO_CONTENT.fullmatch(line)), "")


def _tab_indented(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The indentations with tabs of the lines from `start` on, up to the first line without."""
    for begin, line in _lines_from(text, start):
        found = _INDENTATION.match(line)
        indentation = "" if found is None else found.group()
        if indentation == line:
            continue  # a blank line
        if "\t" not in indentation:
            return
        yield begin, begin + len(indentation)
