"""What a command may know of its surroundings, by the scopes it asks for (spec/manifest.md 4.5)."""

from collections.abc import Collection, Iterator
from datetime import datetime

from covel_host.catalog.catalog import Catalog
from covel_host.manifest.reading import RuntimeReading
from covel_host.manifest.runtime_manifest import RuntimeManifest
from covel_host.models.errors import ModelError
from covel_host.models.gateway_port import Gateway
from covel_host.store.records import SessionRecord
from covel_host.turn.services import session_generations
from plugin_sdk.values import JsonObject, JsonValue


def capture_environment(
    scopes: Collection[str],
    session: SessionRecord,
    catalog: Catalog,
    gateway: Gateway,
    *,
    at: datetime,
) -> JsonObject:
    """`capturedAt`, and what the scopes name; nothing without a scope.

    `session` gives a summary of it, `active-runtimes` the member `activeRuntimes`: the runtimes of
    its loaded packages. `models` adds to each of them what answers for it, and the member `models`
    with each model once. No address and no key is in it.
    """
    if not scopes:
        return {}
    found: JsonObject = {"capturedAt": at.isoformat()}
    if "session" in scopes:
        found["session"] = _session(session)
    runtimes = list(_runtimes(catalog, session))
    models = {reading.runtime_id: _model(manifest, gateway) for reading, manifest in runtimes}
    if "active-runtimes" in scopes:
        shown: list[JsonValue] = []
        for reading, manifest in runtimes:
            facts = _runtime(reading, manifest)
            if "models" in scopes:
                facts["model"] = models[reading.runtime_id]
            shown.append(facts)
        found["activeRuntimes"] = shown
    if "models" in scopes:
        distinct: list[JsonValue] = []
        for model in models.values():
            if model is not None and model not in distinct:
                distinct.append(model)
        found["models"] = distinct
    return found


def _session(session: SessionRecord) -> JsonObject:
    return {
        "id": session.session_id,
        "worldId": session.world_id,
        "status": session.status,
        "phase": session.phase,
        "locale": session.locale,
        "completedPlayerTurns": session.completed_player_turns,
        "activePlugins": list(session.active_packages),
        "createdAt": session.created_at.isoformat(),
    }


def _runtimes(
    catalog: Catalog, session: SessionRecord
) -> Iterator[tuple[RuntimeReading, RuntimeManifest]]:
    for generation in session_generations(catalog, session):
        for reading in generation.reading.runtimes:
            if reading.manifest is not None:
                yield reading, reading.manifest


def _runtime(reading: RuntimeReading, manifest: RuntimeManifest) -> JsonObject:
    return {
        "runtimeId": reading.runtime_id,
        "pluginId": reading.plugin_id,
        "type": manifest.runtime_type,
        "stage": manifest.schedule.stage,
        "trigger": manifest.schedule.trigger.type,
    }


def _model(manifest: RuntimeManifest, gateway: Gateway) -> JsonValue:
    """The slot and model that a runtime's calls go to; None for a function that names no slot."""
    wanted = manifest.agent_settings.model
    if manifest.runtime_type == "function":
        wanted = None if manifest.function is None else manifest.function.model
        if wanted is None:
            return None
    try:
        slot = gateway.slot_for(wanted)
    except ModelError as error:
        return {"slot": wanted, "error": error.message}
    if slot is None:
        return {"slot": wanted, "provider": None, "model": "offline"}
    return {"slot": slot.name, "provider": slot.provider.value, "model": slot.model.value}
