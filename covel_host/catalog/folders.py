"""The folders in which packages are looked for (spec/manifest.md 2.2, spec/decisions.md 6)."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import covel_host
from covel_host.manifest.layout import ROOT_MANIFEST

PluginSource: TypeAlias = Literal["builtin", "community"]
"""Decided by the folder alone, never by a name or a manifest (spec/manifest.md 1)."""

_BUNDLED: Final = "_bundled"
_BUILTIN_PLUGINS: Final = "builtin_plugins"
_TEMPLATES: Final = "templates"


@dataclass(frozen=True, slots=True)
class PluginFolder:
    """A folder whose sub-folders are packages; with `only`, just the sub-folder of that name.

    `disabled` are IDs that a setting turns off here.
    """

    path: Path
    source: PluginSource
    only: str | None = None
    disabled: frozenset[str] = frozenset()


def plugin_folders(
    environ: Mapping[str, str], *, extra: Sequence[Path] = (), disabled: Iterable[str] = ()
) -> tuple[PluginFolder, ...]:
    """The folders to look in, first one first: an earlier package hides a later one of its ID.

    The bundled folder (or `COVEL_PLUGINS_DIR` in its place) comes first, then each of `extra`: a
    folder of packages or one package, as named on the command line; then the user folder
    (`COVEL_USER_PLUGINS_DIR`, else `plugins` in the home). Variables that are empty count as not
    set. Folders need not exist; a folder named twice is listed once, at its first place.
    `disabled` are the bundled packages that are turned off.
    """
    named = environ.get("COVEL_PLUGINS_DIR")
    bundled = _absolute(named) if named else bundled_plugins_folder()
    candidates = [
        PluginFolder(bundled, "builtin", disabled=frozenset(disabled)),
        *(_named_folder(path) for path in extra),
        PluginFolder(user_plugins_folder(environ), "community"),
    ]
    return tuple(_each_once(candidates))


def bundled_folders(folders: Iterable[PluginFolder]) -> tuple[PluginFolder, ...]:
    """Those of `folders` whose packages come with the host."""
    return tuple(folder for folder in folders if folder.source == "builtin")


def user_plugins_folder(environ: Mapping[str, str]) -> Path:
    """Where a person's own packages lie; new ones are put here."""
    named = environ.get("COVEL_USER_PLUGINS_DIR")
    return _absolute(named) if named else home_folder(environ) / "plugins"


def home_folder(environ: Mapping[str, str]) -> Path:
    """`COVEL_HOME`, or `.covel` in the person's home."""
    named = environ.get("COVEL_HOME")
    if named:
        return _absolute(named)
    person = environ.get("HOME") or environ.get("USERPROFILE")
    return (Path(person) if person else Path.home()) / ".covel"


def bundled_plugins_folder() -> Path:
    """The packages that come with the host, installed or in a checkout."""
    return _shipped(_BUILTIN_PLUGINS)


def templates_folder() -> Path:
    """The templates that come with the host, installed or in a checkout."""
    return _shipped(_TEMPLATES)


def _shipped(name: str) -> Path:
    host = Path(covel_host.__file__).parent
    installed = host / _BUNDLED / name
    return installed if installed.is_dir() else host.parent / name


def _named_folder(path: Path) -> PluginFolder:
    absolute = _absolute(str(path))
    if os.path.lexists(absolute / ROOT_MANIFEST):
        return package_folder(absolute)
    return PluginFolder(absolute, "community")


def package_folder(package: Path) -> PluginFolder:
    """The folder around one package, an absolute path, in which only that one is looked at."""
    return PluginFolder(package.parent, "community", only=package.name)


def _absolute(path: str) -> Path:
    """The path without `.` and `..`, so that a package path always has its name at the end."""
    # The function of `os.path` keeps a `~nobody` that no person has; that of `Path` fails.
    return Path(os.path.abspath(os.path.expanduser(path)))


def _each_once(folders: Sequence[PluginFolder]) -> Iterator[PluginFolder]:
    seen: set[tuple[str, str | None]] = set()
    for folder in folders:
        real = os.path.realpath(folder.path)
        if (real, None) in seen or (real, folder.only) in seen:
            continue
        seen.add((real, folder.only))
        yield folder
