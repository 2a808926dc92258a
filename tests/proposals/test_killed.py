"""`kill -9` between a tool call and the commit, or inside the commit, leaves no half turn."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from covel_host.store.store import Store
from tests.proposals.builders import with_session
from tests.store.builders import options

CHILD = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from covel_host.proposals.commit import commit_execution
from covel_host.store.store import Store
from plugin_sdk.proposals import PluginData
from tests.proposals.builders import full_commit, run
from tests.proposals.test_overlay import staging_of
from tests.store.builders import options

place = sys.argv[2]
store = Store.open(options(Path(sys.argv[1])))

def stop(*_):
    print("stopped", flush=True)
    sys.stdin.readline()

staging = staging_of(store)
asyncio.run(staging.stage([PluginData(namespace="notes", key="called", value=1)]))
execution = full_commit("t2")
execution = replace(execution, runs=(*execution.runs, run('run-2', *staging.proposals)))
if place == "before":
    stop()
if place == "inside":
    execution = replace(execution, extra_writes=stop)
def body(transaction):
    report = commit_execution(transaction, execution)
    if place == "before-the-end":
        stop()
    return report
store.transaction_now(body)
stop()
"""

TABLES = ("turns", "messages", "plugin_data", "tool_calls", "trace_events", "session_revisions")


def rows(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {
            table: driver.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES
        }


@pytest.mark.parametrize("place", ["before", "inside", "before-the-end", "after"])
def test_a_killed_process_leaves_a_whole_turn_or_none(tmp_path: Path, place: str) -> None:
    with_session(Store.open(options(tmp_path))).close()
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path), place],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "stopped\n"
    process.kill()
    process.communicate(timeout=30)
    whole = {
        "turns": 1,
        "messages": 2,
        "plugin_data": 3,
        "tool_calls": 2,
        "trace_events": 2,
        "session_revisions": 1,
    }
    assert rows(tmp_path / "covel.db") == (whole if place == "after" else dict.fromkeys(TABLES, 0))
    Store.open(options(tmp_path)).close()
