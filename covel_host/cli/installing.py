"""Packages installed and removed for a person, with what the terminal says of it."""

import os
from collections.abc import Sequence
from pathlib import Path

from covel_host.base.clock import SystemClock
from covel_host.catalog.discovery import discover
from covel_host.catalog.excerpt_texts import texts_of
from covel_host.catalog.folders import bundled_folders, user_plugins_folder
from covel_host.catalog.installation import Installed, InstallOptions, install_package
from covel_host.catalog.installation_refusals import InstallationRefused
from covel_host.catalog.installation_removal import (
    InstalledPlace,
    installed_place,
    remove_package,
)
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.catalog.trust import Grant, brings_code, trust_advice
from covel_host.catalog.trust_records import TrustFile
from covel_host.cli.failures import DetailedError
from covel_host.cli.output import counted, path_text, safe_text
from covel_host.cli.targets import package_not_found
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.diagnostics.formats import as_json, format_full
from covel_host.manifest.reading import PackageReading
from covel_host.settings import Settings

_SHOWN_LEFT_OUT = 5


def perform_install(
    source: Path, settings: Settings, *, plugin_id: str | None, replaces: bool
) -> Installed:
    """The package, installed into the user's folder.

    Raises:
        InstallationRefused: nothing was changed.
        DetailedError: the same for a package with errors, which it shows.
        FolderBusyError: another process kept the folder.
    """
    options = InstallOptions(
        folder=user_plugins_folder(settings.environ),
        reserved=_bundled_ids(settings),
        plugin_id=plugin_id,
        replaces=replaces,
    )
    try:
        return install_package(Path(os.path.expanduser(source)), options)
    except InstallationRefused as refused:
        if refused.reading is None:
            raise
        raise DetailedError(
            f"{refused.message} Nothing was installed.",
            code=refused.code,
            text=_shown(refused.diagnostics, refused.reading),
            members={"diagnostics": [as_json(found) for found in refused.diagnostics]},
        ) from refused


def find_installed(plugin_id: str, settings: Settings) -> InstalledPlace:
    """The installed package of that ID.

    Raises:
        InstallationRefused: `bundled-package`, or `not-installed`, with the nearest ID as a hint.
    """
    folder = user_plugins_folder(settings.environ)
    try:
        return installed_place(plugin_id, folder, reserved=_bundled_ids(settings))
    except InstallationRefused as refused:
        if refused.code != "not-installed":
            raise
        found = discover(settings.folders)
        known = [
            each.plugin_id for each in (*found.packages, *found.disabled) if each.folder == folder
        ]
        hint = package_not_found(plugin_id, known).hint
        raise InstallationRefused(refused.code, refused.message, hint=hint) from refused


def perform_uninstall(place: InstalledPlace, settings: Settings) -> None:
    """Remove the package; the trust in it ends first, so that it never outlives its folder.

    Raises:
        InstallationRefused: it cannot be removed; it is no longer trusted all the same.
        TrustFileError: the file of grants cannot be written; nothing was done.
    """
    trust = settings.trust
    if place.plugin_id in trust.records or place.plugin_id in trust.trusted:
        try:
            content_hash = read_sources(place.root).content_hash
        except SourcesError:
            content_hash = ""
        TrustFile(settings.trust_file).end(
            place.plugin_id,
            content_hash=content_hash,
            ended="uninstalled",
            at=SystemClock().now(),
        )
    remove_package(place)


def installed_json(installed: Installed, settings: Settings) -> dict[str, object]:
    """What was installed, and whether its code may run."""
    grant = _grant(installed, settings)
    manifest = installed.checked.reading.manifest
    return {
        "id": installed.plugin_id,
        "path": path_text(installed.root),
        "version": None if manifest is None else manifest.version,
        "contentHash": installed.checked.content_hash,
        "hasReplaced": installed.has_replaced,
        "files": list(installed.files),
        "leftOut": list(installed.left_out),
        "hasCode": brings_code(installed.checked.reading),
        "trust": None if grant is None else grant.origin,
        "diagnostics": [as_json(found) for found in installed.checked.diagnostics],
    }


def installed_text(installed: Installed, settings: Settings) -> str:
    """What was installed, what is odd about it, and what comes next."""
    done = "Replaced" if installed.has_replaced else "Installed"
    files = counted(len(installed.files), "file")
    lines = [
        f"{done} {installed.plugin_id!r}: {files} in {path_text(installed.root)}",
        f"  content {installed.checked.content_hash}",
    ]
    if installed.left_out:
        more = len(installed.left_out) - _SHOWN_LEFT_OUT
        names = ", ".join(installed.left_out[:_SHOWN_LEFT_OUT])
        lines.append(f"  left out {names}{f' and {more} more' if more > 0 else ''}")
    lines.append(f"  {_next(installed, settings)}")
    text = "".join(f"{line}\n" for line in lines)
    odd = [found for found in installed.checked.diagnostics if found.severity != "info"]
    return text + (f"\n{_shown(odd, installed.checked.reading)}" if odd else "")


def _next(installed: Installed, settings: Settings) -> str:
    if not brings_code(installed.checked.reading):
        return "It brings no code."
    grant = _grant(installed, settings)
    if grant is not None:
        return f"Its code is trusted by {grant.origin}."
    return trust_advice(installed.plugin_id)


def _grant(installed: Installed, settings: Settings) -> Grant | None:
    return settings.trust.grant(
        installed.plugin_id,
        source="community",
        content_hash=installed.checked.content_hash,
        root=installed.root,
    )


def _bundled_ids(settings: Settings) -> frozenset[str]:
    found = discover(bundled_folders(settings.folders))
    return frozenset(each.plugin_id for each in (*found.packages, *found.disabled))


def _shown(found: Sequence[Diagnostic], reading: PackageReading) -> str:
    return safe_text(format_full(found, sources=texts_of(reading)))
