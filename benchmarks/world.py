"""What the character tools cost in a session with many characters."""

import asyncio
import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, cast

from benchmarks.rounds import table, verdict
from benchmarks.store_turns import PLUGIN, SESSION, execution, opened
from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.clock import SystemClock
from covel_host.proposals.commit import commit_execution
from covel_host.proposals.plan import ExecutionCommit
from covel_host.proposals.staged import StagedProposal
from covel_host.proposals.staging import Staging
from covel_host.proposals.stored_data import StoredPluginData
from covel_host.proposals.world_snapshot import WorldSnapshot, read_world
from covel_host.proposals.world_view import WorldHandle, WorldView
from covel_host.runtime.lore_shelf import LoreShelf
from covel_host.store.character_schemas import character_schema_text, put_character_schema
from covel_host.store.characters import character_texts, put_character
from covel_host.store.lorebook import put_lorebook_entry
from covel_host.store.records import LorebookOwner, LorebookRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction
from covel_host.tools.builtin.installed import builtin_tools
from covel_host.tools.calls import CallScope, ToolRequest
from covel_host.tools.executor import ToolExecutor
from covel_host.tools.registry import ToolRegistry
from covel_host.trace.log import TraceLog
from plugin_sdk.context import ToolContext
from plugin_sdk.rules.character_names import character_name_key

CHARACTERS = 1_000
ENTRIES = 5_000
ROUNDS = 15
GOAL_SYNC_MS = 10.0
GOALS = {"cold call": GOAL_SYNC_MS, "first call": GOAL_SYNC_MS, "later call": GOAL_SYNC_MS}
SETTING = (
    f"A stored session with {CHARACTERS:,} characters. `sync-characters` with 5 new characters and "
    "10 updates that name their target, through the executor up to the staged proposals: by the "
    "first call of an execution, whose world was read but not looked at, and by a later one; cold "
    "is the first call of a process, which has parsed no character yet. The commit writes the 15 "
    "proposals in a transaction of its own, without waiting for the disk. Lorebook: "
    f"{ENTRIES:,} entries, of which one in a hundred is constant, for the prompt of a run: read by "
    "the first run of a process, by a later one, and after a turn that changed one entry."
)
STARTED = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA: dict[str, Any] = {
    "types": ["npc", "companion"],
    "attributes": [
        {"id": "hp", "name": "HP", "type": "number", "min": 0, "max": 100, "defaultValue": 10},
        {"id": "mood", "name": "Mood", "type": "string"},
    ],
}


def report() -> str:
    """The section of RESULTS.md."""
    with TemporaryDirectory() as folder:
        store = opened(Path(folder) / "covel.db", "NORMAL")
        try:
            store.transaction_now(_write_world)
            times = asyncio.run(_times(store))
            lore = asyncio.run(_lore_times(store))
        finally:
            store.close()
    rows = [_row(name, median(values) * 1e3, GOALS.get(name)) for name, values in times.items()]
    head = ["15 characters", "ms", "goal ms", ""]
    lore_rows = [[name, f"{median(values) * 1e3:.2f}"] for name, values in lore.items()]
    tables = [table(head, rows), table(["lorebook", "ms"], lore_rows)]
    return "\n".join(["## World", "", SETTING, "", *tables])


def _row(name: str, milliseconds: float, goal: float | None) -> list[object]:
    return [name, f"{milliseconds:.2f}", goal or "", verdict(milliseconds, goal)]


async def _times(store: Store) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {
        "cold call": [],
        "first call": [],
        "later call": [],
        "commit": [],
    }
    for number in range(ROUNDS):
        # Apart from the others, whose records would be forgotten for the new ones.
        character_name_key.cache_clear()
        cold, _staged = await _call(store, store.read_now(partial(_unseen, number)), number)
        times["cold call"].append(cold)
    names = ("first call", "later call", "commit")
    for number in range(ROUNDS + 1):
        world = store.read_now(_world)
        first, _staged = await _call(store, world, number)
        later, staged = await _call(store, world, number)
        committing = _commit(store, execution(number + 1, proposals=staged))
        if number:
            for name, seconds in zip(names, (first, later, committing), strict=True):
                times[name].append(seconds)
    return times


async def _lore_times(store: Store) -> dict[str, list[float]]:
    """Reading and selecting the entries of one prompt."""
    store.transaction_now(_write_lore)
    times: dict[str, list[float]] = {"first run": [], "later run": [], "after a change": []}
    for _ in range(ROUNDS):
        shelf = LoreShelf(store)
        for name in times:
            if name == "after a change":
                store.transaction_now(_change_lore)
            session = store.read_now(lambda reading: require_session(reading, SESSION))
            start = time.perf_counter()
            active = (await shelf.of(session)).active(f"I look for reed 77 and boat {name}.")
            times[name].append(time.perf_counter() - start)
            assert len(active) == ENTRIES // 100 + 1
    return times


def _write_lore(transaction: Transaction) -> None:
    for number in range(ENTRIES):
        put_lorebook_entry(transaction, _entry(number), revision=0)


def _change_lore(transaction: Transaction) -> None:
    session = require_session(transaction, SESSION)
    put_lorebook_entry(transaction, _entry(12), revision=session.revision + 1)
    advance_session(transaction, session, turn_id=None, at=STARTED)


def _entry(number: int) -> LorebookRecord:
    entry_id = f"entry-{number:05}"
    return LorebookRecord(
        session_id=SESSION,
        owner=LorebookOwner(kind="world"),
        entry_id=entry_id,
        entry={
            "id": entry_id,
            "keys": [f"reed {number:05}" if number != 77 else "reed 77", f"the {number}th bend"],
            "content": f"At the {number}th bend the water turns, and whoever drinks it. " * 3,
            "strategy": "constant" if number % 100 == 0 else "selective",
        },
        created_at=STARTED,
        updated_at=STARTED,
    )


def _world(reading: Reading) -> WorldSnapshot:
    return read_world(reading, require_session(reading, SESSION))


def _unseen(number: int, reading: Reading) -> WorldSnapshot:
    """The world with texts of characters that no snapshot has held yet."""
    texts = character_texts(reading, SESSION).items()
    return WorldSnapshot(
        characters={
            name: replace(text, text=text.text.replace("harbour", f"harbour {number}"))
            for name, text in texts
        },
        schema=character_schema_text(reading, SESSION),
    )


def _commit(store: Store, commit: ExecutionCommit) -> float:
    start = time.perf_counter()
    store.transaction_now(lambda transaction: commit_execution(transaction, commit))
    return time.perf_counter() - start


async def _call(
    store: Store, snapshot: WorldSnapshot, number: int
) -> tuple[float, tuple[StagedProposal, ...]]:
    """Seconds of one call in a run of its own, and what it staged."""
    bench = _Run(store, WorldView(snapshot))
    request = ToolRequest(0, "call-1", "sync-characters", _arguments(number))
    start = time.perf_counter()
    result = await bench.executor.call(request, bench.scope)
    seconds = time.perf_counter() - start
    assert result.error is None, result.envelope
    assert len(result.proposals) == 15
    await bench.executor.close()
    return seconds, result.proposals


class _Run:
    """One run with nothing but a world, and an executor of its own."""

    def __init__(self, store: Store, world: WorldView) -> None:
        clock = SystemClock()
        self.executor = ToolExecutor(clock=clock)
        registry = ToolRegistry(_NoPackages(), builtins=builtin_tools(world=world))
        self.scope = CallScope(
            plugin_id=PLUGIN,
            runtime_id=PLUGIN,
            instruction_locale="en",
            authorized=frozenset({"sync-characters"}),
            tools=registry.resolve(["sync-characters"], plugin_id=PLUGIN),
            signal=CancelSignal(),
            trace=TraceLog(turn_id="turn-1", clock=clock).of_run("run-1"),
            staging=Staging(
                StoredPluginData(store, session_id=SESSION, plugin_id=PLUGIN),
                plugin_id=PLUGIN,
                runtime_id=PLUGIN,
                run_id="run-1",
                new_id=iter(f"proposal-{number}" for number in range(100)).__next__,
                world=world,
            ),
            open_call=lambda request, signal: _Open(world),
        )


class _NoPackages:
    def tools(self, plugin_id: str) -> dict[str, Any]:
        return {}


class _Open:
    """A call whose context is its world."""

    writes = None

    def __init__(self, world: WorldView) -> None:
        self.world: WorldHandle = world.opened(lambda: None)

    @property
    def context(self) -> ToolContext:
        return cast(ToolContext, self)

    async def reads_ended(self) -> None:
        return None

    def close(self) -> None:
        return None


def _arguments(number: int) -> str:
    creates = [
        {"name": f"Newcomer {number}-{place}", "type": "npc", "fields": {"mood": "shy"}}
        for place in range(5)
    ]
    updates = [
        {"id": f"person number {place * 37}", "fields": {"hp": (number + place) % 100}}
        for place in range(10)
    ]
    return json.dumps({"creates": creates, "updates": updates})


def _write_world(transaction: Transaction) -> None:
    put_character_schema(transaction, SESSION, SCHEMA, revision=0)
    for number in range(CHARACTERS):
        put_character(transaction, SESSION, _character(number), revision=0)


def _character(number: int) -> dict[str, Any]:
    return {
        "id": f"npc-person-{number}",
        "name": f"Person Number {number}",
        "type": "npc",
        "aliases": [f"The {number}th of the Pier"],
        "description": "Someone of the harbour, tall, with a limp and a loud voice.",
        "fields": {"hp": number % 100, "mood": "calm", "bag": ["oar", "rope"]},
        "version": 1 + number % 7,
        "createdAt": "2026-01-01T00:00:00.000000+00:00",
        "updatedAt": "2026-01-01T00:00:00.000000+00:00",
    }
