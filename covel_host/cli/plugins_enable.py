"""Packages turned off and on: by a mark in their folder, bundled ones by a setting."""

from dataclasses import dataclass
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.catalog.discovery import DISABLED_MARK, FoundPackage, discover
from covel_host.cli.output import path_text
from covel_host.cli.settings_edit import set_disabled
from covel_host.cli.targets import package_not_found
from covel_host.settings import SETTINGS_FILE, Settings

_MARK_TEXT = "This package is disabled. Remove this file, or: covel plugins enable"


class NotEnabled(HostError):
    """The mark of a package cannot be written or removed."""


@dataclass(frozen=True, slots=True)
class Switched:
    """A package after the command; `has_changed` is false when it was so before.

    `by` is what says so: the mark in its folder, or the settings file.
    """

    found: FoundPackage
    is_enabled: bool
    has_changed: bool
    by: Path


def switch(plugin_id: str, settings: Settings, *, is_enabled: bool) -> Switched:
    """Turn the package on or off; nothing of it is loaded or unloaded in other processes.

    Raises:
        NoPackage: no package has this ID.
        NotEnabled: its folder cannot be written.
        SettingsNotChanged: the settings file cannot be.
    """
    discovery = discover(settings.folders)
    others, wanted = discovery.packages, discovery.disabled
    if not is_enabled:
        others, wanted = wanted, others
    for found in (*wanted, *others):
        if found.plugin_id == plugin_id:
            return _switched(found, settings, is_enabled=is_enabled)
    known = [found.plugin_id for found in (*wanted, *others)]
    raise package_not_found(plugin_id, known)


def _switched(found: FoundPackage, settings: Settings, *, is_enabled: bool) -> Switched:
    mark = found.root / DISABLED_MARK
    file = settings.home / SETTINGS_FILE
    by_setting = found.source == "builtin"
    changed = by_setting and set_disabled(file, found.plugin_id, is_disabled=not is_enabled)
    try:
        if is_enabled:
            # Also of a bundled package, where someone put one by hand.
            changed |= _unmark(mark)
        elif not by_setting:
            changed = _mark(mark)
    except OSError as error:
        raise NotEnabled(
            f"{path_text(mark)!r} cannot be {'removed' if is_enabled else 'written'}: "
            f"{error.strerror or error}.",
            code="not-writable",
            hint="Check the rights of the package's folder.",
        ) from error
    return Switched(found, is_enabled, changed, file if by_setting else mark)


def _mark(mark: Path) -> bool:
    if mark.is_file():
        return False
    mark.write_text(f"{_MARK_TEXT} {mark.parent.name}\n", encoding="utf-8")
    return True


def _unmark(mark: Path) -> bool:
    try:
        mark.unlink()
    except FileNotFoundError:
        return False
    return True


def switched_json(switched: Switched) -> dict[str, object]:
    """`{id, isEnabled, hasChanged, by}`."""
    return {
        "id": switched.found.plugin_id,
        "isEnabled": switched.is_enabled,
        "hasChanged": switched.has_changed,
        "by": path_text(switched.by),
    }


def switched_text(switched: Switched) -> str:
    """What is so now, and what says it."""
    state = "enabled" if switched.is_enabled else "disabled"
    already = "" if switched.has_changed else "already "
    where = "" if switched.is_enabled else f", by {path_text(switched.by)}"
    return f"{switched.found.plugin_id} is {already}{state}{where}.\n"
