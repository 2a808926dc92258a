"""The line of a key in a TOML text, which the standard library's parser does not tell."""

import re

_HEADER = re.compile(r"^\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*([^=#\[\]]+?)\s*=")


def line_of(text: str, table: tuple[str, ...], key: str) -> int:
    """The line (from 1) that sets `key` of `table`, or opens that sub-table.

    Falls back to the table's own line, then to 1, where the key is written in a form this reading
    does not know (inside an inline table, say): an approximate place beats none.
    """
    current: tuple[str, ...] = ()
    nearest = 1
    wanted = (*table, key)
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            current = _parts(header.group(1))
            if current[: len(wanted)] == wanted:
                return number
            if current == table:
                nearest = number
        elif found := _KEY.match(line):
            path = (*current, *_parts(found.group(1)))
            if path[: len(wanted)] == wanted:
                return number
    return nearest


def _parts(dotted: str) -> tuple[str, ...]:
    found = re.findall(r'"([^"]*)"|\'([^\']*)\'|([^.\s"\']+)', dotted)
    return tuple("".join(groups) for groups in found)
