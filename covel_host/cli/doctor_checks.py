"""Everything `covel doctor` looks at; one part that fails stops no other."""

import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from covel_host import __version__
from covel_host.base.errors import HostError
from covel_host.catalog.folders import home_folder
from covel_host.cli.checks import Check
from covel_host.cli.doctor_packages import folder_checks, package_checks
from covel_host.cli.log_file import log_to_file
from covel_host.cli.output import counted, path_text
from covel_host.models.slot_file import load_slots
from covel_host.settings import Settings, read_settings
from covel_host.store.options import StoreOptions
from covel_host.store.reader import StoreReader

OLDEST_PYTHON: Final = (3, 11)
_INSTALL: Final = "Install the host again: python -m pip install --force-reinstall covel-host"


def all_checks(
    environ: Mapping[str, str], *, trusted: Sequence[str], is_safe: bool = False
) -> list[Check]:
    """Every check, in the order in which they depend on one another."""
    checks = [_python(), *_libraries(), _home(home_folder(environ))]
    try:
        settings = read_settings(environ, trust=trusted, is_safe=is_safe)
        with log_to_file(settings):
            return [
                *checks,
                _database(settings),
                *folder_checks(settings),
                *package_checks(settings),
                *_models(settings),
            ]
    except HostError as error:
        return [*checks, _problem("settings", error)]


def _python() -> Check:
    message = f"covel {__version__} on Python {platform.python_version()}"
    if sys.version_info < OLDEST_PYTHON:
        return Check("python", "problem", message, "Python 3.11 or newer is needed.")
    return Check("python", "ok", message)


def _libraries() -> Iterator[Check]:
    """What the host itself depends on, in versions that it is made for."""
    fine = []
    for requirement in _required():
        wanted = str(requirement.specifier)
        try:
            installed = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            yield Check("libraries", "problem", f"{requirement.name} is missing.", _INSTALL)
            continue
        if requirement.specifier.contains(installed, prereleases=True):
            fine.append(f"{requirement.name} {installed}")
        else:
            message = f"{requirement.name} is {installed}; {wanted} is needed."
            yield Check("libraries", "problem", message, _INSTALL)
    yield Check("libraries", "ok", ", ".join(fine))


def _required() -> list[Requirement]:
    written = importlib.metadata.requires("covel-host") or []
    requirements = [Requirement(text) for text in written]
    # Those of extras have a marker that is false here.
    return [found for found in requirements if not found.marker or found.marker.evaluate()]


def _home(home: Path) -> Check:
    shown = path_text(home)
    if home.exists() and not home.is_dir():
        return Check("home", "problem", f"{shown} is not a folder.", "Set COVEL_HOME to a folder.")
    nearest = next(folder for folder in (home, *home.parents) if folder.exists())
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Check(
            "home",
            "problem",
            f"{shown} cannot be written.",
            f"Give yourself the right to write {path_text(nearest)}, or set COVEL_HOME.",
        )
    made = "" if home.exists() else ", made when something is stored"
    return Check("home", "ok", f"{shown}{made}")


def _database(settings: Settings) -> Check:
    shown = path_text(settings.database)
    if not settings.database.exists():
        return Check("database", "ok", f"{shown} is not there yet; the first run makes it")
    try:
        StoreReader.open(StoreOptions(path=settings.database)).close()
    except HostError as error:
        return _problem("database", error)
    return Check("database", "ok", f"{shown}, schema up to date")


def _models(settings: Settings) -> Iterator[Check]:
    try:
        table = load_slots(
            environment=settings.environ,
            home=settings.home,
            working_directory=settings.working_directory,
        )
    except HostError as error:
        yield _problem("models", error)
        return
    if not table.slots:
        yield Check(
            "models",
            "warning",
            "No model is configured, so the offline model answers.",
            "See: covel models",
        )
        return
    for slot in table.slots.values():
        problem = slot.problem()
        name = f"{slot.provider.value}/{slot.model.value}"
        if problem is None:
            yield Check("models", "ok", f"{slot.name}: {name}; try it: covel models --test")
        else:
            yield _problem("models", problem)
    if table.file:
        yield Check("models", "ok", f"{counted(len(table.slots), 'slot')} in {table.file}")


def _problem(subject: str, error: HostError) -> Check:
    return Check(subject, "problem", error.message, error.hint or "")
