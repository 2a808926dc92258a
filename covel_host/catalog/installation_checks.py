"""What has to be true of files before they become a package of this host."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from covel_host.catalog.installation_names import shown
from covel_host.catalog.installation_refusals import InstallationRefused
from covel_host.catalog.requirements import unmet_requirements
from covel_host.catalog.sources import SourcesError, read_sources
from covel_host.diagnostics.diagnostic import Diagnostic, in_order
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.package import read_package
from covel_host.manifest.reading import PackageReading
from covel_host.manifest.text_forms import PLUGIN_ID
from covel_host.manifest.validation import validate_package

MAX_ID_LENGTH: Final = 100
"""A folder's name stays far from the 255 bytes that file systems allow."""

_ARCHIVE_SUFFIX: Final = ".zip"


@dataclass(frozen=True, slots=True)
class CheckedContent:
    """A package that may be installed; `diagnostics` are no errors, or needs of the environment."""

    reading: PackageReading
    diagnostics: tuple[Diagnostic, ...]
    content_hash: str


def checked_id(root: Path, source: Path, *, wanted: str | None, reserved: Collection[str]) -> str:
    """The ID of the package at `root`: `wanted`, what its manifest says, or the name of `source`.

    Raises:
        InstallationRefused: `id-invalid` or `id-reserved`.
    """
    plugin_id = wanted or _written_id(root) or _name(source)
    if not re.fullmatch(PLUGIN_ID, plugin_id) or len(plugin_id) > MAX_ID_LENGTH:
        raise InstallationRefused(
            "id-invalid",
            f"{shown(plugin_id)} is not the ID of a package.",
            hint="Give it one with --id: a lowercase letter, then lowercase letters, digits and "
            f"hyphens, at most {MAX_ID_LENGTH}.",
        )
    if plugin_id in reserved:
        raise InstallationRefused(
            "id-reserved",
            f"{plugin_id!r} is the ID of a bundled package, and stays its.",
            hint="Install it under another ID with --id, where its manifest names none.",
        )
    return plugin_id


def check_content(root: Path, plugin_id: str) -> CheckedContent:
    """The package at `root` after the validator's checks; none of its code runs.

    Raises:
        InstallationRefused: `package-invalid`, with the errors.
    """
    reading = read_package(root, plugin_id=plugin_id)
    found = in_order([*validate_package(reading).diagnostics, *unmet_requirements(reading)])
    wrong = tuple(filter(_refuses, found))
    if wrong:
        errors = "1 error" if len(wrong) == 1 else f"{len(wrong)} errors"
        raise InstallationRefused(
            "package-invalid",
            f"The package {plugin_id!r} has {errors}.",
            diagnostics=wrong,
            reading=reading,
        )
    try:
        return CheckedContent(reading, found, read_sources(root).content_hash)
    except SourcesError as error:
        raise InstallationRefused("package-invalid", error.message) from error


def no_manifest(names: Iterable[str]) -> InstallationRefused:
    """The refusal for content without `PLUGIN.md` at its root; `names` are the paths it has."""
    listed = list(names)
    nested = [name for name in listed if name.endswith(f"/{ROOT_MANIFEST}")]
    direct = [name for name in nested if name.count("/") == 1]
    if len(direct) == 1:
        folder = direct[0].removesuffix(f"/{ROOT_MANIFEST}")
        return InstallationRefused(
            "nested-root",
            f"The package lies in the folder {shown(folder)}; its files belong at the root.",
            hint="Name that folder itself, or make the archive from inside it: "
            "zip -r ../package.zip .",
        )
    other = next((name for name in listed if name.lower() == ROOT_MANIFEST.lower()), None)
    return InstallationRefused(
        "manifest-missing",
        f"There is no {ROOT_MANIFEST} at the root.",
        hint=None if other is None else f"{other} has to be called {ROOT_MANIFEST}, in this case.",
    )


def _written_id(root: Path) -> str | None:
    manifest = read_package(root).manifest
    return None if manifest is None else manifest.id


def _name(source: Path) -> str:
    name = source.resolve().name
    is_archive = not source.is_dir() and name.lower().endswith(_ARCHIVE_SUFFIX)
    return name[: -len(_ARCHIVE_SUFFIX)] if is_archive else name


def _refuses(found: Diagnostic) -> bool:
    # What is missing in this environment can be put there afterwards.
    return found.severity == "error" and found.name != "python-requirement-unmet"
