"""The settings of packages in one session: what applies, where it comes from, how it is changed.

First one that is set: the player's value, the world's preset, the manifest's default
(spec/manifest.md 4.9, spec/world.md 7.2).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from covel_host.catalog.generation import Generation
from covel_host.manifest.contributed_interface import Setting
from covel_host.manifest.setting_values import expected_instead
from covel_host.store.session_choices import read_setting_values
from covel_host.store.session_worlds import session_world_text
from covel_host.store.transaction import Reading
from plugin_sdk.values import JsonValue

SettingOrigin: TypeAlias = Literal["player", "world", "default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSettings:
    """What players and the world set, by package and setting; nothing of it is checked yet."""

    player: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    world: Mapping[str, Mapping[str, JsonValue]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EffectiveSetting:
    """One declared setting with the value that applies; None where nothing gives one.

    `ignored` are the layers whose values do not fit the declaration (any more).
    """

    setting: Setting
    value: JsonValue
    origin: SettingOrigin
    ignored: tuple[SettingOrigin, ...] = ()


def read_session_settings(
    reading: Reading, session_id: str, *, revision: int | None = None
) -> SessionSettings:
    """What is set in the session, or as `revision` left it."""
    return SessionSettings(
        player=read_setting_values(reading, session_id, revision=revision),
        world=_presets(reading, session_id),
    )


def settings_of(settings: SessionSettings, generation: Generation) -> dict[str, JsonValue]:
    """The value of each setting of a package that has one, by key.

    A value that does not fit its declaration counts as not set: packages change, and a package is
    never handed what it excludes.
    """
    manifest = generation.reading.manifest
    declared = () if manifest is None else manifest.contributes.settings
    return {
        found.setting.key: found.value
        for found in effective_settings(settings, generation.plugin_id, declared)
        if found.value is not None
    }


def effective_settings(
    settings: SessionSettings, plugin_id: str, declared: tuple[Setting, ...]
) -> Iterator[EffectiveSetting]:
    """Every declared setting in its order, with the value that applies and its origin."""
    layers: tuple[tuple[SettingOrigin, Mapping[str, JsonValue]], ...] = (
        ("player", settings.player.get(plugin_id, {})),
        ("world", settings.world.get(plugin_id, {})),
    )
    for setting in declared:
        ignored: list[SettingOrigin] = []
        for origin, values in layers:
            if setting.key not in values:
                continue
            if expected_instead(setting, values[setting.key]) is None:
                yield EffectiveSetting(setting, values[setting.key], origin, tuple(ignored))
                break
            ignored.append(origin)
        else:
            yield EffectiveSetting(setting, setting.default, "default", tuple(ignored))


def _presets(reading: Reading, session_id: str) -> dict[str, dict[str, JsonValue]]:
    text = session_world_text(reading, session_id)
    # The record holds the whole lore: it is parsed only where it can have presets.
    if text is None or '"pluginSettings"' not in text.text:
        return {}
    record: Any = text.parsed()
    presets = record["metadata"].get("pluginSettings", {})
    return {name: values for name, values in presets.items() if isinstance(values, dict)}
