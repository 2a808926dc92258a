"""Several processes on one file, and processes that die."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from covel_host.store.errors import StoreBusyError
from covel_host.store.plugin_data import get_data
from covel_host.store.sessions import get_session, insert_session
from covel_host.store.store import Store
from tests.store.builders import data_key, options, session

CHILD = """
import sys
from pathlib import Path
from tests.store.builders import data_key, message, options, session, at, turn
from tests.store.conformance import count_up
from covel_host.store.messages import append_messages
from covel_host.store.store import Store
from covel_host.store.turns import put_turn

store = Store.open(options(Path(sys.argv[1])))

def say(text):
    print(text, flush=True)
    sys.stdin.readline()
"""

COUNTING = (
    CHILD
    + """
say("ready")
for _ in range(50):
    store.transaction_now(count_up)
store.close()
"""
)

DYING = (
    CHILD
    + """
def body(transaction):
    count_up(transaction)
    put_turn(transaction, turn())
    append_messages(transaction, [message()])
    say("written")

store.transaction_now(count_up)
store.transaction_now(body)
"""
)


def child(code: str, folder: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() in ("ready\n", "written\n")
    return process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store = Store.open(options(tmp_path))
    store.transaction_now(lambda transaction: insert_session(transaction, session()))
    store.close()
    return tmp_path


def count_in(folder: Path) -> object:
    reader = Store.open_reader(options(folder))
    record = reader.read_now(lambda reading: get_data(reading, data_key("count")))
    reader.close()
    return None if record is None else record.value


def test_two_processes_lose_no_writes(folder: Path) -> None:
    processes = [child(COUNTING, folder) for _ in range(2)]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert count_in(folder) == 100


def test_a_process_killed_inside_a_transaction_leaves_nothing_of_it(folder: Path) -> None:
    process = child(DYING, folder)
    process.kill()
    process.communicate(timeout=30)
    with closing(sqlite3.connect(folder / "covel.db")) as driver:
        assert driver.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        for table in ("turns", "messages"):
            assert driver.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
    assert count_in(folder) == 1


def test_a_database_kept_locked_is_an_error_that_says_so(folder: Path) -> None:
    store = Store.open(options(folder, busy_timeout_ms=0))
    with closing(sqlite3.connect(folder / "covel.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="Another process"):
            store.transaction_now(lambda transaction: insert_session(transaction, session("s2")))
        other.execute("ROLLBACK")
    store.transaction_now(lambda transaction: insert_session(transaction, session("s2")))
    assert store.read_now(lambda reading: get_session(reading, "s2")) == session("s2")
    store.close()
