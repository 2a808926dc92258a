"""What a package asks of host and environment, checked before any of its code runs."""

import importlib.metadata
import operator
import platform
import re
import shlex
from collections.abc import Iterator
from typing import Final

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from covel_host import __version__
from covel_host.diagnostics.diagnostic import Diagnostic
from covel_host.manifest.layout import ROOT_MANIFEST
from covel_host.manifest.reading import PackageReading

_COMPARATOR: Final = re.compile(r"(>=|<=|>|<|=)?([0-9]+\.[0-9]+\.[0-9]+)")
_COMPARISONS: Final = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "=": operator.eq,
}


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
            hint="Install and run the host with such a Python.",
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
    """Whether `version` meets every comparator; `None` when one side cannot be read.

    Pre-release and build parts of the host's version are ignored (spec/manifest.md 15.6).
    """
    try:
        own = Version(Version(version).base_version)
    except InvalidVersion:
        return None
    comparators = [_COMPARATOR.fullmatch(comparator) for comparator in host_range.split()]
    bounds = [(match[1] or "=", Version(match[2])) for match in comparators if match is not None]
    if len(bounds) < len(comparators):
        return None
    return all(_COMPARISONS[sign](own, bound) for sign, bound in bounds)


def _python_fits(wanted: str) -> bool:
    try:
        return SpecifierSet(wanted).contains(platform.python_version(), prereleases=True)
    except InvalidSpecifier:
        # Told by the manifest's own rules.
        return True


def _dependency_problem(text: str) -> str | None:
    try:
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate():
            return None
    except (InvalidRequirement, UndefinedComparison, UndefinedEnvironmentName):
        # Told by the manifest's own rules, or a condition that nothing meets.
        return None
    try:
        installed = importlib.metadata.version(requirement.name)
        fits = requirement.specifier.contains(installed, prereleases=True)
    except importlib.metadata.PackageNotFoundError:
        return "it is not installed"
    except InvalidVersion:
        return "its installed version cannot be read"
    return None if fits else f"version {installed} is installed"
