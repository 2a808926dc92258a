import asyncio
import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

from covel_host.catalog.building import load_into, read_catalog
from covel_host.catalog.catalog import Catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.trust import TrustPolicy
from tests.catalog.builders import leftovers, write_package

ENTRY = (
    "from plugin_sdk import hookimpl\n"
    "@hookimpl\ndef on_unload(covel):\n"
    "    covel_events.append(covel.plugin_id)\n"
    "    if covel.plugin_id == 'b': raise ValueError\n"
)


@pytest.fixture
def events() -> Iterator[list[str]]:
    kept: list[str] = []
    vars(builtins)["covel_events"] = kept
    yield kept
    del vars(builtins)["covel_events"]


def test_an_empty_catalog_has_nothing_and_closes() -> None:
    catalog = Catalog()
    assert list(catalog.generations()) == []
    assert catalog.tools("moss-ledger") == {}
    asyncio.run(catalog.close())


def test_closing_ends_every_generation_in_reverse_order(tmp_path: Path, events: list[str]) -> None:
    for plugin_id in "abc":
        write_package(tmp_path / "plugins" / plugin_id, {"server/index.py": ENTRY})

    async def run() -> None:
        catalog = await load_into(
            read_catalog(discover([PluginFolder(tmp_path / "plugins", "builtin")])),
            "cab",
            trust=TrustPolicy(),
            results=LoadResults(tmp_path / "loads.json"),
        )
        assert [generation.plugin_id for generation in catalog.generations()] == ["a", "b", "c"]
        await catalog.close()
        await catalog.close()

    asyncio.run(run())
    assert events == ["c", "b", "a"]
    assert [leftovers(plugin_id) for plugin_id in "abc"] == [[], [], []]
