"""What a turn of a session's memory costs, over a real store: two messages added, one search."""

import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from benchmarks.ranking import GOALS_MS, QUERIES, SIZES, ranked_texts
from benchmarks.rounds import table, verdict
from covel_host.base.clock import SystemClock
from covel_host.base.json_text import dump_json
from covel_host.memory.hits import MemoryHit
from covel_host.memory.namespaces import SearchableNamespace
from covel_host.memory.system import MemoryOptions, MemorySystem
from covel_host.store.messages import append_messages
from covel_host.store.options import StoreOptions
from covel_host.store.plugin_data import DataKey, put_all_data
from covel_host.store.records import MessageRecord, SessionRecord
from covel_host.store.sessions import advance_session, insert_session, require_session
from covel_host.store.store import Store
from covel_host.store.transaction import Transaction

ROUNDS = 15
MESSAGES = 500
FACTS = SearchableNamespace("bench", "facts", "text")
CLOCK = SystemClock()

SETTING = (
    "A session with 500 messages and so many records in a searchable namespace, in an SQLite file. "
    "A turn commits two messages and two records; timed is the search after it, with all it takes "
    "in. `first` is the search that makes the index, in a thread of the store. A query of the "
    "commonest words alone is slow for the reason told under Ranking."
)


def report() -> str:
    """The section of RESULTS.md."""
    parts = ["## Memory", "", SETTING, ""]
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            rows = asyncio.run(_rows(Path(folder), size))
        head = [f"{size:,} records: query", "first s", "later ms", "goal ms", ""]
        parts.append(table(head, rows))
    return "\n".join(parts)


async def _rows(folder: Path, size: int) -> list[list[object]]:
    session = _Session(folder, list(ranked_texts(size)))
    rows: list[list[object]] = []
    try:
        started = time.perf_counter()
        await session.search("word0")
        first = f"{time.perf_counter() - started:.2f}"
        for name, query in QUERIES.items():
            times = []
            for _ in range(ROUNDS):
                session.play_turn()
                started = time.perf_counter()
                await session.search(query)
                times.append(time.perf_counter() - started)
            milliseconds = median(times) * 1000
            goal = GOALS_MS[size]
            rows.append([name, first, f"{milliseconds:.2f}", goal, verdict(milliseconds, goal)])
            first = ""
    finally:
        session.store.close()
    return rows


class _Session:
    def __init__(self, folder: Path, texts: list[str]) -> None:
        self.store = Store.open(StoreOptions(path=folder / "covel.db"))
        self.memory = MemorySystem(self.store, MemoryOptions())
        self._texts = texts
        self._written = 0
        now = CLOCK.now()
        record = SessionRecord(session_id="s1", incarnation="i1", created_at=now, updated_at=now)
        self.store.transaction_now(lambda transaction: insert_session(transaction, record))
        self._commit(self._records(texts))
        self._commit(self._messages(MESSAGES))

    async def search(self, query: str) -> list[MemoryHit]:
        return await self.memory.search("s1", query, namespaces=(FACTS,))

    def play_turn(self) -> None:
        """One commit as a turn makes it; the messages grow by two and so do the records."""

        def write(transaction: Transaction, revision: int) -> None:
            self._messages(2)(transaction, revision)
            self._records(self._texts[:2])(transaction, revision)

        self._commit(write)

    def _records(self, texts: list[str]) -> Callable[[Transaction, int], None]:
        def write(transaction: Transaction, revision: int) -> None:
            values = [(self._key(), dump_json({"turn": 1, "text": text})) for text in texts]
            put_all_data(transaction, values, revision=revision, at=CLOCK.now())

        return write

    def _key(self) -> DataKey:
        self._written += 1
        return DataKey(
            session_id="s1", plugin_id="bench", namespace="facts", key=f"t{self._written:07}"
        )

    def _messages(self, number: int) -> Callable[[Transaction, int], None]:
        def write(transaction: Transaction, revision: int) -> None:
            now = CLOCK.now()
            messages = [
                MessageRecord(
                    message_id=f"m-{revision}-{place}",
                    session_id="s1",
                    turn_id=f"t-{revision}",
                    revision=revision,
                    source="runtime",
                    role="assistant",
                    content=self._texts[place],
                    created_at=now,
                )
                for place in range(number)
            ]
            append_messages(transaction, messages)

        return write

    def _commit(self, write: Callable[[Transaction, int], None]) -> None:
        def body(transaction: Transaction) -> None:
            session = require_session(transaction, "s1")
            write(transaction, session.revision + 1)
            advance_session(transaction, session, turn_id=None, at=CLOCK.now())

        self.store.transaction_now(body)
