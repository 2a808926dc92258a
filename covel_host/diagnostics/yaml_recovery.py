"""Reading on after a syntax error with one reading, as if it were repaired.

One wrong character would otherwise hide every other problem of its file. Places stay those of the
text as it is written.
"""

from dataclasses import replace
from typing import Final

from covel_host.diagnostics.yaml_composer import compose
from covel_host.diagnostics.yaml_nodes import (
    ListNode,
    MapNode,
    Node,
    Repair,
    Replacement,
    YamlProblem,
)
from covel_host.diagnostics.yaml_repairs import (
    line_end,
    line_start,
    quoted_value,
    spaced_indentation,
    tab_widths,
)

# A file with more such mistakes is shown the first ones; each costs one more pass over the text.
MAX_REPAIRS: Final = 20
# Far beyond any frontmatter; keeps a hostile file from being read many times.
MAX_LENGTH: Final = 256 * 1024

Reading = tuple[Node | None, list[YamlProblem]]


def read_on(
    text: str, problems: list[YamlProblem], *, max_nodes: int, max_depth: int, tabs: bool = True
) -> Reading:
    """The root and problems of `text`, whose reading ended with the last of `problems`.

    The root is `None` when the text cannot be read even with its repairs. Tabs are left as they
    are without `tabs`.
    """
    done: list[Replacement] = []
    repaired: list[YamlProblem] = []
    root: Node | None = None
    current = text
    while root is None and problems and len(text) <= MAX_LENGTH and len(repaired) < MAX_REPAIRS:
        stopper = problems[-1]
        repair = _repair(current, stopper, max_nodes, max_depth, tabs)
        if repair is None or not repair.edits:
            break
        changed = applied(current, repair.edits)
        new_root, new_problems = compose(changed, max_nodes=max_nodes, max_depth=max_depth)
        if new_root is None and not _further(stopper, new_problems, repair, changed):
            break
        original = Repair(
            repair.title,
            tuple((_back(s, done), _back(e, done), put) for s, e, put in repair.edits),
        )
        repaired.append(replace(_moved(stopper, done), repair=original))
        done = sorted([*done, *original.edits])
        current, root, problems = changed, new_root, new_problems
    if root is not None and done:
        _move_nodes(root, done)
    return root, [*repaired, *(_moved(problem, done) for problem in problems)]


def applied(text: str, edits: tuple[Replacement, ...]) -> str:
    """`text` with `edits`, which are in order and do not overlap, made."""
    parts, at = [], 0
    for start, end, put in edits:
        parts += [text[at:start], put]
        at = end
    return "".join([*parts, text[at:]])


def _repair(
    text: str, problem: YamlProblem, max_nodes: int, max_depth: int, tabs: bool
) -> Repair | None:
    if problem.name == "yaml-unquoted-colon":
        return quoted_value(text, problem.start)
    if problem.name == "yaml-tab" and tabs:
        return _unambiguous_indentation(text, problem.start, max_nodes, max_depth)
    return None


def _unambiguous_indentation(text: str, at: int, max_nodes: int, max_depth: int) -> Repair | None:
    """Spaces for tabs, if the text means the same whatever the width of a tab was."""
    values: list[object] = []
    chosen: Repair | None = None
    for width in tab_widths(text):
        repair = spaced_indentation(text, at, width)
        if not repair.edits or at >= repair.edits[0][1]:
            return None
        # What comes below has mistakes of its own, and is looked at in its turn.
        stop = line_end(text, repair.edits[-1][1])
        changed = applied(text[:stop], repair.edits)
        limits = {"max_nodes": max_nodes, "max_depth": max_depth}
        root, problems = compose(changed, **limits)
        if root is None and problems:
            root, _ = read_on(changed, problems, **limits, tabs=False)
        if root is None:
            continue
        values.append(root.value)
        chosen = chosen if chosen is not None else repair
    return chosen if all(value == values[0] for value in values) else None


def _further(
    stopper: YamlProblem, problems: list[YamlProblem], repair: Repair, changed: str
) -> bool:
    """Whether the text, repaired for `stopper`, is read further than before."""
    if not problems:
        return True
    if stopper.name == "yaml-tab":
        return problems[-1].name != "yaml-tab" or problems[-1].start > repair.edits[-1][0]
    grown = sum(len(put) - (end - start) for start, end, put in repair.edits)
    last = line_end(changed, repair.edits[-1][1] + grown)
    return line_start(changed, problems[-1].start) > last


def _back(offset: int, edits: list[Replacement]) -> int:
    """The offset in the text as written for `offset` in the text with `edits` made."""
    shift = 0
    for start, end, put in edits:
        begin = start + shift
        if offset <= begin:
            break
        if offset < begin + len(put):
            return start
        shift += len(put) - (end - start)
    return offset - shift


def _moved(problem: YamlProblem, edits: list[Replacement]) -> YamlProblem:
    if not edits:
        return problem
    first = problem.first
    return replace(
        problem,
        start=_back(problem.start, edits),
        end=_back(problem.end, edits),
        first=None if first is None else (_back(first[0], edits), _back(first[1], edits)),
    )


def _move_nodes(root: Node, edits: list[Replacement]) -> None:
    """Give the nodes below `root` their places in the text as written; aliased ones once."""
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        node.start, node.end = _back(node.start, edits), _back(node.end, edits)
        if isinstance(node, ListNode):
            waiting += node.items
        elif isinstance(node, MapNode):
            node.keys = {
                key: (_back(start, edits), _back(end, edits))
                for key, (start, end) in node.keys.items()
            }
            waiting += node.members.values()
