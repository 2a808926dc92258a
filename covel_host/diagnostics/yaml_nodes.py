"""What reading YAML yields: nodes with places, and problems with places."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Path: TypeAlias = tuple[str | int, ...]
"""Where a node lies in its document: keys as text, list items by number."""

ProblemName: TypeAlias = Literal[
    "yaml-control-character",
    "yaml-duplicate-key",
    "yaml-key-not-text",
    "yaml-merge",
    "yaml-number",
    "yaml-recursive-alias",
    "yaml-several-documents",
    "yaml-syntax",
    "yaml-tab",
    "yaml-tag",
    "yaml-too-deep",
    "yaml-too-large",
    "yaml-unknown-alias",
    "yaml-unquoted-colon",
]


@dataclass(slots=True)
class Node:
    """One value of a document, here a scalar; offsets count characters, `end` is exclusive.

    `weight` is the number of nodes the value has once every alias is written out. `text` is what a
    scalar holds before it is read as a number or a truth value. Nodes behind an alias or a merge
    keep the place where they were written.
    """

    value: object
    start: int
    end: int
    weight: int = 1
    text: str | None = None

    def child(self, part: str | int) -> "Node | None":
        """The member or list item `part`, `None` where there is none."""
        return None


@dataclass(slots=True)
class ListNode(Node):
    """A list and the nodes of its items."""

    items: list[Node] = field(default_factory=list)

    def child(self, part: str | int) -> Node | None:
        """The item at index `part`."""
        inside = isinstance(part, int) and 0 <= part < len(self.items)
        return self.items[int(part)] if inside else None


@dataclass(slots=True)
class MapNode(Node):
    """A map, the nodes of its members, and the offsets of its keys (the merge key included)."""

    members: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)

    def child(self, part: str | int) -> Node | None:
        """The value of the key `part`."""
        return self.members.get(part) if isinstance(part, str) else None


Replacement: TypeAlias = tuple[int, int, str]
"""Offsets of a stretch of a text, and what replaces it."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What a mistake with one reading was meant to be; `edits` are in order and do not overlap."""

    title: str
    edits: tuple[Replacement, ...]


@dataclass(frozen=True, slots=True)
class YamlProblem:
    """What is wrong with a YAML text; offsets count characters from its first one.

    `first` holds the offsets of the other of two clashing places, `first_message` what lies there.
    """

    name: ProblemName
    message: str
    start: int
    end: int
    path: Path = ()
    hint: str | None = None
    first: tuple[int, int] | None = None
    first_message: str = ""
    repair: Repair | None = None
