"""What the store costs beside the bare driver: turns, big sessions, forks, kills."""

import asyncio
import gc
import importlib
import importlib.util
import random
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks import store_kill, store_sizes
from benchmarks.rounds import table, verdict
from benchmarks.store_turns import (
    Sent,
    execution,
    opened,
    pragmas,
    raw_connection,
    small_writes,
    statements_of_turns,
)
from covel_host.proposals.commit import commit_execution
from covel_host.store.options import Synchronous

TURNS = {"FULL": 300, "NORMAL": 600}
GOALS = {"FULL": 2.0, "NORMAL": 2.2}
SEED = 7
FLOOR = "sqlite3 in the loop (floor)"
SETTING = (
    "A turn with 10 small writes and one event, called from async code. Every case sends the same "
    "statements, those of the commit (versions, turn row, ledger, session clock, automatic "
    "snapshot, pruning); only the first two make them, and check each write against the rules. "
    "The others send ready texts and values. Cases alternate turn by turn, in random order. "
    "Processor time is that of all threads; unlike the time that passes, it hardly depends on what "
    "else the machine does."
)

Turn: TypeAlias = Callable[[int], Awaitable[object]]
Cost: TypeAlias = tuple[float, float]
"""Seconds that passed, and seconds of processor time in all threads."""


def report() -> str:
    """The section of RESULTS.md."""
    with tempfile.TemporaryDirectory() as folder:
        parts = [_turn_table(Path(folder), mode) for mode in ("FULL", "NORMAL")]
        sizes = store_sizes.report(Path(folder))
        killed = store_kill.report(Path(folder))
    return "\n".join(["## Store", "", SETTING, "", *parts, sizes, killed])


def _turn_table(folder: Path, mode: Synchronous) -> str:
    costs = asyncio.run(_turn_times(folder, mode))
    floor, floor_worked = costs[FLOOR]
    rows = []
    for name, (elapsed, worked) in costs.items():
        ratio = elapsed / floor
        goal = GOALS[mode] if name == "Store" else None
        cells = [f"{elapsed * 1e6:.0f}", f"{worked * 1e6:.0f}", f"{worked / floor_worked:.2f}"]
        rows.append([name, *cells, f"{ratio:.2f}", goal or "", verdict(ratio, goal)])
    head = [f"turn, synchronous={mode}", "µs", "processor µs", "processor ratio"]
    return table([*head, "ratio to floor", "goal", ""], rows)


async def _turn_times(folder: Path, mode: Synchronous) -> dict[str, Cost]:
    turns = TURNS[mode]
    sent = statements_of_turns(folder / f"recorded-{mode}.db", turns)
    async with AsyncExitStack() as stack:
        cases: dict[str, Turn] = {
            "Store": _ours(folder, mode, stack, turns, is_staging=False),
            "Store, staging of the writes included": _ours(
                folder, mode, stack, turns, is_staging=True
            ),
            FLOOR: _raw(folder, mode, stack, sent),
        }
        if importlib.util.find_spec("aiosqlite"):
            cases["peer: aiosqlite"] = await _aiosqlite(folder, mode, stack, sent)
        if importlib.util.find_spec("aiosqlite") and importlib.util.find_spec("greenlet"):
            cases["peer: SQLAlchemy async"] = await _sqlalchemy(folder, mode, stack, sent)
        # What is recorded for the floor would make every collection of garbage longer, for all.
        gc.collect()
        gc.freeze()
        try:
            return await _alternating(cases, turns)
        finally:
            gc.unfreeze()


async def _alternating(cases: dict[str, Turn], turns: int) -> dict[str, Cost]:
    costs: dict[str, list[Cost]] = {name: [] for name in cases}
    order = random.Random(SEED)
    names = list(cases)
    for number in range(1, turns + 1):
        # What ran before a case warms caches and the disk's journal for it, or cools them.
        order.shuffle(names)
        for name in names:
            start, worked = time.perf_counter(), time.process_time()
            await cases[name](number)
            costs[name].append((time.perf_counter() - start, time.process_time() - worked))
    # The first fifth fills the twenty snapshots and warms up.
    return {name: _median(values[turns // 5 :]) for name, values in costs.items()}


def _median(costs: Sequence[Cost]) -> Cost:
    elapsed, worked = zip(*costs, strict=True)
    return statistics.median(elapsed), statistics.median(worked)


def _ours(
    folder: Path, mode: Synchronous, stack: AsyncExitStack, turns: int, *, is_staging: bool
) -> Turn:
    store = opened(folder / f"ours-{mode}-{is_staging}.db", mode)
    stack.callback(store.close)
    writes = {} if is_staging else {number: small_writes(number) for number in range(1, turns + 1)}

    async def turn(number: int) -> None:
        commit = execution(number, proposals=writes.get(number, ()))
        await store.transaction(lambda transaction: commit_execution(transaction, commit))

    return turn


def _raw(
    folder: Path, mode: Synchronous, stack: AsyncExitStack, sent: Sequence[Sequence[Sent]]
) -> Turn:
    path = _empty(folder / f"raw-{mode}.db")
    driver = raw_connection(path, mode)
    stack.callback(driver.close)

    async def turn(number: int) -> None:
        for text, values in sent[number - 1]:
            driver.execute(text, values).fetchall()

    return turn


async def _aiosqlite(
    folder: Path, mode: Synchronous, stack: AsyncExitStack, sent: Sequence[Sequence[Sent]]
) -> Turn:
    aiosqlite: Any = importlib.import_module("aiosqlite")
    path = _empty(folder / f"aiosqlite-{mode}.db")
    driver = await aiosqlite.connect(path, isolation_level=None, cached_statements=256)
    stack.push_async_callback(driver.close)
    for pragma in pragmas(mode):
        await driver.execute(pragma)

    async def turn(number: int) -> None:
        for text, values in sent[number - 1]:
            cursor = await driver.execute(text, values)
            if text.startswith("SELECT"):
                await cursor.fetchall()

    return turn


async def _sqlalchemy(
    folder: Path, mode: Synchronous, stack: AsyncExitStack, sent: Sequence[Sequence[Sent]]
) -> Turn:
    from sqlalchemy import event
    from sqlalchemy.ext.asyncio import create_async_engine

    path = _empty(folder / f"sqlalchemy-{mode}.db")
    engine = create_async_engine(f"sqlite+aiosqlite:///{path}", isolation_level="AUTOCOMMIT")

    @event.listens_for(engine.sync_engine, "connect")
    def _set(driver: Any, _record: object) -> None:
        for pragma in pragmas(mode):
            driver.cursor().execute(pragma)

    connection = await engine.connect()
    stack.push_async_callback(engine.dispose)
    stack.push_async_callback(connection.close)

    async def turn(number: int) -> None:
        for text, values in sent[number - 1]:
            await connection.exec_driver_sql(text, values)

    return turn


def _empty(path: Path) -> Path:
    """A file with the tables and one session, closed."""
    opened(path, "NORMAL").close()
    return path
