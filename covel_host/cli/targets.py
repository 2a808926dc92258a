"""What a command's `PLUGIN[/RUNTIME]|PATH` names."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.catalog.discovery import Discovery, FoundPackage
from covel_host.cli.output import note, safe_text
from covel_host.manifest.layout import ROOT_MANIFEST


class NoPackage(HostError):
    """A path that was named holds no package."""


@dataclass(frozen=True, slots=True)
class Target:
    """A package, or one of its runtimes; `folder` is the package's path where one was given."""

    name: str
    folder: Path | None = None

    @property
    def plugin_id(self) -> str:
        """The ID of the package."""
        return self.name.partition("/")[0]

    @property
    def has_runtime(self) -> bool:
        """Whether one runtime of the package is named."""
        return "/" in self.name


def parse_target(text: str) -> Target:
    """What `text` names: an ID, or the path of a package, with `/<runtime>` behind it or not.

    A text that starts with `.`, `~` or `/` is a path; so is one with a `/` that leads to a
    package. A bare name is always an ID, even beside a folder of that name.

    Raises:
        NoPackage: a path that leads to no package.
    """
    path = Path(os.path.expanduser(text))
    is_explicit = text.startswith((".", "~", os.sep))
    if (is_explicit or os.sep in text) and _is_package(path):
        return _at(path)
    if not is_explicit:
        return Target(text)
    if _is_package(path.parent):
        return _at(path.parent, runtime=f"/{path.name}")
    raise NoPackage(
        f"{safe_text(text)!r} is not the folder of a package.",
        code="package-not-found",
        hint=f"A package is a folder with a {ROOT_MANIFEST} in it.",
    )


def package_not_found(
    plugin_id: str, known: Iterable[str], *, disabled: Iterable[FoundPackage] = ()
) -> NoPackage:
    """The error for an ID that no package of the folders has; the nearest one is named.

    One that is among the `disabled` is said to be that.
    """
    import difflib

    if any(found.plugin_id == plugin_id for found in disabled):
        return NoPackage(
            f"The package {plugin_id!r} is disabled.",
            code="package-disabled",
            hint=f"Turn it on again: covel plugins enable {plugin_id}",
        )
    near = difflib.get_close_matches(plugin_id, list(known), n=1)
    hint = f"Did you mean {near[0]!r}?" if near else "See: covel plugins list"
    if Path(plugin_id).is_dir():
        hint = f"A folder is named by its path: {os.curdir}{os.sep}{plugin_id}"
    return NoPackage(
        f"No package {safe_text(plugin_id)!r} was found.", code="package-not-found", hint=hint
    )


def say_hidden(discovery: Discovery, plugin_ids: Iterable[str]) -> None:
    """Note which packages of these IDs are hidden by one that comes first."""
    wanted = set(plugin_ids)
    for found in discovery.diagnostics:
        if found.name == "duplicate-package" and found.plugin in wanted:
            note(f"note: {found.message}")


def _at(path: Path, *, runtime: str = "") -> Target:
    absolute = Path(os.path.abspath(path))
    return Target(f"{absolute.name}{runtime}", absolute)


def _is_package(path: Path) -> bool:
    try:
        return os.path.lexists(path / ROOT_MANIFEST)
    except (OSError, ValueError):
        return False
