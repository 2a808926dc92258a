"""One file of a pack as it was read, with the place of everything in it."""

from functools import cached_property

from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, Related, Span, dotted
from covel_host.diagnostics.source import SourceText
from covel_host.diagnostics.yaml_document import YamlDocument, read_yaml
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.diagnostics.yaml_places import written_place
from plugin_sdk.values import JsonValue

MAX_NODES = 500_000
"""Values of one file once aliases are written out; a world's largest file has a few 10,000."""


class PackFile:
    """The value of one YAML, JSON or text file; `world_id` and `file` name it in problems.

    `value` is `None` for a file that could not be read, whose problem is told elsewhere. A JSON
    file is looked at for places only when something is wrong in it.
    """

    def __init__(
        self,
        world_id: str,
        file: str,
        source: SourceText,
        value: JsonValue,
        document: YamlDocument | None = None,
    ) -> None:
        self.world_id = world_id
        self.file = file
        self.source = source
        self.value = value
        self._offset = 1 if source.text.startswith("\ufeff") else 0
        if document is not None:
            self.document = document

    @cached_property
    def document(self) -> YamlDocument:
        """The file as nodes with places; JSON is YAML as far as places go."""
        return read_yaml(self.source.text[self._offset :], max_nodes=MAX_NODES)

    def span(self, path: Path, *, of_key: bool = False) -> Span:
        """The stretch of the value (or key) at `path`, or of the nearest thing around it."""
        place = written_place(self.document, self._offset, path, of_key=of_key)
        return self.source.span(*(place if place is not None else (0, 0)))

    def report(
        self,
        name: str,
        message: str,
        *,
        path: Path,
        of_key: bool = False,
        hint: str | None = None,
        related: tuple[Related, ...] = (),
    ) -> Diagnostic:
        """A problem of the value at `path`."""
        return report(
            name,
            message,
            plugin=self.world_id,
            file=self.file,
            path=dotted(path),
            span=self.span(path, of_key=of_key),
            hint=hint,
            related=related,
        )

    def inner(self, base: Path, inside: str) -> Path:
        """The path of what rules name `inside`, a dotted path from the value at `base`.

        Keys may hold dots themselves: the longest one that is there is taken.
        """
        path, parts = base, inside.split(".") if inside else []
        while parts:
            node = self.document.node(path)
            for count in range(len(parts), 0, -1):
                name = ".".join(parts[:count])
                part: str | int = int(name) if name.isdigit() else name
                if node is not None and node.child(part) is None and isinstance(part, int):
                    part = name
                if count == 1 or (node is not None and node.child(part) is not None):
                    path, parts = (*path, part), parts[count:]
                    break
        return path
