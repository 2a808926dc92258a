"""Row 2 of the argument repairs: quotes inside a string value that were not escaped.

The quote that ends a string is followed by `,`, `}`, `]`, `:` or the end of the text; a quote
followed by anything else belongs to the value. Such quotes are escaped only when they come in
pairs, and never in a key (seed: 模型写错的参数 JSON).
"""

from __future__ import annotations

import re

from covel_host.tools.arguments_scan import STRING, Edit, edited, skip_white_space

_STRUCTURE = re.compile(r'["{}\[\],:]')
_KEY = re.compile(STRING, re.DOTALL)
_QUOTE = re.compile(r'\\.|"', re.DOTALL)
_AFTER_VALUE = frozenset(",}]")
_JSON_SIGNS = re.compile(r"(?:[ \t\n\r{}\[\],:+]|-?[0-9][0-9.eE+-]*+|true|false|null)*+")
_BEFORE_STRING = frozenset("[{,:+")


def escape_inner_quotes(text: str) -> str | None:
    """`text` with the quotes inside its string values escaped; None when no value has any."""
    stack: list[str] = []
    at_key = False
    edits: list[Edit] = []
    match = _STRUCTURE.search(text)
    while match is not None:
        sign, end = match[0], match.end()
        if sign == '"':
            string_end = _key_end(text, match.start()) if at_key else _value_end(text, end, edits)
            if string_end is None:
                return None
            end = string_end
        elif sign in "[{":
            stack.append(sign)
        elif sign in "]}" and stack:
            stack.pop()
        at_key = sign == "{" or (sign == "," and stack[-1:] == ["{"])
        match = _STRUCTURE.search(text, end)
    return edited(text, edits) if edits else None


def _key_end(text: str, start: int) -> int | None:
    match = _KEY.match(text, start)
    if match is None or _next_sign(text, match.end()) != ":":
        return None
    return match.end()


def _value_end(text: str, start: int, edits: list[Edit]) -> int | None:
    """The offset behind the value's closing quote; its inner quotes go to `edits`."""
    inner: list[int] = []
    for match in _QUOTE.finditer(text, start):
        if match[0] != '"':
            continue
        after = _next_sign(text, match.end())
        if not after or after in _AFTER_VALUE:
            if not _in_pairs(text, inner):
                return None
            edits += [Edit(offset, 0, "\\") for offset in inner]
            return match.end()
        if after == ":":
            return None
        inner.append(match.start())
    return None


def _in_pairs(text: str, quotes: list[int]) -> bool:
    pairs = zip(quotes[::2], quotes[1::2], strict=False)
    return len(quotes) % 2 == 0 and not any(
        _separates_strings(text[opening + 1 : closing]) for opening, closing in pairs
    )


def _separates_strings(quoted: str) -> bool:
    """Whether two quotes with `quoted` between them end one string and start the next.

    Nothing stands there but JSON, up to the separator in front of the next string: a comma is
    missing or wrong, and that is not repaired. A quoted `12:30` is none, it ends with a digit.
    """
    quoted = quoted.strip(" \t\n\r")
    if not quoted:
        return True
    return quoted[-1] in _BEFORE_STRING and _JSON_SIGNS.fullmatch(quoted) is not None


def _next_sign(text: str, offset: int) -> str:
    offset = skip_white_space(text, offset)
    return text[offset : offset + 1]
