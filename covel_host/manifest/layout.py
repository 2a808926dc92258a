"""The files of a package that matter before any of them is read (spec/manifest.md 2.1-2.3)."""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from covel_host.base.paths import OutsideFolder, resolve_inside
from covel_host.diagnostics.codes import report
from covel_host.diagnostics.diagnostic import Diagnostic, FileRename, Fix, Span

ROOT_MANIFEST: Final = "PLUGIN.md"
ROOT_VARIANT: Final = "PLUGIN.zh.md"
RUNTIME_MANIFEST: Final = "RUNTIME.md"
RUNTIME_VARIANT: Final = "RUNTIME.zh.md"
RUNTIMES_FOLDER: Final = "runtimes"

_VARIANT: Final = re.compile(r"(?:PLUGIN|RUNTIME)\.[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*\.md")


@dataclass(slots=True)
class Layout:
    """Which manifest files a package has; paths are relative to it, with forward slashes.

    Files that lead out of the package through a symbolic link are left out and reported.
    """

    manifest: str | None = None
    variant: str | None = None
    has_runtimes_folder: bool = False
    runtimes: list[tuple[str, str | None]] = field(default_factory=list)
    """Folder names that hold a `RUNTIME.md`, in order, each with its variant file."""
    unread_variants: list[str] = field(default_factory=list)
    """Files named like a variant in another language than Simplified Chinese."""
    diagnostics: list[Diagnostic] = field(default_factory=list)


def read_layout(root: Path, *, plugin: str) -> Layout:
    """The layout of the package at `root`; a folder that cannot be listed is a problem in it."""
    layout = Layout()
    entries = _list(root, "", plugin, layout)
    if entries is None:
        return layout
    names = {entry.name: entry for entry in entries}
    layout.manifest = _confined(root, names.get(ROOT_MANIFEST), "", False, plugin, layout)
    layout.variant = _confined(root, names.get(ROOT_VARIANT), "", False, plugin, layout)
    layout.unread_variants += _unread_variants(names, "")
    folder = names.get(RUNTIMES_FOLDER)
    if folder is not None and _is_folder(folder):
        layout.has_runtimes_folder = True
        _read_runtimes(root, folder, plugin, layout)
    if ROOT_MANIFEST not in names:
        layout.diagnostics.append(_manifest_missing(list(names), plugin, layout))
    elif not _is_file(names[ROOT_MANIFEST]):
        layout.diagnostics.append(_not_a_file(names[ROOT_MANIFEST], ROOT_MANIFEST, plugin))
    return layout


def _read_runtimes(root: Path, runtimes: os.DirEntry[str], plugin: str, layout: Layout) -> None:
    entries = _list(Path(runtimes.path), RUNTIMES_FOLDER, plugin, layout) or []
    for folder in sorted(entries, key=lambda entry: entry.name):
        if folder.name.startswith(".") or not _is_folder(folder):
            continue
        relative = f"{RUNTIMES_FOLDER}/{folder.name}"
        linked = runtimes.is_symlink() or folder.is_symlink()
        listed = _list(Path(folder.path), relative, plugin, layout) or []
        files = {entry.name: entry for entry in listed}
        _read_runtime(root, folder.name, files, linked, plugin, layout)


def _read_runtime(
    root: Path,
    name: str,
    files: dict[str, os.DirEntry[str]],
    linked: bool,
    plugin: str,
    layout: Layout,
) -> None:
    folder = f"{RUNTIMES_FOLDER}/{name}"
    relative = printable(folder)
    if ROOT_MANIFEST in files:
        layout.diagnostics.append(
            report(
                "runtime-manifest-misnamed",
                f"{relative} holds a {ROOT_MANIFEST}; the manifest of a runtime is called "
                f"{RUNTIME_MANIFEST}.",
                plugin=plugin,
                file=f"{relative}/{ROOT_MANIFEST}",
                hint=f"Rename it to {RUNTIME_MANIFEST}.",
                fix=_rename(f"{relative}/{ROOT_MANIFEST}", RUNTIME_MANIFEST, list(files)),
            )
        )
    manifest = _confined(root, files.get(RUNTIME_MANIFEST), folder, linked, plugin, layout)
    if manifest is not None:
        variant = _confined(root, files.get(RUNTIME_VARIANT), folder, linked, plugin, layout)
        layout.runtimes.append((name, variant))
        layout.unread_variants += _unread_variants(files, f"{relative}/")
    elif RUNTIME_MANIFEST in files:
        if not _is_file(files[RUNTIME_MANIFEST]):
            file = f"{relative}/{RUNTIME_MANIFEST}"
            layout.diagnostics.append(_not_a_file(files[RUNTIME_MANIFEST], file, plugin))
    else:
        other = _other_case(list(files), RUNTIME_MANIFEST)
        if other is not None:
            layout.diagnostics.append(
                _wrong_case(f"{relative}/{printable(other)}", RUNTIME_MANIFEST, plugin, list(files))
            )


def _unread_variants(names: Iterable[str], prefix: str) -> list[str]:
    return [
        prefix + printable(name)
        for name in sorted(names)
        if name not in (ROOT_VARIANT, RUNTIME_VARIANT) and _VARIANT.fullmatch(name)
    ]


def _confined(
    root: Path,
    entry: os.DirEntry[str] | None,
    folder: str,
    linked: bool,
    plugin: str,
    layout: Layout,
) -> str | None:
    """The relative path of the file `entry`, `None` when it is no file or leads out.

    The one directory walk says whether links are on the way, so that plain files cost no further
    look at the disk.
    """
    if entry is None or not _is_file(entry):
        return None
    relative = f"{folder}/{entry.name}" if folder else entry.name
    if not linked and not entry.is_symlink():
        return relative
    problem = outside_problem(root, relative, plugin=plugin, file=printable(relative))
    if problem is None:
        return relative
    layout.diagnostics.append(problem)
    return None


def outside_problem(
    root: Path, relative: str, *, plugin: str, file: str, path: str = "", span: Span | None = None
) -> Diagnostic | None:
    """The problem of `relative` leading out of the package at `root`; `None` if it stays inside."""
    try:
        resolve_inside(root, relative)
    except (OutsideFolder, OSError, RuntimeError):
        # RuntimeError: a loop of links, as Python 3.11 and 3.12 report it.
        return report(
            "path-outside-package",
            f"{printable(relative)!r} leads out of the package once symbolic links are followed.",
            plugin=plugin,
            file=file,
            path=path,
            span=span,
            hint="Copy the file into the package.",
        )
    return None


def printable(name: str) -> str:
    """A file name as valid text; bytes that are not UTF-8 become the replacement character."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _manifest_missing(names: list[str], plugin: str, layout: Layout) -> Diagnostic:
    other = _other_case(names, ROOT_MANIFEST)
    if other is not None:
        return _wrong_case(other, ROOT_MANIFEST, plugin, names)
    beside = f" beside its {RUNTIMES_FOLDER}/ folder" if layout.has_runtimes_folder else ""
    return report(
        "root-manifest-missing",
        f"The folder has no {ROOT_MANIFEST}{beside}.",
        plugin=plugin,
        hint=f"Add a {ROOT_MANIFEST} with at least a description.",
    )


def _not_a_file(entry: os.DirEntry[str], file: str, plugin: str) -> Diagnostic:
    is_dangling = entry.is_symlink() and not os.path.exists(entry.path)
    what = "a symbolic link that leads nowhere" if is_dangling else "a device, a pipe or a socket"
    return report(
        "file-unreadable",
        f"{file} cannot be read: it is {'a folder' if _is_folder(entry) else what}.",
        plugin=plugin,
        file=file,
        hint="Put the manifest's file in its place.",
    )


def _wrong_case(file: str, right: str, plugin: str, names: list[str]) -> Diagnostic:
    return report(
        "manifest-file-case",
        f"{file} is not read; the file is called {right}, in this case.",
        plugin=plugin,
        file=file,
        hint=f"Rename it to {right}.",
        fix=_rename(file, right, names),
    )


def _rename(file: str, right: str, names: list[str]) -> Fix | None:
    """The renaming of `file`; `None` when another one of the `names` could be meant as well."""
    folder, _, name = file.rpartition("/")
    others = [other for other in names if other.lower() in (name.lower(), right.lower())]
    if others != [name]:
        return None
    new = f"{folder}/{right}" if folder else right
    return Fix(f"Rename {name} to {right}", rename=FileRename(file, new))


def _other_case(names: list[str], right: str) -> str | None:
    if right in names:
        return None
    return next((name for name in sorted(names) if name.lower() == right.lower()), None)


def _list(
    folder: Path, relative: str, plugin: str, layout: Layout
) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        named = printable(relative) or "The package folder"
        layout.diagnostics.append(
            report(
                "file-unreadable",
                f"{named} cannot be listed: {error.strerror or error}.",
                plugin=plugin,
                file=printable(relative),
                hint="Check that it is a folder and that its rights allow reading.",
            )
        )
        return None


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
