"""Settings of a package in one session: shown, set by the player, unset."""

from functools import partial

from covel_host.base.json_text import JsonTextError, dump_json, parse_json
from covel_host.catalog.catalog import Catalog
from covel_host.cli.in_session import read_packages, read_store
from covel_host.cli.output import one_line, table, write_json, write_text
from covel_host.cli.session_changing import change_setting
from covel_host.cli.session_reports import report_change
from covel_host.settings import Settings
from covel_host.store.sessions import require_session
from covel_host.store.transaction import Reading
from covel_host.turn.session_setting_changes import declared_settings
from covel_host.turn.session_settings import (
    EffectiveSetting,
    SessionSettings,
    effective_settings,
    read_session_settings,
)
from plugin_sdk.values import JsonValue

_TEXTS = ("text", "textarea", "select", "slot")
_SHOWN = 60


def set_value(
    settings: Settings,
    session_id: str,
    plugin_id: str,
    key: str,
    value: str | None,
    *,
    as_json: bool,
) -> None:
    """Set the player's value, or with None take it away, and say so."""
    given = None if value is None else partial(_given, plugin_id=plugin_id, key=key, text=value)
    changed = change_setting(settings, session_id, plugin_id, key, given)
    shown = "as the world or its default has it" if value is None else one_line(value, limit=_SHOWN)
    report_change(changed, f"{plugin_id} {key} is {shown}", as_json=as_json)


def show_settings(settings: Settings, session_id: str, plugin_id: str, *, as_json: bool) -> None:
    """`{sessionId, pluginId, settings: [{key, type, value, origin, ignored}], stale}`, or a table.

    `stale` are keys that the player set and the package does not declare any more.
    """

    def read(reading: Reading) -> SessionSettings:
        require_session(reading, session_id)
        return read_session_settings(reading, session_id)

    stored = read_store(settings, read)
    declared = declared_settings(read_packages(settings, (), others=[plugin_id]), plugin_id)
    found = list(effective_settings(stored, plugin_id, declared))
    keys = {setting.key for setting in declared}
    stale = sorted(stored.player.get(plugin_id, {}).keys() - keys)
    if as_json:
        write_json(
            {
                "sessionId": session_id,
                "pluginId": plugin_id,
                "settings": [_row(one) for one in found],
                "stale": stale,
            }
        )
        return
    if not found:
        write_text(f"The package {plugin_id} has no settings.\n")
        return
    rows = [(one.setting.key, one.setting.type, _value(one), _origin(one)) for one in found]
    write_text(table([("SETTING", "TYPE", "VALUE", "FROM"), *rows]))
    if stale:
        write_text(f"Set and not declared any more: {', '.join(stale)}.\n")


def _given(catalog: Catalog, *, plugin_id: str, key: str, text: str) -> JsonValue:
    """What the command line gave: a text for settings of texts, else JSON where it is that."""
    kinds = {setting.key: setting.type for setting in declared_settings(catalog, plugin_id)}
    if kinds.get(key) in _TEXTS:
        return text
    try:
        return parse_json(text)
    except JsonTextError:
        return text


def _row(found: EffectiveSetting) -> dict[str, object]:
    return {
        "key": found.setting.key,
        "type": found.setting.type,
        "value": found.value,
        "origin": found.origin,
        "ignored": list(found.ignored),
    }


def _value(found: EffectiveSetting) -> str:
    value = found.value
    if value is None:
        return "-"
    return one_line(value if isinstance(value, str) else dump_json(value), limit=_SHOWN)


def _origin(found: EffectiveSetting) -> str:
    if not found.ignored:
        return found.origin
    return f"{found.origin} (unfit: {', '.join(found.ignored)})"
