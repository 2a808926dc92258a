"""The one shape of a problem found in a package."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a text file; lines and columns count from 1 in characters, the end is exclusive.

    An empty stretch (end equal to start) marks a place between two characters.
    """

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a problem, such as the first of two equal keys."""

    message: str
    file: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class TextEdit:
    """One stretch of a file and the text that replaces it.

    `start` and `end` are character offsets into the file's text as read (byte-order mark included,
    line ends as they are); `span` is the same stretch in lines and columns.
    """

    file: str
    start: int
    end: int
    replacement: str
    span: Span


@dataclass(frozen=True, slots=True)
class FileRename:
    """A file of the package and the name it should have, both relative to the package."""

    file: str
    new_file: str


@dataclass(frozen=True, slots=True)
class Fix:
    """The one reading a mistake has, as edits that leave every other character as it is.

    `title` says in the imperative what is done. A fix is applied as a whole or not at all.
    """

    title: str
    edits: tuple[TextEdit, ...] = ()
    rename: FileRename | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem of one package (spec/decisions.md, "Field paths and the validator's JSON").

    `file` is relative to the package, with forward slashes; `""` means the package as a whole.
    `path` is the dotted field path from the top of that file's frontmatter; `""` means the file.
    The four numbers of the place are all set or all `None`. `blocks_loading` is apart from
    `severity`: an error the loader can live with does not stop the package. `fix` is there only
    where the mistake has exactly one reading.
    """

    code: str
    name: str
    severity: Severity
    blocks_loading: bool
    plugin: str
    file: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    path: str
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None

    @property
    def span(self) -> Span | None:
        """The place in the file, or `None` when the problem has no place of its own."""
        if self.line is None or self.column is None:
            return None
        if self.end_line is None or self.end_column is None:
            return None
        return Span(self.line, self.column, self.end_line, self.end_column)

    @property
    def placed_message(self) -> str:
        """The message behind its place, such as `PLUGIN.md:3: …`, on one line."""
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}" if place else self.message


def any_blocks_loading(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether one of `diagnostics` stops its package from being loaded."""
    return any(diagnostic.blocks_loading for diagnostic in diagnostics)


def fails(diagnostics: Iterable[Diagnostic], *, strict: bool = False) -> bool:
    """Whether a check with these results fails: errors do, and with `strict` warnings, too."""
    failing = ("error", "warning") if strict else ("error",)
    return any(diagnostic.severity in failing for diagnostic in diagnostics)


def dotted(path: Iterable[str | int]) -> str:
    """The field path as text: `("contributes", "commands", 2)` is `contributes.commands.2`."""
    return ".".join(str(part) for part in path)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """`diagnostics` by package, file and place; those without a place come first in their file."""
    return tuple(
        sorted(
            diagnostics,
            key=lambda found: (
                found.plugin,
                found.file,
                found.line or 0,
                found.column or 0,
                found.path,
                found.code,
                found.message,
            ),
        )
    )
