"""A field moved out of the object it is written in, for fields that an earlier format held there.

Only block style is moved: each member on lines of its own, so that the move takes whole lines with
their comments and changes nothing but their indentation.
"""

import re
from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.diagnostic import Fix
from covel_host.diagnostics.yaml_nodes import MapNode, Node, Path
from covel_host.diagnostics.yaml_repairs import line_end, line_start
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.repairs import written_at

_BLANK_OR_COMMENT: Final = re.compile(r"[ \t]*(?:#.*)?")
_ONLY_KEY: Final = re.compile(r"[ ]*[^\s#]+[ \t]*:[ \t]*")
_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class _Member:
    """Whole lines of one member of a block map, as offsets into the file."""

    start: int
    end: int
    indent: int


def move_out(frontmatter: Frontmatter, path: Path) -> Fix | None:
    """The member at `path` written one object further out, before the object that holds it.

    `None` when a field of its name is there already, or when the lines hold anything else.
    """
    field, holder_path = path[-1], path[:-1]
    outer = written_at(frontmatter, holder_path[:-1])
    holder = written_at(frontmatter, holder_path)
    if not isinstance(outer, MapNode) or not isinstance(holder, MapNode):
        return None
    if not isinstance(field, str) or field in outer.keys or "<<" in holder.keys:
        return None
    moved = _member(frontmatter, path)
    around = _member(frontmatter, holder_path)
    if moved is None or around is None or moved.indent <= around.indent:
        return None
    moved = _with_comments_above(frontmatter.source.text, moved)
    lines = _outdented(frontmatter.source.text[moved.start : moved.end], moved, around)
    if lines is None:
        return None
    offset = frontmatter.fields_offset
    title = f"Move {field!r} out of {holder_path[-1]!r}"
    first = (around.start - offset, around.start - offset, lines)
    if len(holder.keys) > 1:
        return frontmatter.fix(title, first, (moved.start - offset, moved.end - offset, ""))
    # The object would be left without a value: its line goes too, if nothing else is on it.
    text = frontmatter.source.text
    stop = line_end(text, around.start)
    if _ONLY_KEY.fullmatch(text, around.start, stop) is None or moved.end != around.end:
        return None
    if text[stop : moved.start].strip("\r\n"):
        return None
    return frontmatter.fix(title, (around.start - offset, around.end - offset, lines))


def _member(frontmatter: Frontmatter, path: Path) -> _Member | None:
    """The lines of the member at `path`; `None` if it shares one of them with something else."""
    holder, node = written_at(frontmatter, path[:-1]), written_at(frontmatter, path)
    if not isinstance(holder, MapNode) or node is None:
        return None
    text, offset = frontmatter.source.text, frontmatter.fields_offset
    key_start = holder.keys[str(path[-1])][0] + offset
    start = line_start(text, key_start)
    if text[start:key_start].strip(" "):
        return None
    end = _end(text, node, offset)
    stop = line_end(text, end)
    if _BLANK_OR_COMMENT.fullmatch(text, end, stop) is None:
        return None
    following = _LINES.match(text, stop)
    return _Member(start, stop if following is None else following.end(), key_start - start)


def _with_comments_above(text: str, member: _Member) -> _Member:
    """The lines of `member` and the comments directly above it that are indented like it."""
    start = member.start
    while start > 0:
        before = line_start(text, start - 1 - text.startswith("\r\n", start - 2))
        if not text.startswith(" " * member.indent + "#", before):
            break
        start = before
    return _Member(start, member.end, member.indent)


def _end(text: str, node: Node, offset: int) -> int:
    """Where the last written line of the value `node` ends; block texts end behind their lines."""
    start, end = node.start + offset, node.end + offset
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    return end


def _outdented(text: str, member: _Member, around: _Member) -> str | None:
    """`text` with its lines moved to the left; `None` when a line has no room for that."""
    less = member.indent - around.indent
    lines = []
    for line in _LINES.findall(text):
        if line.strip() and line[:less].strip(" "):
            return None
        lines.append(line[less:] if line.strip() else line)
    return "".join(lines)
