"""What a package asks of host and environment, checked before any of its code runs."""

import importlib.metadata
import platform
import re
import shlex
from collections.abc import Iterator
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from covel_host import __version__
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.package import PackageReading

_COMPARATOR: Final = re.compile(r"(>=|<=|>|<|=)?(\d+\.\d+\.\d+)")


def unmet_requirements(reading: PackageReading) -> Iterator[Diagnostic]:
    """`host-version-unfit` and `python-requirement-unmet`, each with what to do.

    Nothing is installed unasked; the hint is the exact command (spec/decisions.md 1).
    """
    top = reading.files.get(ROOT_MANIFEST)
    manifest = reading.manifest
    if manifest is None or top is None:
        return
    if manifest.covel is not None and host_fits(manifest.covel, __version__) is False:
        yield top.report(
            "host-version-unfit",
            f"The package wants a host of version {manifest.covel!r}; this one is {__version__}.",
            path=("covel",),
            hint="Install a host in that range, or another version of the package.",
        )
    if manifest.python is None:
        return
    wanted = manifest.python.requires
    if wanted is not None and not _python_fits(wanted):
        yield top.report(
            "python-requirement-unmet",
            f"The package wants Python {wanted!r}; this is {platform.python_version()}.",
            path=("python", "requires"),
        )
    for index, text in enumerate(manifest.python.dependencies):
        problem = _dependency_problem(text)
        if problem is not None:
            yield top.report(
                "python-requirement-unmet",
                f"The package needs {text!r}: {problem}.",
                path=("python", "dependencies", index),
                hint=f"Install it: python -m pip install {shlex.quote(text)}",
            )


def host_fits(host_range: str, version: str) -> bool | None:
    """Whether `version` meets every comparator; `None` when the range cannot be read.

    Pre-release and build parts of the host's version are ignored (spec/manifest.md 15.6).
    """
    own = Version(Version(version).base_version)
    for comparator in host_range.split():
        match = _COMPARATOR.fullmatch(comparator)
        if match is None:
            return None
        operator, bound = match[1] or "=", Version(match[2])
        fits = {
            ">=": own >= bound,
            ">": own > bound,
            "<=": own <= bound,
            "<": own < bound,
            "=": own == bound,
        }[operator]
        if not fits:
            return False
    return True


def _python_fits(wanted: str) -> bool:
    try:
        return SpecifierSet(wanted).contains(platform.python_version(), prereleases=True)
    except InvalidSpecifier:
        return False


def _dependency_problem(text: str) -> str | None:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return "it is not a requirement as PEP 508 defines them, such as 'httpx>=0.27'"
    if requirement.marker is not None and not requirement.marker.evaluate():
        return None
    try:
        installed = importlib.metadata.version(requirement.name)
    except importlib.metadata.PackageNotFoundError:
        return "it is not installed"
    if not requirement.specifier.contains(installed, prereleases=True):
        return f"version {installed} is installed"
    return None
