"""Pages of a data set's records, read piece by piece."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final

from plugin_sdk.capabilities import StoreView
from plugin_sdk.records import DataItem
from plugin_sdk.values import JsonObject, JsonValue

_PIECE: Final = 500
"""Records read at once; only those that are told stay in memory."""


@dataclass(frozen=True, slots=True)
class Page:
    """Which of the fitting records are wanted."""

    offset: int
    limit: int


async def list_records(
    store: StoreView, namespace: str, *, where: Mapping[str, JsonValue], page: Page
) -> JsonObject:
    """The fitting records of `page` by key in code-point order, and how many fit in all.

    `{total, items: [{key, record}], nextOffset?}`; `nextOffset` is there when more follow.
    """
    total = 0
    items: list[JsonValue] = []
    end = page.offset + page.limit
    async for item in _records(store, namespace):
        if not fits(item.value, where):
            continue
        if page.offset <= total < end:
            items.append({"key": item.key, "record": item.value})
        total += 1
    told: JsonObject = {"total": total, "items": items}
    if total > end:
        told["nextOffset"] = end
    return told


def fits(record: JsonValue, where: Mapping[str, JsonValue]) -> bool:
    """Whether the record's top-level fields have exactly these values; `true` is not 1."""
    if not where:
        return True
    if not isinstance(record, dict):
        return False
    return all(name in record and _is_equal(record[name], wanted) for name, wanted in where.items())


async def _records(store: StoreView, namespace: str) -> AsyncIterator[DataItem]:
    after = ""
    while True:
        piece = await store.list_plugin_data(namespace, after=after, limit=_PIECE)
        for item in piece:
            yield item
        if len(piece) < _PIECE:
            return
        after = piece[-1].key


def _is_equal(value: JsonValue, wanted: JsonValue) -> bool:
    if isinstance(value, bool) or isinstance(wanted, bool):
        return value is wanted
    return value == wanted
