"""`memory-search`: what it takes, and what model and code get of the hits."""

from collections.abc import Sequence
from typing import Any

import pytest

from covel_host.memory.hits import MemoryHit, Scope
from covel_host.tools.builtin.installed import BUILTIN_TOOLS, builtin_tools
from plugin_sdk.tools import ToolAnnotations
from tests.support.tool_calls import ToolBench
from tests.tools.builtin.calling import answer, called, error

HITS = (
    MemoryHit(
        source="recall",
        kind="message",
        text="user: I lit the lamp.",
        score=1.5,
        role="user",
        message_id="m-secret",
    ),
    MemoryHit(source="archival", kind="lorebook", text="Salt.", score=9.0, key="Old Pier"),
    MemoryHit(source="archival", kind="data", text="Without a name.", score=2.0),
)


class Given:
    """A memory with written hits, which notes what it was asked."""

    def __init__(self, hits: Sequence[MemoryHit] = HITS) -> None:
        self.hits = hits
        self.asked: list[tuple[str, Scope, int]] = []

    async def search(self, query: str, *, scope: Scope, limit: int) -> Sequence[MemoryHit]:
        self.asked.append((query, scope, limit))
        return self.hits


def search(memory: Given, **arguments: Any) -> Any:
    bench = ToolBench(builtins=builtin_tools(memory=memory))
    return called("memory-search", arguments, bench)


def test_the_model_reads_a_list_in_order_without_scores_and_ids() -> None:
    assert answer(search(Given(), query="lamp")) == {
        "summary": "1. [recall] user: I lit the lamp.\n"
        "2. [archival] Old Pier: Salt.\n"
        "3. [archival] Without a name."
    }


def test_code_gets_every_hit_but_no_message_id() -> None:
    assert search(Given(), query="lamp").content == {
        "results": [
            {
                "source": "recall",
                "kind": "message",
                "role": "user",
                "text": "user: I lit the lamp.",
                "score": 1.5,
            },
            {
                "source": "archival",
                "kind": "lorebook",
                "key": "Old Pier",
                "text": "Salt.",
                "score": 9.0,
            },
            {"source": "archival", "kind": "data", "text": "Without a name.", "score": 2.0},
        ]
    }


def test_what_was_not_found_is_said_with_what_to_do() -> None:
    told = answer(search(Given(()), query="dragon"))["summary"]
    assert told.startswith("Nothing was found.")


def test_scope_and_limit_have_defaults() -> None:
    memory = Given()
    search(memory, query="lamp")
    search(memory, query="lamp", scope="recall", limit=20)
    assert memory.asked == [("lamp", "all", 5), ("lamp", "recall", 20)]


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ({}, "query"),
        ({"query": "a", "scope": "both"}, "scope"),
        ({"query": "a", "limit": 0}, "limit"),
        ({"query": "a", "limit": 21}, "limit"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: Any, path: str) -> None:
    memory = Given()
    assert error(search(memory, **arguments)) == ("invalid-input", [path])
    assert memory.asked == []


def test_it_only_reads() -> None:
    assert BUILTIN_TOOLS["memory-search"].annotations == ToolAnnotations(
        read_only=True, stages_writes=False, idempotent=True, concurrency_safe=True
    )
