"""Reading a package's records on behalf of its code."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from covel_host.proposals.data_entries import DataEntry
from covel_host.proposals.overlay import DEFAULT_LIST_LIMIT, PluginDataView
from covel_host.runtime.package_data import read_record, read_records
from plugin_sdk.errors import ToolError


class Many:
    """A source of numbered records."""

    def __init__(self, count: int) -> None:
        self._entries = [DataEntry(f"k{number:06}", number, 1) for number in range(count)]

    async def get(self, namespace: str, key: str) -> DataEntry | None:
        return next((entry for entry in self._entries if entry.key == key), None)

    async def list(self, namespace: str, *, after: str, limit: int) -> Sequence[DataEntry]:
        return [entry for entry in self._entries if entry.key > after][:limit]


def view(count: int) -> PluginDataView:
    return PluginDataView(Many(count), plugin_id="demo")


def test_a_listing_without_a_limit_is_whole_however_long() -> None:
    count = DEFAULT_LIST_LIMIT + 5
    items = asyncio.run(read_records(view(count), "notes"))
    assert [item.value for item in items] == list(range(count))


@pytest.mark.parametrize(("limit", "values"), [(0, []), (2, [4, 5]), (99, [4, 5, 6])])
def test_a_listing_goes_on_after_a_key(limit: int, values: list[int]) -> None:
    items = asyncio.run(read_records(view(7), "notes", after="k000003", limit=limit))
    assert [item.value for item in items] == values


@pytest.mark.parametrize("name", [None, 5, b"a", "\ud800"])
def test_a_name_that_is_no_text_is_the_codes_own_mistake(name: Any) -> None:
    for read in (
        lambda: read_record(view(1), name, "a"),
        lambda: read_record(view(1), "notes", name),
        lambda: read_records(view(1), name),
        lambda: read_records(view(1), "notes", after=name),
    ):
        with pytest.raises(ToolError) as caught:
            asyncio.run(read())
        assert caught.value.code == "invalid-input"
