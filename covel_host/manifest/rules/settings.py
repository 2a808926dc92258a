"""Defaults of player settings (spec/manifest.md 4.9)."""

from collections.abc import Iterator
from typing import Final

from covel_host.diagnostics.values_shown import shown
from covel_host.manifest.rules.facts import RootFacts
from covel_host.manifest.rules.rule import Path, Problem, field, rule
from covel_host.manifest.setting_values import expected_instead


@rule("4.9", "setting-default-unfit", "The default of a setting can be chosen by a player.")
def default_unfit(root: RootFacts) -> Iterator[Problem]:
    for index, setting in enumerate(root.contributes.settings):
        if setting.default is None:
            continue
        expected = expected_instead(setting, setting.default)
        if expected is not None:
            path: Path = ("contributes", "settings", index, "default")
            yield Problem(
                path,
                f"{field(path)} is {shown(setting.default)}; the setting takes {expected}.",
                "Change the default, or leave it out.",
            )


@rule("4.9", "setting-default-unfit", "The limits of a number leave room for a value.")
def limits_crossed(root: RootFacts) -> Iterator[Problem]:
    for index, setting in enumerate(root.contributes.settings):
        if setting.min is not None and setting.max is not None and setting.min > setting.max:
            path: Path = ("contributes", "settings", index, "min")
            yield Problem(
                path,
                f"{field(path)} is {shown(setting.min)}, more than 'max', which is "
                f"{shown(setting.max)}.",
                "Exchange the two.",
            )


RULES: Final = (default_unfit, limits_crossed)
