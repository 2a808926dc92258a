"""The settings of hosts that tests open: a home of their own, and nothing of the person's."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from covel_host.models.slot_file import FILE_NAME
from covel_host.settings import Settings, read_settings
from covel_host.testing.package_folders import companion_folder

Plan: TypeAlias = Callable[[Path], tuple[Settings, tuple[str, ...]]]
"""Settings for the home that is given, and the IDs of the packages that a session gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateHostOptions:
    """What a test wants of its host.

    `companions` are further packages, by path or ID; `folders` are plugin folders to find packages
    in, none unless asked for.
    """

    companions: Sequence[str] = ()
    folders: Sequence[Path] = ()
    locale: str = "en"
    seed: int = 0


def private_plan(package: Path, options: PrivateHostOptions) -> Plan:
    """The plan of a test in the package: it and its companions are trusted, the rest not there."""
    folders, packages = named_packages(package, options.companions)

    def plan(home: Path) -> tuple[Settings, tuple[str, ...]]:
        settings = read_settings(
            {"COVEL_HOME": str(home), "COVEL_RANDOM_SEED": str(options.seed)},
            extra_folders=[*folders, *options.folders],
            trust=packages,
            locale=options.locale,
        )
        return in_private_home(settings, home), packages

    return plan


def author_plan(package: Path, companions: Sequence[str], *, is_live: bool) -> Plan:
    """The plan of a package's own cases; with `is_live` with the person's model slots."""
    if not is_live:
        return private_plan(package, PrivateHostOptions(companions=companions))
    folders, packages = named_packages(package, companions)
    # The person's settings name the slots; their packages are not looked at.
    environ = {**os.environ, "COVEL_USER_PLUGINS_DIR": os.devnull}
    settings = read_settings(environ, extra_folders=folders, trust=packages)
    return lambda home: (with_live_models(settings, home), packages)


def named_packages(
    package: Path, companions: Sequence[str]
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Folders and IDs of a package and its companions; a companion's ID alone gives no folder."""
    folders, packages = [package], [package.name]
    for written in companions:
        folder = companion_folder(written, package=package)
        if folder is not None:
            folders.append(folder)
        packages.append(written if folder is None else folder.name)
    return tuple(folders), tuple(dict.fromkeys(packages))


def in_private_home(settings: Settings, home: Path) -> Settings:
    """`settings` with that home, and no model slot: replies are played."""
    seed = settings.random_seed or 0
    return replace(settings, home=home, working_directory=home, random_seed=seed, environ={})


def with_live_models(settings: Settings, home: Path) -> Settings:
    """`settings` with that home, and the model slots that every command takes.

    These are `COVEL_LLM_TOML`, then `llm.toml` in the person's home, then in the working directory.
    """
    environ = dict(settings.environ)
    own = settings.home / FILE_NAME
    if not environ.get("COVEL_LLM_TOML") and own.is_file():
        environ["COVEL_LLM_TOML"] = os.fspath(own)
    return replace(settings, home=home, environ=environ)
