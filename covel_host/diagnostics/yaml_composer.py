"""Nodes built from YAML events, counted while they are built."""

from __future__ import annotations

import re
from typing import Any, Final

import yaml
from yaml import events

from covel_host.diagnostics.values_shown import MAX_SHOWN, shown
from covel_host.diagnostics.yaml_characters import (
    BYTE_ORDER_MARK,
    control_character,
    stray_byte_order_mark,
    without_old_line_ends,
)
from covel_host.diagnostics.yaml_nodes import (
    ListNode,
    MapNode,
    Node,
    Path,
    ProblemName,
    YamlProblem,
)
from covel_host.diagnostics.yaml_scalars import NumberRefused, plain_scalar
from covel_host.diagnostics.yaml_syntax import several_documents, syntax_problem

_SEQUENCE_END: Final[Any] = events.SequenceEndEvent
_MAPPING_END: Final[Any] = events.MappingEndEvent
# A path of 64 zeros helps nobody.
_SHOWN_DEPTH: Final = 8
MERGE_KEY: Final = "<<"
_TAG: Final = re.compile(r"![^\s,\[\]{}]*")


class _Stopped(Exception):
    """The reading ends here; its problem is already noted."""


class _PurePythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    """PyYAML's own parser, for interpreters without its C extension."""

    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


def event_parser(text: str) -> Any:
    """A source of YAML events for `text`; the C parser where PyYAML was built with one."""
    if yaml.__with_libyaml__:
        from yaml._yaml import CParser

        return CParser(text)
    return _PurePythonParser(text)


def compose(text: str, *, max_nodes: int, max_depth: int) -> tuple[Node | None, list[YamlProblem]]:
    """The root node of `text` and its problems; no root when the text could not be read."""
    forbidden = control_character(text)
    if forbidden is not None:
        return None, [forbidden]
    composer = _Composer(text, max_nodes=max_nodes, max_depth=max_depth)
    try:
        root = composer.document()
    except _Stopped:
        root = None
    except yaml.YAMLError as error:
        composer.problems.append(syntax_problem(text, error))
        root = None
    stray = stray_byte_order_mark(text, composer.quoted) if composer.looks_for_marks else None
    if root is not None and stray is not None:
        return None, [stray, *composer.problems]
    return root, composer.problems


class _Composer:
    """One pass over the events of one text."""

    def __init__(self, text: str, *, max_nodes: int, max_depth: int) -> None:
        self.problems: list[YamlProblem] = []
        self.quoted: list[tuple[int, int]] = []
        self.looks_for_marks = BYTE_ORDER_MARK in text
        self._text = text
        parsed, self._put_back = without_old_line_ends(text)
        self._next = event_parser(parsed).get_event
        self._max_nodes = max_nodes
        self._max_depth = max_depth
        self._count = 0
        self._path: list[str | int] = []
        # `None` while the anchored node is still being built: an alias inside it is a cycle.
        self._anchors: dict[str, Node | None] = {}

    def document(self) -> Node | None:
        self._next()  # start of the stream
        event = self._next()
        if isinstance(event, events.StreamEndEvent):
            return None
        root = self._node(self._next())
        self._next()  # end of the document
        event = self._next()
        if not isinstance(event, events.StreamEndEvent):
            self.problems.append(several_documents(event.start_mark.index))
        return root

    def _node(self, event: Any) -> Node:
        kind = type(event)
        if kind is events.AliasEvent:
            return self._alias(event)
        self._grow(1, event)
        anchor = event.anchor
        if anchor is not None:
            self._anchors[anchor] = None
        if event.tag is not None:
            self._tag(event)
        if kind is events.ScalarEvent:
            node = self._scalar(event)
        elif len(self._path) >= self._max_depth:
            raise self._stop(
                "yaml-too-deep",
                f"the text nests more than {self._max_depth} levels deep",
                event,
                hint="Flatten the value; no field needs this depth.",
            )
        elif kind is events.SequenceStartEvent:
            node = self._sequence(event)
        else:
            node = self._mapping(event)
        if anchor is not None:
            self._anchors[anchor] = node
        return node

    def _scalar(self, event: Any) -> Node:
        text = event.value
        if self._put_back is not None:
            text = text.translate(self._put_back)
        if self.looks_for_marks and event.style in ("'", '"'):
            self.quoted.append((event.start_mark.index, event.end_mark.index))
        value: object = text
        if not event.style and event.tag is None:
            try:
                value = plain_scalar(text)
            except NumberRefused as refusal:
                self._problem(
                    "yaml-number",
                    str(refusal),
                    event,
                    hint="Write a finite number, or put the text in quotes.",
                )
                value = None
        elif not text.isascii() and any("\ud800" <= unit <= "\udfff" for unit in text):
            # Only the pure-Python parser lets the escape of half a pair through.
            raise self._stop("yaml-syntax", "a text holds half of a surrogate pair", event)
        return Node(value, event.start_mark.index, event.end_mark.index, 1, text)

    def _sequence(self, event: Any) -> Node:
        nodes: list[Node] = []
        values: list[object] = []
        weight = 1
        self._path.append(0)
        inner: Any = self._next()
        while type(inner) is not _SEQUENCE_END:
            self._path[-1] = len(nodes)
            node = self._node(inner)
            nodes.append(node)
            values.append(node.value)
            weight += node.weight
            inner = self._next()
        self._path.pop()
        end = inner.end_mark.index if event.flow_style else nodes[-1].end
        return ListNode(values, event.start_mark.index, end, weight, items=nodes)

    def _mapping(self, event: Any) -> Node:
        node = MapNode({}, event.start_mark.index, event.end_mark.index)
        merged: list[MapNode] = []
        self._path.append("")
        inner: Any = self._next()
        while type(inner) is not _MAPPING_END:
            node.end = self._member(node, inner, merged)
            inner = self._next()
        self._path.pop()
        if event.flow_style:
            node.end = inner.end_mark.index
        for source in merged:
            self._merge(node, source, event)
        node.value = {key: member.value for key, member in node.members.items()}
        return node

    def _member(self, node: MapNode, event: Any, merged: list[MapNode]) -> int:
        self._path[-1] = ""
        key_node = self._node(event)
        key = self._key(key_node, event)
        place = (key_node.start, key_node.end)
        self._path[-1] = key if key is not None else (key_node.text or "")
        first = node.keys.get(key) if key is not None else None
        value = self._node(self._next())
        node.weight += 1 + value.weight
        if key is None:
            return value.end
        if first is not None:
            self._duplicate(key, place, first)
        elif key == MERGE_KEY and not event.style:
            node.keys[key] = place
            merged.extend(self._merge_sources(value))
        else:
            node.keys[key] = place
            node.members[key] = value
        return max(value.end, key_node.end)

    def _key(self, node: Node, event: Any) -> str | None:
        if isinstance(node.value, str):
            return node.value
        written = "a list or map" if node.text is None else node.text[:MAX_SHOWN] or "nothing"
        hint = "Name the field in text."
        if node.text and len(node.text) <= MAX_SHOWN:
            hint = f'Put the key in quotes to make it a text: "{node.text}".'
        self._path[-1:] = []
        self._problem(
            "yaml-key-not-text",
            f"a key is {written}; keys are texts",
            event,
            hint=hint,
        )
        self._path.append("")
        return None

    def _duplicate(self, key: str, place: tuple[int, int], first: tuple[int, int]) -> None:
        self.problems.append(
            YamlProblem(
                "yaml-duplicate-key",
                f"the key {shown(key)} is written twice in one map",
                *place,
                path=tuple(self._path),
                hint="Keep one of the two.",
                first=first,
                first_message="first written here",
            )
        )

    def _merge_sources(self, value: Node) -> list[MapNode]:
        written = value.items if isinstance(value, ListNode) else [value]
        sources = [source for source in written if isinstance(source, MapNode)]
        if len(sources) == len(written):
            return sources
        self.problems.append(
            YamlProblem(
                "yaml-merge",
                "the merge key '<<' needs a map or a list of maps",
                value.start,
                value.end,
                path=tuple(self._path[:-1]),
                hint="Give it the alias of a map (<<: *name), or quote the key.",
            )
        )
        return []

    def _merge(self, node: MapNode, source: MapNode, event: Any) -> None:
        self._grow(len(source.members), event)
        for key, member in source.members.items():
            if key not in node.members:
                node.members[key] = member
                node.keys[key] = source.keys[key]

    def _alias(self, event: Any) -> Node:
        name = event.anchor
        if name not in self._anchors:
            raise self._stop(
                "yaml-unknown-alias",
                f"'*{name[:MAX_SHOWN]}' refers to an anchor that is not written before it",
                event,
                hint=f"Write the anchor (&{name[:MAX_SHOWN]}) first, or put the text in quotes.",
            )
        target = self._anchors[name]
        if target is None:
            raise self._stop(
                "yaml-recursive-alias",
                f"'*{name[:MAX_SHOWN]}' stands inside the value it refers to",
                event,
                hint="Write the value out instead of referring to it.",
            )
        self._grow(target.weight, event)
        return target

    def _grow(self, weight: int, event: Any) -> None:
        self._count += weight
        if self._count > self._max_nodes:
            raise self._stop(
                "yaml-too-large",
                f"the text has more than {self._max_nodes:,} values once aliases are written out",
                event,
                hint="Move large data to a file of its own.",
            )

    def _tag(self, event: Any) -> None:
        found = _TAG.search(self._text, event.start_mark.index)
        written = event.tag if found is None else found.group()[:MAX_SHOWN]
        self._problem(
            "yaml-tag",
            f"the tag {written!r} is not allowed; values are plain YAML",
            event,
            hint="Remove the tag; put a value in quotes to make it a text.",
        )

    def _problem(self, name: ProblemName, message: str, event: Any, *, hint: str) -> None:
        end = event.end_mark.index
        self.problems.append(
            YamlProblem(name, message, event.start_mark.index, end, tuple(self._path), hint)
        )

    def _stop(
        self,
        name: ProblemName,
        message: str,
        event: Any,
        *,
        hint: str | None = None,
    ) -> _Stopped:
        path: Path = tuple(self._path[:_SHOWN_DEPTH])
        at, end = event.start_mark.index, event.end_mark.index
        self.problems.append(YamlProblem(name, message, at, end, path, hint))
        return _Stopped()
