"""Package folders found by listing, before any file is read (spec/manifest.md 2.2-2.3)."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from covel_host.catalog.folders import PluginFolder, PluginSource
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, Related
from covel_host.manifest.layout import ROOT_MANIFEST, RUNTIMES_FOLDER, printable

DISABLED_MARK: Final = "PLUGIN.md.disabled"


@dataclass(frozen=True, slots=True)
class FoundPackage:
    """A folder that is a package; `root` lies in `folder` and may be a symbolic link."""

    plugin_id: str
    root: Path
    source: PluginSource
    folder: Path


@dataclass(frozen=True, slots=True)
class Discovery:
    """Packages in order of folder and name, IDs unique; problems that belong to no manifest.

    A package without a readable or valid manifest is found too: reading it says what is wrong.
    `disabled` are those that were passed over, by their mark or by a setting.
    """

    packages: tuple[FoundPackage, ...]
    diagnostics: tuple[Diagnostic, ...]
    disabled: tuple[FoundPackage, ...] = ()


def discover(folders: Iterable[PluginFolder]) -> Discovery:
    """The packages in `folders`, each folder listed once and each sub-folder once, none deeper.

    The first package of an ID wins; a later one is reported as `duplicate-package`. Folders that
    do not exist are passed over; what cannot be listed is a warning. Nothing is raised, and no
    file is opened.
    """
    walk = _Walk()
    for folder in folders:
        walk.list_folder(folder)
    return Discovery(tuple(walk.packages.values()), tuple(walk.diagnostics), tuple(walk.disabled))


@dataclass(slots=True)
class _Walk:
    packages: dict[str, FoundPackage] = field(default_factory=dict)
    disabled: list[FoundPackage] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def list_folder(self, folder: PluginFolder) -> None:
        try:
            with os.scandir(folder.path) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError as error:
            self._unreadable(folder.path, "", error)
            return
        for entry in listed:
            if folder.only is not None and entry.name != folder.only:
                continue
            if not entry.name.startswith(".") and self._is_folder(entry):
                self._look_into(entry, folder)

    def _is_folder(self, entry: os.DirEntry[str]) -> bool:
        try:
            if entry.is_dir():
                return True
            dangling = entry.is_symlink() and not os.path.exists(entry.path)
        except OSError:  # a link in a loop, or one into a place that may not be read
            dangling = True
        if dangling:
            name = printable(entry.name)
            self.diagnostics.append(
                report(
                    "dangling-link",
                    f"{printable(entry.path)!r} is a symbolic link that leads nowhere; it is "
                    "skipped.",
                    plugin=name,
                    hint="Remove the link, or point it at the package's folder.",
                )
            )
        return False

    def _look_into(self, entry: os.DirEntry[str], folder: PluginFolder) -> None:
        name = printable(entry.name)
        try:
            with os.scandir(entry.path) as inside:
                names = {item.name: item for item in inside}
            if not _is_package(names):
                return
            is_marked = DISABLED_MARK in names and names[DISABLED_MARK].is_file()
        except OSError as error:
            self._unreadable(Path(entry.path), name, error)
            return
        found = FoundPackage(name, Path(entry.path), folder.source, folder.path)
        if is_marked or name in folder.disabled:
            self._pass_over(found)
            return
        first = self.packages.setdefault(name, found)
        # A package named by its path is met again in the folder that holds it: nothing is hidden.
        if first is not found and os.path.realpath(first.root) != os.path.realpath(found.root):
            self._duplicate(found, first)

    def _pass_over(self, found: FoundPackage) -> None:
        """Keep what is disabled; it hides nothing."""
        real = os.path.realpath(found.root)
        if all(os.path.realpath(other.root) != real for other in self.disabled):
            self.disabled.append(found)

    def _duplicate(self, found: FoundPackage, first: FoundPackage) -> None:
        self.diagnostics.append(
            report(
                "duplicate-package",
                f"The package {found.plugin_id!r} in {printable(str(found.folder))!r} is hidden "
                f"by the one in {printable(str(first.folder))!r}, which comes first.",
                plugin=found.plugin_id,
                hint="Rename or remove one of the two folders.",
                related=(Related(f"used: {printable(str(first.root))}", ""),),
            )
        )

    def _unreadable(self, path: Path, plugin: str, error: OSError) -> None:
        self.diagnostics.append(
            report(
                "folder-unreadable",
                f"{printable(str(path))!r} cannot be listed: {error.strerror or error}.",
                plugin=plugin,
                hint="Check its rights.",
            )
        )


def _is_package(names: dict[str, os.DirEntry[str]]) -> bool:
    """Whether a folder with these entries is a package, valid or not, enabled or not."""
    runtimes = names.get(RUNTIMES_FOLDER)
    if runtimes is not None and runtimes.is_dir():
        return True
    # A folder or a dangling link in the place of the manifest is a mistake that reading tells.
    return ROOT_MANIFEST in names
