"""Who implements which extension point in one execution (spec/manifest.md 10.6)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from covel_host.services.directory import Standing
from plugin_sdk.extensions import Extension


class ExtensionKey(NamedTuple):
    """One implementation of one package."""

    point: str
    plugin_id: str
    extension_id: str


@dataclass(frozen=True, slots=True)
class OfferedExtension:
    """One implementation, its package, and the order that its manifest gives it.

    `runtime_ids` are the runtimes of the package.
    """

    plugin_id: str
    extension: Extension[..., Any]
    order: int = 0
    runtime_ids: frozenset[str] = frozenset()

    @property
    def key(self) -> ExtensionKey:
        """Which one it is."""
        return ExtensionKey(self.extension.point, self.plugin_id, self.extension.id)


@dataclass(frozen=True, slots=True)
class StaticSegment:
    """One segment of `contributes.prompt`, in the session's instruction language.

    It is no code: it is there whatever becomes of the package's own code. One with a variant in
    another language belongs to the turn, the others to the session (spec/manifest.md 4.13).
    """

    plugin_id: str
    segment_id: str
    content: str
    position: str | int
    role: str
    has_variant: bool = False


class ExtensionDirectory:
    """The implementations of one session's packages, for the time of one execution.

    `standing` is asked anew at every look. One that failed is left out from then on: it costs its
    time limit once, and the prompts of an execution do not change back and forth.
    """

    def __init__(
        self,
        offered: Iterable[OfferedExtension] = (),
        *,
        standing: Callable[[str], Standing],
        segments: Iterable[StaticSegment] = (),
    ) -> None:
        by_point: dict[str, list[OfferedExtension]] = {}
        for one in sorted(offered, key=_sort_key):
            by_point.setdefault(one.extension.point, []).append(one)
        self._by_point = by_point
        self._standing = standing
        self._segments = tuple(segments)
        self._left_out: set[ExtensionKey] = set()

    def of(self, point: str) -> list[OfferedExtension]:
        """Those to ask now, by order, package and ID."""
        return [
            one
            for one in self._by_point.get(point, ())
            if one.key not in self._left_out and self._standing(one.plugin_id) == "active"
        ]

    def leave_out(self, offered: OfferedExtension) -> bool:
        """Ask it no more in this execution; whether this is new."""
        is_new = offered.key not in self._left_out
        self._left_out.add(offered.key)
        return is_new

    @property
    def static_segments(self) -> tuple[StaticSegment, ...]:
        """Those of the packages that are active now."""
        return tuple(one for one in self._segments if self._standing(one.plugin_id) == "active")


def _sort_key(offered: OfferedExtension) -> tuple[int, str, str]:
    return (offered.order, offered.plugin_id, offered.extension.id)


def _active(plugin_id: str) -> Standing:
    return "active"


NO_EXTENSIONS: Final = ExtensionDirectory(standing=_active)
"""For runs in which no package implements anything; never written to."""
