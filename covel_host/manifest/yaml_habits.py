"""Unquoted texts that tools of YAML 1.1 read as something else: `no`, `12:30`, `2026-01-02`.

The host reads them as texts, which is what their fields hold. A note says what other tools make of
them.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.diagnostics.yaml_nodes import ListNode, MapNode, Node, Path
from covel_host.diagnostics.yaml_scalars import BASE_SIXTY, OLD_TRUTH
from covel_host.manifest.frontmatter import Frontmatter

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?")
# Finds any file worth walking through; most files have no such word.
_ANY: Final = re.compile(
    r"[-:,\[{?]\s*+(?:(?:yes|no|on|off)(?=[\s,\]}]|\Z)"
    r"|[-+]?[0-9]+:[0-5]?[0-9]|[0-9]{4}-[0-9]+-[0-9])",
    re.IGNORECASE,
)


def habit_notes(frontmatter: Frontmatter, *, reported: Collection[Path]) -> Iterator[Diagnostic]:
    """A note for each such text of `frontmatter`, except at the paths that are `reported` wrong."""
    root = frontmatter.document.root
    start = frontmatter.fields_offset
    if root is None or _ANY.search(frontmatter.source.text, start, start + root.end) is None:
        return
    from covel_host.manifest.repairs import is_plain

    for path, node in _texts(root, ()):
        other = _other_reading(node.text or "")
        if other is not None and path not in reported and is_plain(frontmatter, path):
            yield _note(frontmatter, path, node.text or "", other)


def _note(frontmatter: Frontmatter, path: Path, text: str, other: str) -> Diagnostic:
    from covel_host.manifest.repairs import quote

    # What type a default has is decided by its setting, so quotes need not be what was meant.
    fix = None if path[-1:] == ("default",) else quote(frontmatter, path)
    return frontmatter.report(
        "yaml-read-differently",
        f"`{dotted(path)}` is {text}, which YAML 1.2 reads as a text and tools of YAML 1.1 as "
        f"{other}.",
        path=path,
        hint=f'Put it in quotes: "{text}".',
        fix=fix,
    )


def _other_reading(text: str) -> str | None:
    """What YAML 1.1 makes of the unquoted `text`; `None` when it is a text there too."""
    meant = OLD_TRUTH.get(text.lower())
    if meant is not None:
        return meant
    if BASE_SIXTY.fullmatch(text):
        return "a number to base 60"
    return "a date" if _DATE.fullmatch(text) else None


def _texts(node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    """Every text below `node` with its path, in order; aliased ones where they are written."""
    waiting: list[tuple[Path, Node]] = [(path, node)]
    seen: set[int] = set()
    while waiting:
        at, found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, MapNode):
            members = reversed(found.members.items())
            waiting += (((*at, key), member) for key, member in members)
        elif isinstance(found, ListNode):
            items = reversed(list(enumerate(found.items)))
            waiting += (((*at, index), item) for index, item in items)
        elif isinstance(found.value, str):
            yield at, found
