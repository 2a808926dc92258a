"""What a suspended run is to change, told by the versions of the records (spec/execution.md 10.3).

A suspension is stale once another execution has changed one of them: what the run worked out rests
on what was there.
"""

from collections.abc import Iterable, Iterator

from covel_host.runtime.suspension import SceneProposal
from covel_host.store.character_schemas import character_schema_text
from covel_host.store.characters import character_text
from covel_host.store.dimensions import get_dimension
from covel_host.store.lorebook import get_lorebook_entry
from covel_host.store.plugin_data import DataKey, get_data
from covel_host.store.records import LorebookOwner
from covel_host.store.transaction import Reading
from covel_host.store.values import time_text
from plugin_sdk.proposals import (
    CharacterSchemaSet,
    CharacterUpsert,
    DimensionInitialize,
    DimensionUpdate,
    LorebookUpsert,
    PluginData,
    PluginDataBatch,
    PluginDataDelete,
    PluginDataUpdate,
    Proposal,
    parse_proposal,
)
from plugin_sdk.values import JsonObject, JsonValue


def target_versions(
    reading: Reading, session_id: str, proposals: Iterable[SceneProposal]
) -> JsonObject:
    """The version of each record that the proposals change, by a name; null where there is none.

    Equal answers at two times say that nobody has changed them in between.
    """
    found: JsonObject = {}
    for kept in proposals:
        model = parse_proposal({"type": kept.type, "payload": kept.payload})
        found |= dict(_versions(reading, session_id, kept.plugin_id, model))
    return found


def _versions(
    reading: Reading, session_id: str, plugin_id: str, model: Proposal
) -> Iterator[tuple[str, JsonValue]]:
    match model:
        case PluginData() | PluginDataDelete() | PluginDataUpdate():
            yield _data(reading, session_id, plugin_id, model.namespace, model.key)
        case PluginDataBatch():
            for item in model.items:
                yield _data(reading, session_id, plugin_id, item.namespace, item.key)
        case CharacterUpsert():
            text = character_text(reading, session_id, model.id)
            yield f"character {model.id}", None if text is None else text.revision
        case CharacterSchemaSet():
            schema = character_schema_text(reading, session_id)
            yield "character schema", None if schema is None else schema.revision
        case DimensionInitialize():
            for dimension_id in model.definitions:
                yield _dimension(reading, session_id, dimension_id)
        case DimensionUpdate():
            for change in model.updates:
                yield _dimension(reading, session_id, change.id)
        case LorebookUpsert():
            owner = LorebookOwner(kind="plugin", plugin_id=plugin_id)
            for entry in model.entries:
                record = get_lorebook_entry(reading, session_id, owner, entry.id)
                at = None if record is None else time_text(record.updated_at)
                yield f"lorebook entry {plugin_id}/{entry.id}", at


def _data(
    reading: Reading, session_id: str, plugin_id: str, namespace: str, key: str
) -> tuple[str, JsonValue]:
    place = DataKey(session_id=session_id, plugin_id=plugin_id, namespace=namespace, key=key)
    record = get_data(reading, place)
    return f"record {plugin_id}/{namespace}/{key}", None if record is None else record.version


def _dimension(reading: Reading, session_id: str, dimension_id: str) -> tuple[str, JsonValue]:
    record = get_dimension(reading, session_id, dimension_id)
    return f"dimension {dimension_id}", None if record is None else record.version
