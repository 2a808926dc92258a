"""Players' values of package settings, checked against what the packages declare."""

from collections.abc import Collection

from covel_host.catalog.catalog import Catalog
from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.values_shown import shown
from covel_host.manifest.contributed_interface import Setting
from covel_host.manifest.setting_values import expected_instead
from covel_host.store.records import SessionRecord
from covel_host.store.session_choices import (
    delete_setting_value,
    put_setting_values,
    read_setting_values,
)
from covel_host.store.transaction import Transaction
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_changes import (
    UNCHANGED,
    Changed,
    ChangePlace,
    ChangePorts,
    Unchanged,
    change_session,
)
from plugin_sdk.values import JsonValue


def declared_settings(catalog: Catalog, plugin_id: str) -> tuple[Setting, ...]:
    """The settings that an installed package declares.

    Raises:
        RequestRefused: `package-not-found`.
    """
    state = catalog.packages.get(plugin_id)
    manifest = None if state is None else state.reading.manifest
    if manifest is None:
        raise RequestRefused(
            f"The package {plugin_id!r} is not installed, or its manifest cannot be read.",
            code="package-not-found",
            hint="See: covel plugins list",
        )
    return tuple(manifest.contributes.settings)


async def set_setting(
    ports: ChangePorts,
    session_id: str,
    plugin_id: str,
    key: str,
    value: JsonValue,
    *,
    catalog: Catalog,
    slots: Collection[str],
) -> Changed:
    """Give a setting the player's value, from the next turn on.

    `slots` are the configured model slots, for settings of type `slot`. The package need not be
    in the session yet.

    Raises:
        RequestRefused: `package-not-found`, `setting-not-found`, `setting-value-invalid`, or as
            `change_session`.
    """
    _refuse_unfit(_declared(declared_settings(catalog, plugin_id), plugin_id, key), value, slots)

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        known = read_setting_values(transaction, session_id).get(plugin_id, {})
        if key in known and _is_same(known[key], value):
            return UNCHANGED
        put_setting_values(
            transaction,
            session_id,
            plugin_id,
            {key: value},
            revision=place.revision,
            at=place.at,
        )
        return place.session

    return await change_session(ports, session_id, change)


async def unset_setting(ports: ChangePorts, session_id: str, plugin_id: str, key: str) -> Changed:
    """Let the world's preset or the default apply again; also where the package is gone.

    Raises:
        RequestRefused: as `change_session`.
    """

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord | Unchanged:
        was_set = delete_setting_value(
            transaction, session_id, plugin_id, key, revision=place.revision
        )
        return place.session if was_set else UNCHANGED

    return await change_session(ports, session_id, change)


def _declared(settings: tuple[Setting, ...], plugin_id: str, key: str) -> Setting:
    for setting in settings:
        if setting.key == key:
            return setting
    names = sorted(setting.key for setting in settings)
    near = nearest(key, names)
    hint = f"It has: {', '.join(names)}." if names else "It has no settings."
    raise RequestRefused(
        f"The package {plugin_id!r} has no setting {key!r}.",
        code="setting-not-found",
        hint=hint if near is None else f"The nearest one is {near!r}.",
    )


def _refuse_unfit(setting: Setting, value: JsonValue, slots: Collection[str]) -> None:
    expected = expected_instead(setting, value)
    if expected is None and setting.type == "slot" and value not in slots:
        listed = ", ".join(map(repr, sorted(slots)))
        expected = f"a configured model slot ({listed or 'there is none'})"
    if expected is not None:
        raise RequestRefused(
            f"The value of {setting.key!r} is {shown(value)}; the setting takes {expected}.",
            code="setting-value-invalid",
        )


def _is_same(known: JsonValue, value: JsonValue) -> bool:
    # For Python True is 1 and 1 is 1.0; for a setting they are not.
    return type(known) is type(value) and known == value
