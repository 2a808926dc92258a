"""Characters on which YAML 1.2 and the parser, which grew up with YAML 1.1, do not agree."""

import re
from collections.abc import Iterable
from typing import Final

from covel_host.diagnostics.yaml_nodes import YamlProblem

BYTE_ORDER_MARK: Final = "\ufeff"
# YAML's own set of characters that may stand in a text (YAML 1.2, c-printable).
_FORBIDDEN: Final = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\\A\ufeff"
)
# Line ends in YAML 1.1; any other character in YAML 1.2, as texts pasted from elsewhere hold them.
_OLD_LINE_ENDS: Final = "\x85\u2028\u2029"
_ANY_OLD_LINE_END: Final = re.compile(f"[{_OLD_LINE_ENDS}]")
_PRIVATE_USE: Final = range(0xE000, 0xF900)


def control_character(text: str) -> YamlProblem | None:
    """The first character that YAML does not allow anywhere, `None` for a clean text."""
    found = _FORBIDDEN.search(text)
    return None if found is None else _not_allowed(found.group(), found.start())


def stray_byte_order_mark(text: str, quoted: Iterable[tuple[int, int]]) -> YamlProblem | None:
    """The first byte-order mark outside the texts in quotes at `quoted`, where it may stand."""
    inside = {
        at for start, end in quoted for at in range(start, end) if text[at] == BYTE_ORDER_MARK
    }
    for found in re.finditer(BYTE_ORDER_MARK, text):
        if found.start() not in inside:
            return _not_allowed(found.group(), found.start())
    return None


def without_old_line_ends(text: str) -> tuple[str, dict[int, str] | None]:
    """`text` as long as it was, with stand-ins for old line ends; and how to put them back.

    The second value is for `str.translate`, `None` when there is nothing to put back. A text that
    uses every character for private use stays as it is.
    """
    if _ANY_OLD_LINE_END.search(text) is None:
        return text, None
    free = [code for code in _PRIVATE_USE if chr(code) not in text][: len(_OLD_LINE_ENDS)]
    if len(free) < len(_OLD_LINE_ENDS):
        return text, None
    put = {ord(end): chr(code) for end, code in zip(_OLD_LINE_ENDS, free, strict=True)}
    return text.translate(put), dict(zip(free, _OLD_LINE_ENDS, strict=True))


def _not_allowed(character: str, at: int) -> YamlProblem:
    code = ord(character)
    escape = f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    return YamlProblem(
        "yaml-control-character",
        f"the character U+{code:04X} is not allowed in YAML",
        at,
        at + 1,
        hint=f'Remove it, or write it as an escape inside double quotes: "{escape}".',
    )
