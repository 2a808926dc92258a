"""Reading alone: light commands, a missing file, a writer beside."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from covel_host.store.errors import StoreClosedError, StoreError
from covel_host.store.messages import list_messages
from covel_host.store.sessions import get_session, insert_session, list_sessions
from covel_host.store.store import Store
from covel_host.store.transaction import Reading, Transaction
from tests.store.builders import options, session


def test_a_missing_file_answers_empty_and_is_not_made(tmp_path: Path) -> None:
    reader = Store.open_reader(options(tmp_path / "nowhere"))
    assert reader.read_now(list_sessions) == []
    assert asyncio.run(reader.read(lambda reading: get_session(reading, "s1"))) is None
    assert reader.read_now(lambda reading: list_messages(reading, "s1")) == []
    reader.close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_holds_nothing_yet_answers_empty(tmp_path: Path) -> None:
    (tmp_path / "covel.db").touch()
    reader = Store.open_reader(options(tmp_path))
    assert reader.read_now(list_sessions) == []
    reader.close()
    assert (tmp_path / "covel.db").stat().st_size == 0


def test_a_reader_sees_what_a_writer_beside_it_commits(tmp_path: Path) -> None:
    store = Store.open(options(tmp_path))
    reader = Store.open_reader(options(tmp_path))
    assert reader.read_now(list_sessions) == []
    store.transaction_now(lambda transaction: insert_session(transaction, session()))
    assert reader.read_now(list_sessions) == [session()]
    store.close()
    assert asyncio.run(reader.read(list_sessions)) == [session()]
    reader.close()


def test_a_reader_cannot_write(tmp_path: Path) -> None:
    Store.open(options(tmp_path)).close()
    reader = Store.open_reader(options(tmp_path))

    def write(reading: Reading) -> None:
        forced = Transaction(reading._driver, reading._dialect)
        insert_session(forced, session())

    with pytest.raises(StoreError, match="readonly"):
        reader.read_now(write)
    assert reader.read_now(list_sessions) == []
    reader.close()


def test_readings_run_beside_each_other(tmp_path: Path) -> None:
    store = Store.open(options(tmp_path, reader_count=2))

    async def scene() -> int:
        barrier = asyncio.get_running_loop().create_future()
        inside = []

        def body(_reading: Reading) -> None:
            inside.append(1)
            if len(inside) == 2:
                barrier.get_loop().call_soon_threadsafe(barrier.set_result, None)
            asyncio.run_coroutine_threadsafe(asyncio.wait_for(wait(), 10), loop).result(10)

        async def wait() -> None:
            await asyncio.shield(barrier)

        loop = asyncio.get_running_loop()
        await asyncio.gather(store.read(body), store.read(body))
        return len(inside)

    assert asyncio.run(scene()) == 2
    store.close()


def test_more_readings_than_readers_wait_for_their_turn(tmp_path: Path) -> None:
    store = Store.open(options(tmp_path, reader_count=1))

    async def scene() -> list[list[object]]:
        return await asyncio.gather(*(store.read(list_sessions) for _ in range(20)))

    assert asyncio.run(scene()) == [[]] * 20
    store.close()


@pytest.mark.parametrize("is_there", [False, True])
def test_many_threads_may_read_at_once(tmp_path: Path, is_there: bool) -> None:
    if is_there:
        Store.open(options(tmp_path)).close()
    reader = Store.open_reader(options(tmp_path, reader_count=1))
    together = threading.Barrier(6)

    def body(reading: Reading) -> list[object]:
        together.wait(10)
        return list(list_sessions(reading))

    with ThreadPoolExecutor(6) as threads:
        found = [threads.submit(reader.read_now, body) for _ in range(6)]
        assert [part.result(20) for part in found] == [[]] * 6
    reader.close()


def test_a_closed_reader_says_so(tmp_path: Path) -> None:
    reader = Store.open_reader(options(tmp_path))
    reader.close()
    reader.close()
    with pytest.raises(StoreClosedError):
        reader.read_now(list_sessions)
