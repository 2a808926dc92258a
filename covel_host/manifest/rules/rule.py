"""What a rule is, and how what it finds becomes a diagnostic."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

from covel_host.diagnostics.code_info import CodeInfo
from covel_host.diagnostics.codes import CODES_BY_NAME, report
from covel_host.diagnostics.diagnostic import Diagnostic, Fix, Related, Span, dotted
from covel_host.manifest.frontmatter import Frontmatter

Subject = TypeVar("Subject")
Path: TypeAlias = tuple[str | int, ...]


class Finding(Protocol):
    """One breach of a rule, which knows how it is told."""

    def diagnostic(self, name: str, frontmatter: Frontmatter) -> Diagnostic:
        """The breach as a diagnostic of the kind `name`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One breach of a rule in the frontmatter of one file.

    `path` is the field the specification reports it on, from the top of the file; `place` is what
    the caret points at where that is more exact, `at_key` points at the field's name. `file` is
    the file it lies in, where a rule looks at several. `repair` makes the fix of a mistake with one
    reading.
    """

    path: Path
    message: str
    hint: str | None = None
    place: Path | None = None
    at_key: bool = False
    related: tuple[Related, ...] = ()
    file: Frontmatter | None = None
    repair: Callable[[Frontmatter], Fix | None] | None = None

    def diagnostic(self, name: str, frontmatter: Frontmatter) -> Diagnostic:
        """The breach at its place in `file`, else in `frontmatter`."""
        lies_in = self.file or frontmatter
        return lies_in.report(
            name,
            self.message,
            path=self.path,
            at=self.place,
            of_key=self.at_key,
            hint=self.hint,
            related=self.related,
            fix=None if self.repair is None else self.repair(lies_in),
        )


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One breach of a rule in a file of the package that has no fields, at `span` in it."""

    file: str
    span: Span | None
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()

    def diagnostic(self, name: str, frontmatter: Frontmatter) -> Diagnostic:
        """The breach at its place in the file."""
        return report(
            name,
            self.message,
            plugin=frontmatter.plugin,
            file=self.file,
            span=self.span,
            hint=self.hint,
            related=self.related,
        )


@dataclass(frozen=True, slots=True)
class Rule(Generic[Subject]):
    """One rule: where it is stated, what it says, the kind of problem it reports, how it looks.

    `info` carries code, name, severity, effect on loading, first version and documentation.
    """

    stated: str
    says: str
    info: CodeInfo
    check: Callable[[Subject], Iterable[Finding]]


def found_by(
    rules: Iterable[Rule[Subject]], subject: Subject, frontmatter: Frontmatter
) -> Iterator[Diagnostic]:
    """The breaches of `rules` by `subject`, whose fields lie in `frontmatter`."""
    for one in rules:
        for found in one.check(subject):
            yield found.diagnostic(one.info.name, frontmatter)


def rule(
    stated: str, name: str, says: str
) -> Callable[[Callable[[Subject], Iterable[Finding]]], Rule[Subject]]:
    """Makes a rule of the function that looks for its breaches.

    `stated` is the rule's number in spec/manifest.md 6 (`"6.2.3"`) or another place of the
    specification; `name` is a name of the table of codes.
    """

    def make(check: Callable[[Subject], Iterable[Finding]]) -> Rule[Subject]:
        return Rule(stated, says, CODES_BY_NAME[name], check)

    return make


def field(path: Path) -> str:
    """The field for the middle of a sentence, such as `` `runtime.schedule.stage` ``."""
    return f"`{dotted(path)}`"


def first_place(frontmatter: Frontmatter, path: Path) -> tuple[Related, ...]:
    """The earlier of two clashing places, for `Problem.related`."""
    found = frontmatter.place(path)
    if found is None:
        return ()
    span = frontmatter.source.span(*found)
    return (Related("first written here", frontmatter.file, span),)
