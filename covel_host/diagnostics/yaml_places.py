"""Where the values of a YAML document stand in the file that holds it, and its problems there."""

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, Fix, Related, dotted
from covel_host.diagnostics.source import SourceText
from covel_host.diagnostics.yaml_document import YamlDocument
from covel_host.diagnostics.yaml_nodes import Path, YamlProblem


def written_place(
    document: YamlDocument, offset: int, path: Path, *, of_key: bool = False
) -> tuple[int, int] | None:
    """Offsets in the file of the value (or key) at `path`, or of the nearest thing around it.

    `offset` is where the document starts in the file. `None` for a document without content.
    """
    found = document.key_place(path) if of_key else document.place(path)
    if found is None:
        return None
    root = document.root
    if path and root is not None and found == (root.start, root.end):
        # Only the whole document lies around the path: its start says enough.
        found = (root.start, root.start)
    return found[0] + offset, found[1] + offset


def yaml_diagnostic(
    problem: YamlProblem, source: SourceText, offset: int, plugin: str, file: str
) -> Diagnostic:
    """`problem` at its place in `source`, where the document starts at `offset`."""
    related: tuple[Related, ...] = ()
    if problem.first is not None:
        first = source.span(problem.first[0] + offset, problem.first[1] + offset)
        related = (Related(problem.first_message, file, first),)
    fix = None
    if problem.repair is not None:
        edits = tuple(
            source.edit(file, start + offset, end + offset, put)
            for start, end, put in problem.repair.edits
        )
        fix = Fix(problem.repair.title, edits)
    return report(
        problem.name,
        problem.message[:1].upper() + problem.message[1:] + ".",
        plugin=plugin,
        file=file,
        path=dotted(problem.path),
        span=source.span(problem.start + offset, problem.end + offset),
        hint=problem.hint,
        related=related,
        fix=fix,
    )
