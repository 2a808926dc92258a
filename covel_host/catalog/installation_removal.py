"""An installed package removed; what sessions keep of it stays (spec/manifest.md 15.7)."""

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.installation_refusals import InstallationRefused, unusable_place
from covel_host.catalog.installation_staging import staging_in, take_out


@dataclass(frozen=True, slots=True)
class InstalledPlace:
    """Where an installed package lies; one that `is_link` is a checkout elsewhere, which stays."""

    plugin_id: str
    root: Path
    is_link: bool


def installed_place(plugin_id: str, folder: Path, *, reserved: Collection[str]) -> InstalledPlace:
    """The package of that ID in the user's `folder`, disabled or broken ones too.

    Raises:
        InstallationRefused: `bundled-package` or `not-installed`.
    """
    # By listing, so that an ID is a name in the folder and never a path.
    found = discover([PluginFolder(folder, "community")])
    for package in (*found.packages, *found.disabled):
        if package.plugin_id == plugin_id:
            return InstalledPlace(plugin_id, package.root, package.root.is_symlink())
    if plugin_id in reserved:
        raise InstallationRefused(
            "bundled-package",
            f"{plugin_id!r} comes with the host and cannot be removed.",
            hint=f"Turn it off: covel plugins disable {plugin_id}",
        )
    raise InstallationRefused(
        "not-installed", f"There is no package {plugin_id!r} in {str(folder)!r}."
    )


def remove_package(place: InstalledPlace) -> None:
    """Remove the package in one step: it is there whole, or gone.

    Raises:
        InstallationRefused: `place-unusable`, or `not-installed` when it has gone meanwhile.
        FolderBusyError: another process kept the folder.
    """
    folder = place.root.parent
    try:
        with staging_in(folder) as staging:
            if not os.path.lexists(place.root):
                raise InstallationRefused(
                    "not-installed", f"There is no package {place.plugin_id!r} any more."
                )
            take_out(place.root, staging)
    except OSError as error:
        raise unusable_place(folder, error) from error
