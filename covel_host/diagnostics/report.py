"""What one run found, as the formats take it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.source import SourceLookup


def _no_source(plugin: str, file: str) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Report:
    """What one run of the validator found, for all formats.

    `packages` counts the packages looked at, those without problems included. `roots` are their
    folders and `base` the folder that paths are shown from: formats read by other programs name
    real files. `colour` is for the full format alone. `noun` is what a package is called.
    """

    diagnostics: Sequence[Diagnostic]
    packages: int
    sources: SourceLookup = _no_source
    roots: Mapping[str, Path] = field(default_factory=dict)
    base: Path | None = None
    colour: bool = False
    noun: str = "package"

    def path(self, plugin: str, file: str) -> PurePath:
        """The path of `file` of a package, relative to `base` where it lies below."""
        root = self.roots.get(plugin)
        place = PurePath(plugin, file) if root is None else root / file
        if self.base is not None and place.is_relative_to(self.base):
            return place.relative_to(self.base)
        return place
