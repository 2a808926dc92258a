"""The changes of fixes as a unified difference."""

from collections.abc import Callable
from difflib import unified_diff

from covel_host.diagnostics.fixes import FileChange, FixPlan
from covel_host.diagnostics.source import split_lines

_NO_LINE_END = "\\ No newline at end of file\n"


def diff_text(plan: FixPlan, *, path: Callable[[str, str], str] | None = None) -> str:
    """The unified difference of all changes, files in order; empty without changes.

    `path` gives the name of a plugin's file, `plugin/file` unless given. A renamed file has the
    lines that version control writes for one. Lines keep their own line ends.
    """
    named = path if path is not None else _joined
    changes = sorted(plan.changes, key=lambda change: (change.plugin, change.file))
    return "".join(_file_diff(change, named) for change in changes)


def _joined(plugin: str, file: str) -> str:
    return f"{plugin}/{file}"


def _file_diff(change: FileChange, named: Callable[[str, str], str]) -> str:
    old, new = named(change.plugin, change.file), named(change.plugin, change.new_file)
    lines = [f"rename from {old}\n", f"rename to {new}\n"] if old != new else []
    before, after = change.before or "", change.after or ""
    changed = unified_diff(split_lines(before), split_lines(after), f"a/{old}", f"b/{new}")
    lines += (
        line if line.endswith(("\n", "\r")) else f"{line}\n{_NO_LINE_END}" for line in changed
    )
    return "".join(lines)
