"""Big sessions beside small ones, forks of them, and the largest record."""

import asyncio
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.rounds import median_times, table, verdict
from benchmarks.store_turns import AT, PLUGIN, SESSION, execution, opened, staged
from covel_host.proposals.commit import commit_execution
from covel_host.proposals.plugin_data_rules import ABSENT, changed_record
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.messages import append_messages, list_messages
from covel_host.store.options import Synchronous
from covel_host.store.plugin_data import DataKey, get_data, list_data, put_all_data
from covel_host.store.records import MessageRecord
from covel_host.store.sessions import delete_session, require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction

RECORDS, MESSAGES = 100_000, 10_000
SMALL = 100
COMMITS = {"FULL": 250, "NORMAL": 500}
COMMIT_GOALS = {"FULL": 1.25, "NORMAL": 1.4}
READ_GOAL = 1.25
STAGING_GOAL_MS = 5.0
LARGEST_BYTES = 262_144


def report(folder: Path) -> str:
    """The tables of this part."""
    rows = []
    for mode in ("FULL", "NORMAL"):
        small = _filled(folder / f"small-{mode}.db", mode, SMALL, SMALL)
        big = _filled(folder / f"big-{mode}.db", mode, RECORDS, MESSAGES)
        if mode == "FULL":
            rows += _reads(small, big)
        rows.append(_commits(small, big, mode))
        if mode == "NORMAL":
            forked = _fork_ms(big)
        small.close()
        big.close()
    head = ["in a session", f"{SMALL} rows, µs", "big, µs", "ratio", "goal", ""]
    note = (
        f"Big: {RECORDS:,} records and {MESSAGES:,} messages, against {SMALL} of each. A fork of "
        f"the big session holds the one writer for {forked:.0f} ms; at most 500,000 rows fork.\n"
    )
    return "\n".join([note, table(head, rows), _largest()])


def _filled(path: Path, mode: Synchronous, records: int, messages: int) -> Store:
    store = opened(path, mode)

    def fill(transaction: Transaction) -> None:
        values = [(_key(number), '{"name":"lamp","lit":true}') for number in range(records)]
        put_all_data(transaction, values, revision=1, at=AT)
        append_messages(transaction, [_message(number) for number in range(messages)])

    store.transaction_now(fill)
    return store


def _key(number: int) -> DataKey:
    return DataKey(session_id=SESSION, plugin_id=PLUGIN, namespace="notes", key=f"key-{number}")


def _message(number: int) -> MessageRecord:
    return MessageRecord(
        message_id=f"message-{number}",
        session_id=SESSION,
        turn_id=f"turn-{number}",
        revision=1,
        source="runtime",
        role="assistant",
        content="The lamp is lit, and the moss on the steps shines.",
        created_at=AT,
    )


def _reads(small: Store, big: Store) -> list[list[object]]:
    reads: dict[str, Callable[[Reading], Any]] = {
        "read one record": lambda reading: get_data(reading, _key(50)),
        "list 50 records": lambda reading: list_data(reading, SESSION, PLUGIN, "notes", limit=50),
        "list the newest 50 messages": lambda reading: list_messages(reading, SESSION, limit=50),
    }
    return [_read_row(name, body, small, big) for name, body in reads.items()]


def _read_row(name: str, body: Callable[[Reading], Any], small: Store, big: Store) -> list[object]:
    cases = {"small": lambda: small.read_now(body), "big": lambda: big.read_now(body)}
    times = median_times(cases, rounds=40, repeat=20)
    return _row(name, times["small"], times["big"], READ_GOAL)


def _commits(small: Store, big: Store, mode: Synchronous) -> list[object]:
    times: dict[Store, list[float]] = {small: [], big: []}

    async def commit(store: Store, number: int) -> None:
        turn = execution(number)
        start = time.perf_counter()
        await store.transaction(lambda transaction: commit_execution(transaction, turn))
        times[store].append(time.perf_counter() - start)

    async def scene() -> None:
        for number in range(1, COMMITS[mode] + 1):
            await commit(small, number)
            await commit(big, number)

    asyncio.run(scene())
    medians = {store: statistics.median(values) for store, values in times.items()}
    return _row(f"commit a turn, {mode}", medians[small], medians[big], COMMIT_GOALS[mode])


def _row(name: str, small: float, big: float, goal: float) -> list[object]:
    ratio = big / small
    cells = [f"{small * 1e6:.0f}", f"{big * 1e6:.0f}", f"{ratio:.2f}"]
    return [name, *cells, goal, verdict(ratio, goal)]


def _fork_ms(store: Store) -> float:
    new = ForkIds(session_id="fork", incarnation="fork", snapshot_id="fork")

    def fork(transaction: Transaction) -> None:
        revision = require_session(transaction, SESSION).revision
        fork_session(transaction, SESSION, revision, new=new, at=AT)

    times = []
    for _ in range(5):
        start = time.perf_counter()
        store.transaction_now(fork)
        times.append((time.perf_counter() - start) * 1000)
        store.transaction_now(lambda transaction: delete_session(transaction, "fork"))
    return statistics.median(times)


def _largest() -> str:
    row = {"name": "lamp", "lit": True, "tags": ["brass", "old"], "weight": 1.5}
    # A row takes 62 bytes and a comma.
    value = {"rows": [row] * (LARGEST_BYTES // 63 - 1)}

    def stage() -> None:
        proposal = staged(1, 1, value)
        changed_record(proposal, proposal.model, ABSENT)  # type: ignore[arg-type]

    milliseconds = median_times({"stage": stage}, rounds=20)["stage"] * 1000
    cells = [f"{milliseconds:.1f}", STAGING_GOAL_MS, verdict(milliseconds, STAGING_GOAL_MS)]
    return table(
        ["a record of 256 KiB", "ms", "goal ms", ""], [["checked, copied and measured", *cells]]
    )
