"""A session calls a tool all the time while its package is edited, good and broken in turn."""

import asyncio
import os
from collections import defaultdict
from pathlib import Path

from covel_host.catalog.building import CatalogLoader, read_catalog
from covel_host.catalog.discovery import discover
from covel_host.catalog.folders import PluginFolder
from covel_host.catalog.holder import CatalogHolder, ReloadOutcome
from covel_host.catalog.load_results import LoadResults
from covel_host.catalog.trust import TrustPolicy
from covel_host.catalog.watching import ChangeBatch, PluginWatcher
from tests.catalog.builders import leftovers, tools_manifest, write_package
from tests.catalog.watched import LIMIT_S

EDITS = 40
CALL_EVERY_S = 0.002

# The call goes on while its package is replaced, and says which code it belongs to.
CODE = """
import asyncio, os
from plugin_sdk import hookimpl, tool

VALUE = {value}

@tool(name="count")
async def count(call: int) -> object:
    '''Counts.'''
    os.write({pipe}, b"%d\\n" % call)
    before = VALUE
    await asyncio.sleep(0.003)
    return [call, before, VALUE]

@hookimpl
def register_tools():
    return [count]
"""
BROKEN = ("def (\n", "raise ValueError('no')\n", "from plugin_sdk import nothing_such\n", "")


class Calls:
    """What the calls gave: `(call, value, generation)` in order of their ends."""

    def __init__(self, holder: CatalogHolder) -> None:
        self._holder = holder
        self.ended: list[tuple[int, int, int]] = []
        self.begun = 0
        self.stops = asyncio.Event()

    async def go_on(self) -> None:
        async with asyncio.TaskGroup() as group:
            while not self.stops.is_set():
                group.create_task(self._call(self.begun))
                self.begun += 1
                await asyncio.sleep(CALL_EVERY_S)

    async def _call(self, call: int) -> None:
        with self._holder.lease() as lease:
            generation = lease.catalog.packages["moss-ledger"].generation
            assert generation is not None
            result = await generation.tools["count"].invoke(None, {"call": call})
            given, before, after = result
            assert (given, before) == (call, after), "the code changed under a call"
            self.ended.append((call, before, generation.number))


def test_no_call_is_lost_doubled_or_served_by_two_generations(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    folder = PluginFolder(tmp_path / "plugins", "community")
    entry = folder.path / "moss-ledger" / "server" / "index.py"
    write_package(
        entry.parent.parent,
        {"server/index.py": CODE.format(value=0, pipe=writing)},
        manifest=tools_manifest("count"),
    )
    calls, outcomes = asyncio.run(edited_under_calls(folder, entry, writing))
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        made = [int(line) for line in pipe.read().split()]
    assert sorted(made) == list(range(calls.begun)) == sorted(call for call, _, _ in calls.ended)
    values = defaultdict(set)
    for _, value, number in calls.ended:
        values[number].add(value)
    assert all(len(found) == 1 for found in values.values()), values
    swapped = [outcome.is_swapped for outcome in outcomes]
    assert swapped == [edit % 2 == 0 for edit in range(1, EDITS + 1)]
    assert {1, EDITS // 2 + 1} <= values.keys()
    assert values[EDITS // 2 + 1] == {EDITS}
    assert leftovers("moss-ledger") == []


async def edited_under_calls(
    folder: PluginFolder, entry: Path, pipe: int
) -> tuple[Calls, list[ReloadOutcome]]:
    loader = CatalogLoader(
        trust=TrustPolicy({"moss-ledger": "test"}),
        results=LoadResults(folder.path.parent / "results.json"),
        folders=[folder],
    )
    holder = CatalogHolder(read_catalog(discover([folder])), loader)
    await holder.need(["moss-ledger"])
    batches: asyncio.Queue[ChangeBatch] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    watcher = PluginWatcher(
        [folder],
        on_batch=lambda batch: loop.call_soon_threadsafe(batches.put_nowait, batch),
        on_note=print,
    )
    watcher.start()
    calls = Calls(holder)
    calling = loop.create_task(calls.go_on())
    outcomes = []
    try:
        for edit in range(1, EDITS + 1):
            broken = BROKEN[edit // 2 % len(BROKEN)]
            entry.write_text(CODE.format(value=edit, pipe=pipe) if edit % 2 == 0 else broken)
            await asyncio.wait_for(batches.get(), LIMIT_S)
            outcomes.append(await holder.reload("moss-ledger"))
        calls_before = calls.begun
        while calls.begun < calls_before + 5:
            await asyncio.sleep(CALL_EVERY_S)
    finally:
        calls.stops.set()
        await calling
        watcher.close()
        await holder.close()
    return calls, outcomes
