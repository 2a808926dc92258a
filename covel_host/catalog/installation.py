"""A package installed from a ZIP archive or a folder: whole, checked, or not at all.

No code of the package runs, no script, no package manager; nothing is fetched (spec/manifest.md
15). An installed package is trusted by nobody yet.
"""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from covel_host.catalog.installation_archive import read_archive, unpack
from covel_host.catalog.installation_checks import (
    CheckedContent,
    check_content,
    checked_id,
    no_manifest,
)
from covel_host.catalog.installation_content import Content, ContentSize
from covel_host.catalog.installation_folder import copy_folder
from covel_host.catalog.installation_refusals import InstallationRefused, unusable_place
from covel_host.catalog.installation_staging import new_content, put_in_place, staging_in
from covel_host.manifest.layout import ROOT_MANIFEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """A package in its place; `left_out` are paths that were not installed, such as hidden ones."""

    plugin_id: str
    root: Path
    checked: CheckedContent
    files: tuple[str, ...]
    left_out: tuple[str, ...]
    has_replaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallOptions:
    """How to install: `folder` gets the package, `reserved` are the IDs of bundled ones.

    `plugin_id` goes before what the package says of itself. With `replaces` a package of the ID
    that is there goes, once the new one is complete.
    """

    folder: Path
    reserved: Collection[str]
    plugin_id: str | None = None
    replaces: bool = False


def install_package(source: Path, options: InstallOptions) -> Installed:
    """Install the archive or folder `source`.

    Raises:
        InstallationRefused: nothing was changed; `code` says why.
        FolderBusyError: another process kept the folder.
    """
    archive = _archive(source)
    try:
        with staging_in(options.folder) as staging:
            size = ContentSize(None if archive is None else len(archive))
            content = Content(new_content(staging), size)
            if archive is None:
                _copy(source, content)
            else:
                unpack(archive, content)
            return _install(content, source, options)
    except OSError as error:
        raise unusable_place(options.folder, error) from error


def _archive(source: Path) -> bytes | None:
    """The bytes of an archive, `None` for a folder."""
    try:
        if source.is_dir():
            return None
        if not source.is_file():
            what = "is no file and no folder" if source.exists() else "does not exist"
            raise InstallationRefused("source-unreadable", f"{str(source)!r} {what}.")
        return read_archive(source)
    except OSError as error:
        raise _unreadable(source, error) from error


def _copy(source: Path, content: Content) -> None:
    try:
        if not (source / ROOT_MANIFEST).is_file():
            # Told before a whole home is walked through.
            raise no_manifest(_top_names(source))
        copy_folder(source, content)
    except OSError as error:
        # Writing fails without a name, or below the content.
        name = "" if error.filename is None else os.fsdecode(error.filename)
        if not name or name.startswith(str(content.root)):
            raise
        raise _unreadable(source, error) from error


def _top_names(source: Path) -> list[str]:
    """The files right in `source`, and the manifests of packages that lie in it."""
    nested = [f"{path.name}/{ROOT_MANIFEST}" for path in source.iterdir() if _is_package(path)]
    return [*nested, *(path.name for path in source.iterdir())]


def _is_package(path: Path) -> bool:
    return not path.name.startswith(".") and (path / ROOT_MANIFEST).is_file()


def _install(content: Content, source: Path, options: InstallOptions) -> Installed:
    if ROOT_MANIFEST not in content.files:
        raise no_manifest(content.files)
    plugin_id = checked_id(
        content.root, source, wanted=options.plugin_id, reserved=options.reserved
    )
    target = options.folder / plugin_id
    has_replaced = os.path.lexists(target)
    if has_replaced:
        _check_target(target, source, options)
    checked = check_content(content.root, plugin_id)
    put_in_place(content.root, target)
    return Installed(
        plugin_id=plugin_id,
        root=target,
        checked=checked,
        files=tuple(sorted(content.files)),
        left_out=tuple(sorted(content.left_out)),
        has_replaced=has_replaced,
    )


def _check_target(target: Path, source: Path, options: InstallOptions) -> None:
    """Refuse to take the place of what is there, unless that is wanted and makes sense."""
    is_itself = source.is_dir() and target.resolve() == source.resolve()
    if options.replaces and not is_itself:
        return
    raise InstallationRefused(
        "already-installed",
        f"{str(source)!r} is the installed package itself."
        if is_itself
        else f"There is a package {target.name!r} in {str(options.folder)!r} already.",
        hint=None if is_itself else "Put the new one in its place with --replace.",
    )


def _unreadable(source: Path, error: OSError) -> InstallationRefused:
    return InstallationRefused(
        "source-unreadable", f"{str(source)!r} cannot be read: {error.strerror or error}."
    )
