"""Fixes collected, made in memory and shown as a difference; `fix_files` writes them.

Nothing here reads or writes a file.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from covel_host.diagnostics.diagnostic import Diagnostic, TextEdit
from covel_host.diagnostics.source import SourceLookup


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a package before and after its fixes; `new_file` is its name afterwards.

    `before` is the text as it was read, `None` when it is only renamed and its text not known.
    """

    plugin: str
    file: str
    new_file: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class FixPlan:
    """What fixing would change, and which problems it would and would not repair.

    `left` holds problems whose fix touches what an earlier one of the same file changes; reading
    the files again afterwards tells whether they are still there.
    """

    changes: tuple[FileChange, ...]
    fixed: tuple[Diagnostic, ...]
    left: tuple[Diagnostic, ...]


def fixable(diagnostics: Iterable[Diagnostic]) -> int:
    """How many of `diagnostics` have a fix."""
    return sum(1 for found in diagnostics if found.fix is not None)


def files_of(found: Diagnostic) -> frozenset[tuple[str, str]]:
    """Plugin and name of each file that the fix of `found` changes."""
    if found.fix is None:
        return frozenset()
    renamed = [found.fix.rename.file] if found.fix.rename is not None else []
    return frozenset((found.plugin, file) for file in [e.file for e in found.fix.edits] + renamed)


def plan_fixes(diagnostics: Sequence[Diagnostic], *, sources: SourceLookup) -> FixPlan:
    """The changes that the fixes of `diagnostics` make, the first one where two of them overlap.

    A fix is made as a whole or not at all; one whose file is not at hand is left.
    """
    drafts: dict[tuple[str, str], _Draft] = {}
    fixed: list[Diagnostic] = []
    left: list[Diagnostic] = []
    for found in diagnostics:
        if found.fix is not None:
            (fixed if _taken(found, drafts, sources) else left).append(found)
    changes = (draft.change() for draft in drafts.values())
    return FixPlan(tuple(change for change in changes if change), tuple(fixed), tuple(left))


@dataclass(slots=True)
class _Draft:
    """The edits of one file taken so far."""

    plugin: str
    file: str
    text: str | None
    edits: list[TextEdit] = field(default_factory=list)
    new_file: str | None = None

    def fits(self, edit: TextEdit) -> bool:
        return edit in self.edits or not any(_touch(edit, other) for other in self.edits)

    def change(self) -> FileChange | None:
        if not self.edits and self.new_file is None:
            return None
        after = None if self.text is None else apply_edits(self.text, self.edits)
        new_file = self.file if self.new_file is None else self.new_file
        return FileChange(self.plugin, self.file, new_file, self.text, after)


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """`text` with `edits`, which do not overlap, made; every other character stays as it is."""
    parts, at = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        parts += [text[at : edit.start], edit.replacement]
        at = edit.end
    return "".join([*parts, text[at:]])


def _taken(found: Diagnostic, drafts: dict[tuple[str, str], _Draft], sources: SourceLookup) -> bool:
    """Whether the fix of `found` goes together with those taken before; then it is taken too."""
    fix = found.fix
    if fix is None:
        return False
    for plugin, file in files_of(found):
        if (plugin, file) not in drafts:
            source = sources(plugin, file)
            drafts[plugin, file] = _Draft(plugin, file, None if source is None else source.text)
    edited = [(drafts[found.plugin, edit.file], edit) for edit in fix.edits]
    if any(draft.text is None or not draft.fits(edit) for draft, edit in edited):
        return False
    if fix.rename is not None:
        renamed = drafts[found.plugin, fix.rename.file]
        if renamed.new_file not in (None, fix.rename.new_file):
            return False
        renamed.new_file = fix.rename.new_file
    for draft, edit in edited:
        if edit not in draft.edits:
            draft.edits.append(edit)
    return True


def _touch(one: TextEdit, other: TextEdit) -> bool:
    """Whether two edits overlap; two insertions at one place do, neighbours do not."""
    if one.start == one.end or other.start == other.end:
        inner, outer = (one, other) if one.start == one.end else (other, one)
        return outer.start < inner.start < outer.end or one.start == other.start
    return one.start < other.end and other.start < one.end
