"""What the tools made from a data set do (seed: 数据集工具, 参数与返回, 调用时的检查)."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from covel_host.tools.dataset_listing import Page, list_records
from plugin_sdk.capabilities import StoreView
from plugin_sdk.context import ToolContext
from plugin_sdk.errors import ToolError
from plugin_sdk.proposals import PluginDataUpdate
from plugin_sdk.results import with_pending_proposals
from plugin_sdk.rules.dataset_writes import (
    DatasetRules,
    missing_record,
    raw_record_key,
    updated_record,
    upserted_record,
)
from plugin_sdk.rules.keys import DatasetToolKind, require_dataset_key
from plugin_sdk.values import JsonObject, JsonValue

Call: TypeAlias = Callable[
    [DatasetRules, StoreView, Mapping[str, Any]], Coroutine[Any, Any, object]
]


@dataclass(frozen=True, slots=True)
class Found:
    """Where a record is or would be; `record` is None where there is none."""

    key: str
    record: JsonValue


async def find_record(rules: DatasetRules, store: StoreView, raw_key: str) -> Found:
    """The record under `raw_key` itself, else under its normalised form.

    Raises:
        ToolError: `invalid-input`; the normalised key is blank or too long.
    """
    normalised = require_dataset_key(raw_key)
    record = await store.get_plugin_data(rules.name, raw_key)
    if record is not None:
        return Found(raw_key, record)
    if normalised != raw_key:
        record = await store.get_plugin_data(rules.name, normalised)
    return Found(normalised, record)


async def call_dataset_tool(
    kind: DatasetToolKind, rules: DatasetRules, context: ToolContext, arguments: Mapping[str, Any]
) -> object:
    """What one call gives; a writing one stages exactly one `plugin.data.update`.

    Raises:
        ToolError: `invalid-input`, `not-found`, `conflict`, `internal`, or `unavailable` where the
            context has no store.
    """
    store = cast("StoreView | None", getattr(context, "store", None))
    if store is None:
        raise ToolError("unavailable", f"The {rules.name} dataset cannot be reached in this call.")
    return await _CALLS[kind](rules, store, arguments)


async def _get(rules: DatasetRules, store: StoreView, arguments: Mapping[str, Any]) -> object:
    found = await find_record(rules, store, arguments["key"])
    if found.record is None:
        raise missing_record(rules, arguments["key"], call="get")
    return {"key": found.key, "record": found.record}


async def _list(rules: DatasetRules, store: StoreView, arguments: Mapping[str, Any]) -> object:
    page = Page(offset=arguments["offset"], limit=arguments["limit"])
    return await list_records(store, rules.name, where=arguments["where"], page=page)


async def _upsert(rules: DatasetRules, store: StoreView, arguments: Mapping[str, Any]) -> object:
    record: JsonValue = arguments["record"]
    has_field = rules.key_field is not None
    raw_key = raw_record_key(rules, record) if has_field else arguments["key"]
    found = await find_record(rules, store, raw_key)
    written = upserted_record(rules, found.key, record)
    return _staged(
        {"key": found.key, "record": written, "created": found.record is None},
        PluginDataUpdate(
            namespace=rules.name, key=found.key, ops=[{"op": "set", "value": written}]
        ),
    )


async def _update(rules: DatasetRules, store: StoreView, arguments: Mapping[str, Any]) -> object:
    ops: list[JsonObject] = arguments["ops"]
    found = await find_record(rules, store, arguments["key"])
    result = updated_record(rules, found.key, found.record, ops)
    told: JsonObject = {"key": found.key}
    told |= {"deleted": True} if result.deleted else {"record": result.record}
    return _staged(told, PluginDataUpdate(namespace=rules.name, key=found.key, ops=ops))


def _staged(content: JsonObject, proposal: PluginDataUpdate) -> object:
    return with_pending_proposals(content, [proposal])


_CALLS: Final[Mapping[DatasetToolKind, Call]] = {
    "get": _get,
    "list": _list,
    "upsert": _upsert,
    "update": _update,
}
