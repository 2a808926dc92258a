"""One process at a time executes on a database."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from covel_host.store.errors import StoreError
from covel_host.store.execution_lock import ExecutionLock, ExecutionLockTakenError
from plugin_sdk.testing import ManualClock

HOLDING = """
import asyncio, sys
from pathlib import Path
from plugin_sdk.testing import ManualClock
from covel_host.store.execution_lock import ExecutionLock

async def main():
    async with ExecutionLock(Path(sys.argv[1]), clock=ManualClock()).held():
        print("held", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


def lock(folder: Path, *, limit_ms: int = 0) -> ExecutionLock:
    return ExecutionLock(folder / "covel.db", clock=ManualClock(), limit_ms=limit_ms)


def holding_process(folder: Path) -> "subprocess.Popen[str]":
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(folder / "covel.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


async def take(taken: ExecutionLock) -> str:
    async with taken.held():
        return taken.path.read_text()


def end(process: "subprocess.Popen[str]") -> None:
    process.communicate("\n", timeout=30)


def test_another_process_is_named_with_its_time(tmp_path: Path) -> None:
    process = holding_process(tmp_path)
    with pytest.raises(ExecutionLockTakenError) as refused:
        asyncio.run(take(lock(tmp_path)))
    holder = refused.value.holder
    assert holder is not None
    assert (holder.pid, holder.since) == (process.pid, "2026-01-01T00:00:00+00:00")
    assert f"process {process.pid}" in str(refused.value)
    end(process)


def test_a_waiting_process_goes_on_when_the_lock_is_given_back(tmp_path: Path) -> None:
    process = holding_process(tmp_path)

    async def scene() -> str:
        waiting = asyncio.create_task(take(lock(tmp_path, limit_ms=20_000)))
        await asyncio.sleep(0)
        await asyncio.to_thread(end, process)
        return await waiting

    assert f'"pid":{os.getpid()}' in asyncio.run(scene())


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    process = holding_process(tmp_path)
    process.kill()
    process.communicate(timeout=30)
    assert str(process.pid) in (tmp_path / "covel.db.lock").read_text()
    assert f'"pid":{os.getpid()}' in asyncio.run(take(lock(tmp_path)))


def test_executions_of_one_process_share_the_lock(tmp_path: Path) -> None:
    shared, other = lock(tmp_path), lock(tmp_path)

    async def scene() -> None:
        async with shared.held():
            async with shared.held():
                pass
            with pytest.raises(ExecutionLockTakenError):
                await take(other)
        await take(other)

    asyncio.run(scene())


def test_a_failed_execution_gives_the_lock_back(tmp_path: Path) -> None:
    shared = lock(tmp_path)

    async def scene() -> None:
        with pytest.raises(ZeroDivisionError):
            async with shared.held():
                raise ZeroDivisionError
        await take(lock(tmp_path))

    asyncio.run(scene())
    assert (tmp_path / "covel.db.lock").read_text() == ""


def test_a_cancelled_wait_leaves_nothing_behind(tmp_path: Path) -> None:
    holder, waiter = lock(tmp_path), lock(tmp_path, limit_ms=20_000)

    async def scene() -> None:
        async with holder.held():
            waiting = asyncio.create_task(take(waiter))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        await take(waiter)

    asyncio.run(scene())


def test_an_unreadable_signature_is_an_unknown_holder(tmp_path: Path) -> None:
    holder = lock(tmp_path)

    async def scene() -> None:
        async with holder.held():
            holder.path.write_text("{")
            with pytest.raises(
                ExecutionLockTakenError, match="has not given its number"
            ) as refused:
                await take(lock(tmp_path))
            assert refused.value.holder is None

    asyncio.run(scene())


def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be opened"):
        asyncio.run(take(lock(tmp_path / "file")))


def test_a_lock_that_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "covel.db.lock")

    async def take() -> None:
        async with lock(tmp_path).held():
            raise AssertionError("a pipe was taken for a lock")

    with pytest.raises(StoreError, match="it is not a file"):
        asyncio.run(take())
