"""What a turn of keyword memory costs: two texts added and one query answered."""

import importlib
import random
import sqlite3
from collections.abc import Callable, Iterator
from itertools import accumulate, count
from typing import Any

from benchmarks.rounds import median_times, table, verdict
from plugin_sdk.rules.ranking_index import RankingIndex

SIZES = (10_000, 100_000)
GOALS_MS = {10_000: 1.0, 100_000: 10.0}
BEST = 8
SEED = 8
WORDS = [f"word{number}" for number in range(30_000)]
QUERIES = {
    "the commonest word": "word0",
    "a common and a rare word": "word2 word900",
    "three words of the middle": "word40 word70 word7",
    "the five commonest words": "word0 word1 word2 word3 word4",
}

SETTING = (
    "Texts of 5 to 60 words, the n-th commonest word with weight 1/n; a turn adds two texts and "
    f"asks for the best {BEST}. Floor: SQLite's FTS5 in memory, written in C. Held by: how many "
    "texts hold each word of the query."
)
DENSE_NOTE = (
    "A query of the commonest words alone is the slowest: no word of it is heavy enough to rule "
    "texts out by a bound, so about a third of them comes into question. Of those only texts are "
    "scored that hold some other word often enough. One rarer word in the query ends that, as in "
    "the second row.\n"
)

Turn = Callable[[], object]


def report() -> str:
    """The section of RESULTS.md."""
    parts = [
        "## Ranking",
        "",
        SETTING,
        "",
    ]
    notes: list[str] = []
    for size in SIZES:
        texts = list(ranked_texts(size))
        rows, notes = _rows(texts)
        head = [f"{size:,} texts: query", "held by", "index", "ms", "ratio", "goal ms", ""]
        parts.append(table(head, rows))
    return "\n".join([*parts, *notes, DENSE_NOTE])


def ranked_texts(size: int) -> Iterator[str]:
    """Texts of the setting, the same ones every time."""
    source = random.Random(SEED)
    weights = list(accumulate(1 / (rank + 1) for rank in range(len(WORDS))))
    for _ in range(size):
        yield " ".join(source.choices(WORDS, cum_weights=weights, k=source.randint(5, 60)))


def _rows(texts: list[str]) -> tuple[list[list[object]], list[str]]:
    ours = RankingIndex[object](enumerate(texts))
    base = _full_text_table(texts)
    peer = _rank_bm25()
    rows: list[list[object]] = []
    for name, query in QUERIES.items():
        held = ", ".join(str(len(ours.search(word))) for word in query.split())
        floor_name = "FTS5 (floor)"
        turns: dict[str, Turn] = {
            "RankingIndex": _our_turn(ours, texts, query),
            floor_name: _full_text_turn(base, texts, query),
        }
        times = median_times(turns, rounds=15)
        if peer is not None and not rows:
            # It cannot grow: each turn builds it anew. One round of one query, for it takes long.
            turn = _rebuilding_turn(peer, texts, query)
            times["peer: rank_bm25, built anew"] = median_times({"": turn}, rounds=1)[""]
        for index, seconds in times.items():
            goal = GOALS_MS[len(texts)] if index == "RankingIndex" else None
            ratio = seconds / times[floor_name]
            milliseconds = seconds * 1000
            cells = [f"{milliseconds:.2f}", f"{ratio:.2f}", goal or ""]
            rows.append([name, held, index, *cells, verdict(milliseconds, goal)])
    notes = [] if peer is not None else ["Peer rank_bm25 is not installed and was skipped.\n"]
    return rows, notes


def _our_turn(index: RankingIndex[object], texts: list[str], query: str) -> Turn:
    numbers = count()

    def turn() -> object:
        for text in texts[:2]:
            index.add((query, next(numbers)), text)
        return index.search(query, limit=BEST)

    return turn


def _full_text_table(texts: list[str]) -> sqlite3.Connection:
    base = sqlite3.connect(":memory:", isolation_level=None)
    base.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")
    base.execute("BEGIN")
    base.executemany("INSERT INTO texts VALUES (?)", ((text,) for text in texts))
    base.execute("COMMIT")
    return base


def _full_text_turn(base: sqlite3.Connection, texts: list[str], query: str) -> Turn:
    wanted = " OR ".join(query.split())
    ask = f"SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT {BEST}"

    def turn() -> object:
        base.executemany("INSERT INTO texts VALUES (?)", ((text,) for text in texts[:2]))
        return base.execute(ask, (wanted,)).fetchall()

    return turn


def _rank_bm25() -> Any | None:
    try:
        return importlib.import_module("rank_bm25").BM25Okapi
    except ImportError:
        return None


def _rebuilding_turn(peer: Any, texts: list[str], query: str) -> Turn:
    def turn() -> object:
        grown = [*texts, *texts[:2]]
        built = peer([text.split() for text in grown])
        return built.get_top_n(query.split(), grown, n=BEST)

    return turn
