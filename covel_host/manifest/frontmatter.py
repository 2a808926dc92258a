"""The fields and the exact body of one manifest file; strict, with positions, never raising.

`frontmatter.parse` is not used: it rewrites line ends, strips bodies, keeps no positions, and
answers `{}` for a byte-order mark, a missing fence or a list (design/dependencies.md). The
library's handler carries the split and the load; the first fence is matched here once more,
because `split` tells no offsets.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from frontmatter.default_handlers import BaseHandler

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, Fix, Related, dotted
from covel_host.diagnostics.file_text import read_text
from covel_host.diagnostics.source import SourceText
from covel_host.diagnostics.yaml_document import YamlDocument, read_yaml
from covel_host.diagnostics.yaml_places import written_place, yaml_diagnostic
from covel_host.manifest.layout import ROOT_MANIFEST

BYTE_ORDER_MARK: Final = "\ufeff"

# Works for LF, CRLF and CR-only files: `$` and `^` of a multi-line pattern know only LF.
_FENCE: Final = re.compile(r"(?:\A|(?<=[\r\n]))---[ \t]*(?:\r\n|\r|\n|\Z)")
_FIRST_LINE: Final = re.compile(r"[^\r\n]*")
# Blank lines, then a line of dashes alone. Possessive: megabytes of blank lines are passed once.
_NEARLY_OPENING: Final = re.compile(
    r"(?:[ \t]*+[\r\n])*+(?P<fence>[ \t]*+-{2,}+[ \t]*+(?:[\r\n]|\Z))"
)
_NEARLY_CLOSING: Final = re.compile(r"(?<=[\r\n])[ \t]*-{2,}[^\r\n]*")


class StrictHandler(BaseHandler):
    """The library's handler with our fence and our YAML; one instance reads one file."""

    FM_BOUNDARY = _FENCE
    START_DELIMITER = END_DELIMITER = "---"

    def __init__(self) -> None:
        super().__init__()
        self.document = YamlDocument(None)

    def load(self, fm: str) -> dict[str, Any]:
        """The fields written in `fm`; empty for what is no map. `document` tells what was wrong."""
        self.document = read_yaml(fm)
        value = self.document.value
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True, slots=True)
class Frontmatter:
    """One manifest file as it was read.

    `fields` is `None` when the fields could not be read at all, and empty when there are none.
    `body` is every character after the closing fence, line ends untouched; empty when the fences
    could not be found. `fields_offset` is where the YAML starts in `source.text`.
    """

    plugin: str
    file: str
    source: SourceText
    fields: Mapping[str, object] | None
    body: str
    document: YamlDocument
    fields_offset: int
    diagnostics: tuple[Diagnostic, ...]

    def place(self, path: tuple[str | int, ...], *, of_key: bool = False) -> tuple[int, int] | None:
        """Offsets in `source` of the value (or key) at `path`, or of the nearest thing around."""
        return written_place(self.document, self.fields_offset, path, of_key=of_key)

    def report(
        self,
        name: str,
        message: str,
        *,
        path: tuple[str | int, ...],
        at: tuple[str | int, ...] | None = None,
        of_key: bool = False,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
    ) -> Diagnostic:
        """A problem of the field at `path`, at its value or its key; `at` is a more exact place."""
        place = self.place(path if at is None else at, of_key=of_key)
        return report(
            name,
            message,
            plugin=self.plugin,
            file=self.file,
            path=dotted(path),
            span=self.source.span(*(place if place is not None else (0, 0))),
            hint=hint,
            related=related,
            fix=fix,
        )

    def fix(self, title: str, *edits: tuple[int, int, str]) -> Fix:
        """A fix of this file; offsets count from the start of its YAML."""
        offset, source = self.fields_offset, self.source
        return Fix(
            title,
            tuple(
                source.edit(self.file, start + offset, end + offset, put)
                for start, end, put in edits
            ),
        )


def read_frontmatter(
    text: str, *, plugin: str, file: str, fence_required: bool = True
) -> Frontmatter:
    """The fields and body of `text`; what is wrong is in `.diagnostics`, nothing is raised.

    Without `fence_required` a text that has no frontmatter is all body, as in locale variants
    (spec/manifest.md 3.1, 3.2). `plugin` and `file` only name the place in the problems.
    """
    source = SourceText(text)
    start = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    clean = text[start:]
    opening = _FENCE.match(clean)
    if opening is None:
        return _without_fence(source, start, plugin, file, fence_required)
    if _FENCE.search(clean, opening.end()) is None:
        return _unclosed(source, start, opening.end(), plugin, file)
    handler = StrictHandler()
    fields_text, body = handler.split(clean)
    handler.load(fields_text)
    offset = start + opening.end()
    return _read(source, plugin, file, body, handler.document, offset)


def refused_file(found: Diagnostic) -> Frontmatter:
    """A file that is not read at all, for the reason `found`."""
    return _unreadable(SourceText(""), 0, found.plugin, found.file, found)


def read_yaml_file(path: Path, *, plugin: str, file: str) -> Frontmatter:
    """The fields of a file that is YAML as a whole, such as a label file; its body is empty."""
    read = read_text(path, plugin=plugin, file=file)
    source = SourceText(read.text)
    if read.problem is not None:
        return _unreadable(source, 0, plugin, file, read.problem)
    start = 1 if read.text.startswith(BYTE_ORDER_MARK) else 0
    return _read(source, plugin, file, "", read_yaml(read.text[start:]), start)


def _read(
    source: SourceText, plugin: str, file: str, body: str, document: YamlDocument, offset: int
) -> Frontmatter:
    """What was read, with the problems of the YAML at their places in `source`."""
    found = [
        yaml_diagnostic(problem, source, offset, plugin, file) for problem in document.problems
    ]
    root = document.root
    if root is not None and not isinstance(root.value, dict):
        found.append(
            _not_a_map(root.value, source, offset + root.start, offset + root.end, plugin, file)
        )
    value = None if root is None else root.value
    fields = value if isinstance(value, dict) else None if found else {}
    return Frontmatter(plugin, file, source, fields, body, document, offset, tuple(found))


def read_frontmatter_file(
    path: Path, *, plugin: str, file: str, fence_required: bool = True
) -> Frontmatter:
    """`read_frontmatter` of a file; unreadable, too large and non-UTF-8 files are problems too."""
    read = read_text(path, plugin=plugin, file=file)
    if read.problem is not None:
        return _unreadable(SourceText(read.text), 0, plugin, file, read.problem)
    return read_frontmatter(read.text, plugin=plugin, file=file, fence_required=fence_required)


def _without_fence(
    source: SourceText, start: int, plugin: str, file: str, fence_required: bool
) -> Frontmatter:
    first = _FIRST_LINE.match(source.text, start)
    end = start if first is None else first.end()
    line = source.text[start:end]
    marker = line[3:].strip() if line.startswith("---") and not line.startswith("----") else ""
    if marker:
        found = report(
            "frontmatter-engine-marker",
            f"The first line is {line.rstrip()!r}; nothing may follow the three dashes.",
            plugin=plugin,
            file=file,
            span=source.span(start + 3, end),
            hint=f"Remove {marker!r}. Manifests are plain YAML and never run code.",
        )
        return _unreadable(source, start, plugin, file, found)
    hint = "Start the file with a line '---', then the fields, then another line '---'."
    nearly = _nearly_fence(source.text, start)
    if nearly is not None:
        line_number = source.position(nearly)[0]
        hint = (
            f"Line {line_number} looks meant as the fence. It is exactly three dashes, on the "
            "first line of the file."
        )
    elif not fence_required:
        body = source.text[start:]
        return Frontmatter(plugin, file, source, {}, body, YamlDocument(None), start, ())
    written = repr(_shortened(line)) if line.strip() else "empty"
    found = report(
        "frontmatter-missing",
        f"{file or 'The file'} has no frontmatter: its first line is {written}, not three dashes.",
        plugin=plugin,
        file=file,
        span=source.span(start, end),
        hint=hint,
    )
    return _unreadable(source, start, plugin, file, found)


def _nearly_fence(text: str, start: int) -> int | None:
    """The start of a line that was probably meant as the first fence, blank lines passed over."""
    found = _NEARLY_OPENING.match(text, start)
    return None if found is None else found.start("fence")


def _unclosed(source: SourceText, start: int, opened: int, plugin: str, file: str) -> Frontmatter:
    nearly = _NEARLY_CLOSING.search(source.text, start + opened)
    hint = "Add a line '---' after the last field."
    if nearly is not None:
        line = source.position(nearly.start())[0]
        written = nearly.group().rstrip()
        hint = f"Line {line} is {written!r}; the closing line is '---' and nothing else."
    found = report(
        "frontmatter-unclosed",
        "The frontmatter is opened on the first line and never closed.",
        plugin=plugin,
        file=file,
        span=source.span(start, start + 3),
        hint=hint,
    )
    return _unreadable(source, start, plugin, file, found)


def _unreadable(
    source: SourceText, start: int, plugin: str, file: str, found: Diagnostic
) -> Frontmatter:
    return Frontmatter(plugin, file, source, None, "", YamlDocument(None), start, (found,))


def _not_a_map(
    value: object, source: SourceText, start: int, end: int, plugin: str, file: str
) -> Diagnostic:
    kind = "a list" if isinstance(value, list) else f"the single value {_shortened(value)!r}"
    subject = "The frontmatter" if file.endswith(".md") else "The file"
    hint = None
    if file == ROOT_MANIFEST:
        hint = "Write at least 'description: …'."
    return report(
        "frontmatter-not-a-map",
        f"{subject} is {kind}; it holds fields, written as 'name: value'.",
        plugin=plugin,
        file=file,
        span=source.span(start, end),
        hint=hint,
    )


def _shortened(value: object) -> object:
    if isinstance(value, str) and len(value) > 60:
        return value[:59] + "…"
    return value
