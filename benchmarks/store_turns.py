"""Turns as the benchmarks of the store write them, and the statements that a turn sends."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from covel_host.proposals.commit import commit_execution
from covel_host.proposals.plan import ExecutionCommit, RunWrites
from covel_host.proposals.staged import StagedProposal, check_proposal
from covel_host.store.options import StoreOptions, Synchronous
from covel_host.store.records import SessionRecord
from covel_host.store.sessions import insert_session
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction
from covel_host.trace.events import TraceEvent

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
SESSION = "session-1"
PLUGIN = "echo-demo"
WRITES = 10

Sent: TypeAlias = tuple[str, tuple[Any, ...]]
"""One statement with its values."""


def execution(number: int, *, proposals: tuple[StagedProposal, ...] = ()) -> ExecutionCommit:
    """A player's turn with small writes and one event."""
    turn_id = f"turn-{number}"
    event = TraceEvent(
        type="event.emitted",
        at=AT,
        turn_id=turn_id,
        position=0,
        data={"topic": "bell.rung", "data": {"number": number}},
    )
    return ExecutionCommit(
        session_id=SESSION,
        incarnation=SESSION,
        turn_id=turn_id,
        origin="player",
        logical_turn_id=turn_id,
        logical_turn=number,
        started_at=AT,
        finished_at=AT,
        duration_ms=3,
        runs=(
            RunWrites(
                run_id=f"run-{number}",
                plugin_id=PLUGIN,
                runtime_id=PLUGIN,
                proposals=proposals or small_writes(number),
            ),
        ),
        trace=(event,),
    )


def small_writes(number: int) -> tuple[StagedProposal, ...]:
    """Ten checked proposals that set one small record each."""
    return tuple(staged(number, key, _value(number)) for key in range(WRITES))


def staged(number: int, key: int, value: Any) -> StagedProposal:
    """A checked proposal that sets one record."""
    payload = {"namespace": "notes", "key": f"key-{key}", "value": value}
    return check_proposal(
        {"type": "plugin.data", "payload": payload},
        proposal_id=f"proposal-{number}-{key}",
        plugin_id=PLUGIN,
        runtime_id=PLUGIN,
        run_id=f"run-{number}",
    )


def _value(number: int) -> dict[str, object]:
    return {"name": "lamp", "lit": True, "turn": number, "tags": ["brass", "old"]}


def opened(path: Path, synchronous: Synchronous) -> Store:
    """A store with one session in it."""
    store = Store.open(StoreOptions(path=path, synchronous=synchronous))
    session = SessionRecord(session_id=SESSION, incarnation=SESSION, created_at=AT, updated_at=AT)
    store.transaction_now(lambda transaction: insert_session(transaction, session))
    return store


def statements_of_turns(path: Path, turns: int) -> list[list[Sent]]:
    """What each of the first `turns` turns of a session sends, for others to send the same."""
    store = opened(path, "NORMAL")
    try:
        return [_sent(store, execution(number)) for number in range(1, turns + 1)]
    finally:
        store.close()


def _sent(store: Store, commit: ExecutionCommit) -> list[Sent]:
    sent: list[Sent] = []

    def body(transaction: Transaction) -> None:
        driver = _Recording(transaction._driver, sent.append)
        commit_execution(Transaction(driver, transaction._dialect), commit)

    store.transaction_now(body)
    return [("BEGIN IMMEDIATE", ()), *sent, ("COMMIT", ())]


class _Recording:
    """A driver's connection that tells of every statement it passes on."""

    def __init__(self, driver: Any, tell: Callable[[Sent], None]) -> None:
        self._driver = driver
        self._tell = tell

    @property
    def in_transaction(self) -> bool:
        return bool(self._driver.in_transaction)

    def execute(self, text: str, values: tuple[Any, ...] = ()) -> Any:
        self._tell((text, values))
        return self._driver.execute(text, values)

    def executemany(self, text: str, rows: list[tuple[Any, ...]]) -> Any:
        for values in rows:
            self._tell((text, values))
        return self._driver.executemany(text, rows)


def raw_connection(path: Path, synchronous: Synchronous) -> sqlite3.Connection:
    """The floor: the standard library's driver, set like the store's own connection."""
    driver = sqlite3.connect(path, isolation_level=None, cached_statements=256)
    for pragma in pragmas(synchronous):
        driver.execute(pragma)
    return driver


def pragmas(synchronous: Synchronous) -> tuple[str, ...]:
    """How every case sets its connection."""
    return (
        f"PRAGMA synchronous={synchronous}",
        "PRAGMA foreign_keys=ON",
        "PRAGMA cache_size=-16384",
    )
