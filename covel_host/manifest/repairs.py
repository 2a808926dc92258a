"""Safe edits of one frontmatter for mistakes with one reading; `None` where there are several.

Every edit leaves comments and all other lines as they are. Values behind an alias or a merge are
never edited: they are written once and meant in several places.
"""

import re
from typing import Final

from covel_host.diagnostics.diagnostic import Fix
from covel_host.diagnostics.yaml_nodes import ListNode, MapNode, Node, Path
from covel_host.diagnostics.yaml_repairs import in_double_quotes
from covel_host.manifest.frontmatter import Frontmatter

_BETWEEN_ITEMS: Final = re.compile(r"[ \t]*,[ \t]*")
# What may stand unquoted between brackets.
_BARE_ITEM: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.@/-]*")


def written_at(frontmatter: Frontmatter, path: Path) -> Node | None:
    """The node at `path` if it is written there, and not behind an alias or a merge."""
    found = frontmatter.document.root
    for part in path:
        inner = None if found is None else found.child(part)
        if found is None or inner is None or inner.start < _earliest(found, part):
            return None
        found = inner
    return found


def _earliest(holder: Node, part: str | int) -> int:
    """Where the value `part` of `holder` starts at the earliest; what is aliased lies before."""
    if isinstance(holder, MapNode) and isinstance(part, str):
        key = holder.keys.get(part, (holder.end, holder.end))
        return max(key[1], holder.start)
    if isinstance(holder, ListNode) and isinstance(part, int) and part > 0:
        return max(holder.items[part - 1].end, holder.start)
    return holder.start


def source_text(frontmatter: Frontmatter, start: int, end: int) -> str:
    """The text of the file between two offsets into its YAML."""
    offset = frontmatter.fields_offset
    return frontmatter.source.text[start + offset : end + offset]


def is_plain(frontmatter: Frontmatter, path: Path) -> bool:
    """Whether the value at `path` is a scalar written there without quotes, on one line."""
    node = written_at(frontmatter, path)
    return (
        node is not None
        and bool(node.text)
        and source_text(frontmatter, node.start, node.end) == node.text
    )


def rename_key(frontmatter: Frontmatter, path: Path, new: str) -> Fix | None:
    """The key at `path` as `new`, quotes kept; `None` where `new` is already written beside it."""
    holder = written_at(frontmatter, path[:-1])
    old = path[-1]
    if not isinstance(holder, MapNode) or not isinstance(old, str) or new in holder.keys:
        return None
    start, end = holder.keys.get(old, (-1, -1))
    if not holder.start <= start <= end <= holder.end:
        return None
    written = source_text(frontmatter, start, end)
    if written in (f'"{old}"', f"'{old}'"):
        start, end = start + 1, end - 1
    elif written != old:
        return None
    return frontmatter.fix(f"Rename {old!r} to {new!r}", (start, end, new))


def replace_plain(frontmatter: Frontmatter, path: Path, new: str) -> Fix | None:
    """The unquoted value at `path` replaced by the text `new` of another one."""
    node = written_at(frontmatter, path)
    if node is None or not is_plain(frontmatter, path):
        return None
    return frontmatter.fix(f"Write {new} for {node.text}", (node.start, node.end, new))


def quote(frontmatter: Frontmatter, path: Path) -> Fix | None:
    """Double quotes around the unquoted value at `path`, so that it is a text."""
    node = written_at(frontmatter, path)
    if node is None or node.text is None or not is_plain(frontmatter, path):
        return None
    quoted = in_double_quotes(node.text)
    return frontmatter.fix(f"Write {quoted}", (node.start, node.end, quoted))


def unquote(frontmatter: Frontmatter, path: Path) -> Fix | None:
    """The quotes around the value at `path` taken away, so that it is no text."""
    node = written_at(frontmatter, path)
    if node is None or not node.text:
        return None
    if source_text(frontmatter, node.start, node.end) not in (f'"{node.text}"', f"'{node.text}'"):
        return None
    return frontmatter.fix(f"Write {node.text} without quotes", (node.start, node.end, node.text))


def as_list(frontmatter: Frontmatter, path: Path) -> Fix | None:
    """Brackets around the text at `path`, so that it is a list of one."""
    node = written_at(frontmatter, path)
    if node is None or node.text is None or _BARE_ITEM.fullmatch(node.text) is None:
        return None
    written = source_text(frontmatter, node.start, node.end)
    if written not in (node.text, f'"{node.text}"', f"'{node.text}'"):
        return None
    return frontmatter.fix(f"Write a list: [{written}]", (node.start, node.end, f"[{written}]"))


def remove_item(frontmatter: Frontmatter, path: Path) -> Fix | None:
    """The list item at `path`, which is not the first, taken out together with its separator."""
    holder, index = written_at(frontmatter, path[:-1]), path[-1]
    node = written_at(frontmatter, path)
    if not isinstance(holder, ListNode) or not isinstance(index, int) or index < 1:
        return None
    if node is None or node.text is None:
        return None
    written = source_text(frontmatter, node.start, node.end)
    if written not in (node.text, f'"{node.text}"', f"'{node.text}'"):
        return None
    title = f"Remove the second {written}"
    if source_text(frontmatter, holder.start, holder.start + 1) == "[":
        before = holder.items[index - 1].end
        if _BETWEEN_ITEMS.fullmatch(source_text(frontmatter, before, node.start)) is None:
            return None
        return frontmatter.fix(title, (before, node.end, ""))
    return _without_line(frontmatter, node, written, title)


def _without_line(frontmatter: Frontmatter, node: Node, written: str, title: str) -> Fix | None:
    """The whole line of a block list's item removed, if nothing else stands on it."""
    source, offset = frontmatter.source, frontmatter.fields_offset
    line, column = source.position(node.start + offset)
    if re.fullmatch(rf"[ ]*-[ ]+{re.escape(written)}[ \t]*", source.line_text(line)) is None:
        return None
    start = node.start - (column - 1)
    end = start + len(source.line_text(line))
    following = source_text(frontmatter, end, end + 2)
    end += 2 if following == "\r\n" else 1
    return frontmatter.fix(title, (start, end, ""))
