"""`kill -9` at random moments of a loop of commits, and what must be true after each.

Run as a program it is the nursery: for each line on its standard input it forks a child that
commits turns until it is killed. A child tells of each turn when it is acknowledged, and marks in a
shared byte whether a transaction is open.
"""

import mmap
import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from covel_host.proposals.commit import commit_execution
from covel_host.store.options import StoreOptions
from covel_host.store.sessions import require_session
from covel_host.store.snapshots import AUTO_SNAPSHOTS_KEPT
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from tests.proposals.builders import full_commit, with_session

DATABASE, MARK = "covel.db", "mark"
MAX_ACKNOWLEDGED = 3
MAX_DELAY_S = 0.01

PER_TURN = {"messages": 2, "tool_calls": 2, "trace_events": 2}
"""Rows that `full_commit` writes for each turn, by table."""


@dataclass(frozen=True, slots=True)
class Kills:
    """How many kills there were, how many with a transaction open, and turns acknowledged."""

    count: int
    inside: int
    turns: int


def kill_often(folder: Path, *, count: int, seed: int) -> Kills:
    """Kill a committing process `count` times in `folder`, checking the database after each.

    Raises:
        AssertionError: the database is damaged, a turn is partial, or an acknowledged one is gone.
    """
    randoms = random.Random(seed)
    (folder / MARK).write_bytes(b"\0")
    with_session(Store.open(StoreOptions(path=folder / DATABASE))).close()
    turns = inside = 0
    with _nursery(folder) as nursery, (folder / MARK).open("r+b") as file:
        mark = mmap.mmap(file.fileno(), 1)
        for _ in range(count):
            acknowledged = _kill_one(nursery, randoms, known=turns)
            inside += mark[0]
            stored = whole_turns(folder / DATABASE)
            # A commit may be durable although its process died before it could say so.
            assert acknowledged <= stored <= acknowledged + 1, (acknowledged, stored)
            turns = stored
        mark.close()
    return Kills(count, inside, turns)


def whole_turns(path: Path) -> int:
    """The number of turns in the database, each of which is there with all that belongs to it."""
    with closing(sqlite3.connect(path)) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert driver.execute("PRAGMA foreign_key_check").fetchall() == []

        def one(query: str) -> int:
            return int(driver.execute(query).fetchone()[0])

        turns = one("SELECT revision FROM sessions")
        assert one("SELECT completed_player_turns FROM sessions") == turns
        assert one("SELECT count(*) FROM turns WHERE commit_status = 'committed'") == turns
        for table in ("turns", "logical_turns", "session_revisions"):
            assert one(f"SELECT count(*) FROM {table}") == turns, table
        for table, rows in PER_TURN.items():
            counts = f"SELECT turn_id, count(*) AS n FROM {table} GROUP BY turn_id"
            assert one(f"SELECT count(*) FROM ({counts}) WHERE n = {rows}") == turns, table
        versions = driver.execute("SELECT key, version FROM plugin_data ORDER BY key").fetchall()
        assert versions == ([("b", turns), ("lamp", turns)] if turns else [])
        kept = min(turns, AUTO_SNAPSHOTS_KEPT)
        assert one("SELECT count(*) FROM snapshots") == kept
        assert one("SELECT count(*) FROM plugin_data_old") == 2 * max(kept - 1, 0)
    return turns


def _kill_one(nursery: "subprocess.Popen[str]", randoms: random.Random, *, known: int) -> int:
    """Start a child, kill it somewhere, and give the last turn it acknowledged."""
    assert nursery.stdin is not None
    assert nursery.stdout is not None
    nursery.stdin.write("go\n")
    nursery.stdin.flush()
    pid = int(nursery.stdout.readline())
    acknowledged = known
    for _ in range(randoms.randint(0, MAX_ACKNOWLEDGED)):
        acknowledged = int(nursery.stdout.readline())
    deadline = time.perf_counter() + randoms.uniform(0, MAX_DELAY_S)
    while time.perf_counter() < deadline:
        pass
    os.kill(pid, 9)
    while (line := nursery.stdout.readline()) != "dead\n":
        acknowledged = int(line)
    return acknowledged


@contextmanager
def _nursery(folder: Path) -> "Iterator[subprocess.Popen[str]]":
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.store.kill_loop", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.communicate(timeout=30)


def _raise_children(folder: Path) -> None:
    for _line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            _commit_for_ever(folder)
        os.waitpid(pid, 0)
        _say("dead")


def _commit_for_ever(folder: Path) -> None:
    _say(os.getpid())
    with (folder / MARK).open("r+b") as file:
        mark = mmap.mmap(file.fileno(), 1)
    mark[0] = 0
    store = Store.open(StoreOptions(path=folder / DATABASE))
    number = store.read_now(lambda reading: require_session(reading, "s1")).revision

    def body(transaction: Transaction) -> None:
        mark[0] = 1
        commit_execution(transaction, full_commit(f"t{number}"))

    while True:
        number += 1
        store.transaction_now(body)
        mark[0] = 0
        _say(number)


def _say(what: object) -> None:
    # One short write to a pipe is whole or not there at all.
    os.write(1, f"{what}\n".encode())


if __name__ == "__main__":
    _raise_children(Path(sys.argv[1]))
