"""The packages at the paths that a command was given."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from covel_host.cli.output import safe_text
from covel_host.cli.targets import NoPackage
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.layout import ROOT_MANIFEST, RUNTIMES_FOLDER


@dataclass(frozen=True, slots=True)
class FoundPaths:
    """Package folders, each once and in order of the paths, and what is wrong around them."""

    roots: tuple[Path, ...]
    diagnostics: tuple[Diagnostic, ...]


def packages_at(paths: Iterable[Path]) -> FoundPaths:
    """The packages at `paths`: packages, their `PLUGIN.md`, or folders of packages.

    A package met twice is taken once. A path that is named is a package even without a manifest,
    as long as it has runtimes: reading it says what is missing.

    Raises:
        NoPackage: a path at which there is no package.
    """
    roots: dict[str, Path] = {}
    found: list[Diagnostic] = []
    for path in paths:
        packages, problems = _packages_at(Path(os.path.abspath(path)))
        for real, root in packages.items():
            roots.setdefault(real, root)
        found += problems
    return FoundPaths(tuple(roots.values()), tuple(found))


def _packages_at(path: Path) -> tuple[dict[str, Path], tuple[Diagnostic, ...]]:
    """Package folders by their real path, and the problems of the folder that holds them."""
    folder = path.parent if path.name == ROOT_MANIFEST and not path.is_dir() else path
    if os.path.lexists(folder / ROOT_MANIFEST) or (folder / RUNTIMES_FOLDER).is_dir():
        return {os.path.realpath(folder): folder}, ()
    # Imported here: a package named by its path needs no look around.
    from covel_host.catalog.discovery import discover
    from covel_host.catalog.folders import PluginFolder

    discovery = discover([PluginFolder(folder, "community")])
    if not discovery.packages:
        raise NoPackage(
            f"There is no package in {safe_text(str(path))!r}.",
            code="package-not-found",
            hint=f"A package is a folder with a {ROOT_MANIFEST} in it.",
        )
    found = {os.path.realpath(package.root): package.root for package in discovery.packages}
    return found, discovery.diagnostics
