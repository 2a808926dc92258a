"""Worlds made in a test: views of committed characters, a schema and dimensions."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from covel_host.proposals.read_sets import ReadSet
from covel_host.proposals.world_snapshot import WorldSnapshot
from covel_host.proposals.world_view import WorldView
from covel_host.store.read_versions import RevisedText
from covel_host.store.records import DimensionRecord

YSOLDE: Final[Mapping[str, Any]] = {
    "id": "npc-ysolde",
    "name": "Ysolde",
    "type": "npc",
    "aliases": ["The Keeper"],
    "description": "Keeps the lamp.",
    "fields": {"hp": 40},
    "version": 3,
}
TIDE: Final[Mapping[str, Any]] = {
    "name": {"en": "Tide", "zh": "潮汐"},
    "schema": {"type": "object", "additionalProperties": True},
    "value": {"height": 2, "log": "low, rising"},
    "version": 4,
}


def world_of(
    characters: Iterable[Mapping[str, Any]] = (),
    *,
    schema: Mapping[str, Any] | None = None,
    dimensions: Mapping[str, Mapping[str, Any]] | None = None,
) -> WorldView:
    """A view of that world, as if it had been committed in revision 1; `.reads` is its own."""
    records = sorted(characters, key=lambda record: str(record["id"]))
    snapshot = WorldSnapshot(
        characters={str(record["id"]): _text(record) for record in records},
        schema=None if schema is None else _text(schema),
        dimensions=[dimension_record(name, entry) for name, entry in (dimensions or {}).items()],
    )
    return WorldView(snapshot, reads=ReadSet())


def dimension_record(dimension_id: str, public: Mapping[str, Any]) -> DimensionRecord:
    """The stored dimension that shows itself as `public`; its initial value is another one."""
    definition = {key: public[key] for key in ("description", "schema") if key in public}
    definition["name"] = public.get("name", dimension_id)
    return DimensionRecord(
        session_id="s1",
        dimension_id=dimension_id,
        plugin_id="demo",
        version=public["version"],
        definition={**definition, "initialValue": "never shown", "updateRule": "Never shown."},
        value=public["value"],
    )


def _text(record: Mapping[str, Any]) -> RevisedText:
    return RevisedText(revision=1, text=json.dumps(dict(record)))
