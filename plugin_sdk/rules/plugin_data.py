"""Plugin data as proposals change it: the view of one record, and the limit of one value.

The same function serves the overlay of staged writes and the commit (seed: 执行时读数据,
单条记录的大小上限).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from plugin_sdk.proposals import (
    PluginData,
    PluginDataBatch,
    PluginDataDelete,
    PluginDataUpdate,
    Proposal,
)
from plugin_sdk.rules._json import json_copy
from plugin_sdk.rules.data_ops import DataOpError, apply_data_ops
from plugin_sdk.values import JsonValue

MAX_PLUGIN_DATA_VALUE_BYTES = 262_144
"""Limit of one value as compact JSON, in UTF-8 bytes."""


@dataclass(frozen=True, slots=True)
class StoredValue:
    """The value stored under one key; `value` is None when there is none."""

    exists: bool
    value: JsonValue = None


@dataclass(frozen=True, slots=True)
class OverlaidValue:
    """The value of one key after staged writes; `hit` when one of them concerned the key."""

    hit: bool
    exists: bool
    value: JsonValue = None


def overlay_plugin_data_value(
    proposals: Iterable[Proposal], namespace: str, key: str, stored: StoredValue
) -> OverlaidValue:
    """What one key holds once `proposals` of its plugin apply, in order, on top of `stored`.

    Operations that do not fit the value at that point are passed over: the commit refuses them, so
    they never enter a view. The value shares nothing with what was given.
    """
    hit = False
    current = stored
    for proposal in proposals:
        try:
            changed = apply_plugin_data_proposal(proposal, namespace, key, current)
        except DataOpError:
            continue
        if changed is not None:
            hit, current = True, changed
    return OverlaidValue(hit, current.exists, json_copy(current.value))


def apply_plugin_data_proposal(
    proposal: Proposal, namespace: str, key: str, current: StoredValue
) -> StoredValue | None:
    """What `proposal` makes of one key; None when it does not concern the key.

    Writing null removes the record. The value is the proposal's own: read it, never change it.

    Raises:
        DataOpError: an operation is badly written or does not fit `current`.
    """
    place = (namespace, key)
    match proposal:
        case PluginData() if (proposal.namespace, proposal.key) == place:
            return _written(proposal.value)
        case PluginDataBatch():
            values = [item.value for item in proposal.items if (item.namespace, item.key) == place]
            return _written(values[-1]) if values else None
        case PluginDataDelete() if (proposal.namespace, proposal.key) == place:
            return StoredValue(exists=False)
        case PluginDataUpdate() if (proposal.namespace, proposal.key) == place:
            return _written(apply_data_ops(current.value, proposal.ops).record)
    return None


def plugin_data_value_bytes(value: JsonValue) -> int:
    """The size of `value` as compact JSON, in UTF-8 bytes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass"))


def plugin_data_size_problem(namespace: str, key: str, value: JsonValue) -> str | None:
    """Why `value` is too large to be stored under `namespace`/`key`; None when it is not."""
    size_bytes = plugin_data_value_bytes(value)
    if size_bytes <= MAX_PLUGIN_DATA_VALUE_BYTES:
        return None
    return (
        f"The value for {namespace}/{key} is {size_bytes} bytes; the limit for one value is "
        f"{MAX_PLUGIN_DATA_VALUE_BYTES} bytes. Split it over several keys, or keep only what later "
        "turns read."
    )


def _written(value: JsonValue) -> StoredValue:
    return StoredValue(exists=value is not None, value=value)
