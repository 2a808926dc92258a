"""YAML 1.2 core text read into plain values, with the place of every node and no way to run code.

The composer works on PyYAML's event stream (the C parser, or the pure-Python one where no C
extension is installed), not on its constructors: it decides itself what a scalar is, knows every
place, and counts while it builds, so that a small text can never become a large value
(design/traps.md, "Manifests": composing 9.9 MB first and counting afterwards takes 1.5 GB).
"""

from dataclasses import dataclass
from typing import Final

from covel_host.diagnostics.yaml_nodes import MapNode, Node, Path, YamlProblem

# A manifest at all its counted limits has about 45,000 nodes: 32 commands of 16 arguments with 64
# choices each (spec/manifest.md 4.5). The largest bundled one has about 600.
MAX_NODES: Final = 60_000
# Real manifests nest about 8 deep.
MAX_DEPTH: Final = 64


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A YAML text as plain values and as nodes with places.

    `root` is `None` for a text without content and for one that could not be read to its end. A
    duplicate key keeps its first value; other problems leave out what they concern.
    """

    root: Node | None
    problems: tuple[YamlProblem, ...] = ()

    @property
    def value(self) -> object:
        """`None`, booleans, numbers, texts, lists and dicts with text keys; aliases are shared."""
        return None if self.root is None else self.root.value

    def node(self, path: Path) -> Node | None:
        """The node at `path`, `None` where the text has none."""
        found = self.root
        for part in path:
            found = None if found is None else found.child(part)
        return found

    def place(self, path: Path) -> tuple[int, int] | None:
        """Offsets of the value at `path`, or of the nearest thing around it that was written."""
        found = self.root
        for part in path:
            inner = None if found is None else found.child(part)
            if inner is None:
                break
            found = inner
        return None if found is None else (found.start, found.end)

    def key_place(self, path: Path) -> tuple[int, int] | None:
        """Offsets of the key that names `path`; of the value for list items, as in `place`."""
        if path and isinstance(path[-1], str):
            parent = self.node(path[:-1])
            if isinstance(parent, MapNode) and path[-1] in parent.keys:
                return parent.keys[path[-1]]
        return self.place(path)


def read_yaml(text: str, *, max_nodes: int = MAX_NODES) -> YamlDocument:
    """The document written in `text`, with every problem found; never raises for content.

    Problems of single nodes (a duplicate key, a tag) do not end the reading. A syntax error and a
    limit (`max_nodes` after alias expansion, `MAX_DEPTH`) do, and then `root` is `None`; except
    for a syntax error with one reading, after which the text is read as if it were repaired.
    """
    from covel_host.diagnostics.yaml_composer import compose

    root, problems = compose(text, max_nodes=max_nodes, max_depth=MAX_DEPTH)
    if root is None and problems:
        from covel_host.diagnostics.yaml_recovery import read_on

        root, problems = read_on(text, problems, max_nodes=max_nodes, max_depth=MAX_DEPTH)
    return YamlDocument(root, tuple(problems))
