"""Defaults of player settings (spec/manifest.md 4.9)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.values_shown import shown
from covel_host.manifest.contributed_interface import Setting
from covel_host.manifest.rules.facts import RootFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule

_NUMERIC: Final = ("number", "integer", "slider")


@rule("4.9", "setting-default-unfit", "The default of a setting can be chosen by a player.")
def default_unfit(root: RootFacts) -> Iterator[Problem]:
    for index, setting in enumerate(root.contributes.settings):
        expected = _expected(setting)
        if expected is not None:
            path: Path = ("contributes", "settings", index, "default")
            yield Problem(
                path,
                f"{field(path)} is {shown(setting.default)}; the setting is of type "
                f"{setting.type!r}, so expected {expected}.",
                "Change the default, or leave it out.",
            )


@rule("4.9", "setting-default-unfit", "The limits of a number leave room for a value.")
def limits_crossed(root: RootFacts) -> Iterator[Problem]:
    for index, setting in enumerate(root.contributes.settings):
        if setting.min is not None and setting.max is not None and setting.min > setting.max:
            path: Path = ("contributes", "settings", index, "min")
            yield Problem(
                path,
                f"{field(path)} is {setting.min:g}, more than 'max', which is {setting.max:g}.",
                "Exchange the two.",
            )


def _expected(setting: Setting) -> str | None:
    """What the default should be, `None` when it is that or not written."""
    value = setting.default
    if value is None:
        return None
    if setting.type in _NUMERIC:
        return _expected_number(setting, value)
    if setting.type == "toggle":
        return None if isinstance(value, bool) else "true or false"
    if not isinstance(value, str):
        return "a text"
    options = [option.value for option in setting.options or ()]
    if setting.type == "select" and options and value not in options:
        return f"one of {', '.join(map(repr, options[:8]))}"
    return None


def _expected_number(setting: Setting, value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return "a number"
    if setting.type == "integer" and not isinstance(value, int):
        return "a whole number"
    if setting.min is not None and value < setting.min:
        return f"at least {setting.min:g}"
    if setting.max is not None and value > setting.max:
        return f"at most {setting.max:g}"
    return None


RULES: Final = (default_unfit, limits_crossed)
