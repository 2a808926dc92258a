"""The five mistakes in argument JSON that have one reading (seed: 模型写错的参数 JSON).

Each rule looks for its own mistake and answers the corrected text, or None when the mistake is not
there. A rule corrects every place where its mistake occurs. No rule checks that its answer is JSON:
the caller parses it, and an answer that does not parse as it stands is no repair.

The rules exclude one another, because each is tied to the first place where the text stops being
JSON: after a complete value, behind a quote inside a value, at a `{` after a comma in an object, at
a closer of the wrong kind, or behind the key `"{"`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from covel_host.tools.arguments_scan import CLOSER_OF, STRING, Edit, edited, signs

Repair = Callable[[str], "str | None"]

MAX_EXTRA_CLOSERS = 4

_OPENERS = frozenset("[{")
_CLOSERS = frozenset("]}")
_OPENED_TWICE = re.compile(
    r'(?P<extra>\{[ \t\n\r]*+")(?=\{[ \t\n\r]*+"(?![ \t\n\r]*+:))|' + STRING, re.DOTALL
)


def drop_extra_closers(text: str) -> str | None:
    """Row 1: a complete value, then one to four `]` or `}` and nothing else."""
    depth = 0
    end = 0
    extra = 0
    for sign in signs(text):
        if end:
            extra += 1
            if sign.text not in _CLOSERS or extra > MAX_EXTRA_CLOSERS:
                return None
            continue
        depth += (sign.text in _OPENERS) - (sign.text in _CLOSERS)
        if depth <= 0:
            end = sign.offset + len(sign.text)
    return text[:end] if extra else None


def close_elements(text: str) -> str | None:
    """Row 3: in an object of an array a comma is followed by `{`; the `}` goes before the comma."""
    stack: list[str] = []
    edits = []
    previous = None
    for sign in signs(text):
        if sign.text in _OPENERS:
            starts_element = previous is not None and previous.text == "," and sign.text == "{"
            if previous is not None and starts_element and stack[-2:] == ["[", "{"]:
                edits.append(Edit(previous.offset, 0, "}"))
                stack.pop()
            stack.append(sign.text)
        elif sign.text in _CLOSERS and (not stack or CLOSER_OF[stack.pop()] != sign.text):
            return None
        previous = sign
    return edited(text, edits) if edits and not stack else None


def drop_stray_braces(text: str) -> str | None:
    """Row 4, first case: a `}` while an array is open innermost is one too many.

    A space takes its place, so that what stands on both sides never grows into one value.
    """
    stack: list[str] = []
    edits = []
    for sign in signs(text):
        if sign.text == "}" and stack[-1:] == ["["]:
            edits.append(Edit(sign.offset, 1, " "))
        elif sign.text in _OPENERS:
            stack.append(sign.text)
        elif sign.text in _CLOSERS and (not stack or CLOSER_OF[stack.pop()] != sign.text):
            return None
    return edited(text, edits) if edits and not stack else None


def exchange_last_closer(text: str) -> str | None:
    """Row 4, second case: the last bracket closes the outermost one and is of the wrong kind."""
    stack: list[str] = []
    wrong = None
    for sign in signs(text):
        if wrong is not None:
            return None
        if sign.text in _OPENERS:
            stack.append(sign.text)
        elif sign.text in _CLOSERS:
            if not stack:
                return None
            expected = CLOSER_OF[stack.pop()]
            if expected != sign.text:
                if stack:
                    return None
                wrong = Edit(sign.offset, 1, expected)
    return None if wrong is None else edited(text, [wrong])


def drop_repeated_openers(text: str) -> str | None:
    """Row 5: `{"{"` in front of a key; the first `{"` is one too many.

    `{"{":` is an object whose key is a brace and stays.
    """
    edits = list(_repeated_openers(text))
    return edited(text, edits) if edits else None


def close_open_brackets(text: str) -> str | None:
    """Texts inside a field only: the brackets still open at the end are closed."""
    stack: list[str] = []
    for sign in signs(text):
        if sign.text in _OPENERS:
            stack.append(sign.text)
        elif sign.text in _CLOSERS and (not stack or CLOSER_OF[stack.pop()] != sign.text):
            return None
    return text + "".join(CLOSER_OF[bracket] for bracket in reversed(stack)) if stack else None


def _repeated_openers(text: str) -> Iterator[Edit]:
    for match in _OPENED_TWICE.finditer(text):
        if extra := match["extra"]:
            yield Edit(match.start(), len(extra), "")


ALONE: tuple[Repair, ...] = (
    close_elements,
    drop_stray_braces,
    exchange_last_closer,
    drop_repeated_openers,
)
"""Rows 3 to 5: each is tried on the text as it came, never on another rule's answer."""
