import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from covel_host.catalog.generation import LoadedEntry
from covel_host.catalog.namespace import PackageNamespace
from covel_host.catalog.registrar import EntryRegistrar
from tests.catalog.builders import leftovers, load_now, write_package


def registrar_with(*clean_ups: Callable[[], object]) -> EntryRegistrar:
    registrar = EntryRegistrar("moss-ledger", "1.0.0")
    for clean_up in clean_ups:
        registrar.on_dispose(clean_up)
    return registrar


def test_runtimes_are_found_by_their_full_id(tmp_path: Path) -> None:
    runtime = "---\nschedule:\n  trigger: {type: manual}\n---\n"
    root = write_package(tmp_path / "moss-ledger", {"runtimes/gather/RUNTIME.md": runtime})
    generation = load_now(root).generation
    assert generation is not None
    found = generation.runtime("moss-ledger/gather")
    assert found is not None
    assert found.runtime_id == "moss-ledger/gather"
    assert generation.runtime("gather") is None
    assert generation.number == 1


def test_clean_ups_run_last_one_first_and_only_once() -> None:
    ran: list[str] = []

    async def awaited() -> None:
        ran.append("awaited")

    async def run() -> None:
        registrar = registrar_with(lambda: ran.append("first"), awaited, lambda: ran.append("last"))
        await registrar.dispose("over")
        await registrar.dispose("again")
        assert registrar.signal.reason == "over"

    asyncio.run(run())
    assert ran == ["last", "awaited", "first"]


def test_a_plain_clean_up_that_blocks_keeps_the_loop_running() -> None:
    gate = threading.Event()

    async def run() -> None:
        disposing = asyncio.ensure_future(registrar_with(gate.wait).dispose("over"))
        await asyncio.sleep(0)
        gate.set()
        await disposing

    asyncio.run(run())


def test_a_clean_up_that_takes_too_long_is_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    ran: list[str] = []
    registrar = registrar_with(lambda: ran.append("first"), threading.Event().wait)
    asyncio.run(registrar.dispose("over", limit_s=0.05))
    assert ran == []
    assert caplog.messages == [
        "Cleaning up 'moss-ledger' took over 0.05 s; 1 clean-ups were left out."
    ]


@pytest.mark.parametrize(
    "error",
    [
        ValueError,
        SystemExit,
        KeyboardInterrupt,
        asyncio.CancelledError,
        StopIteration,
        TimeoutError,
    ],
)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_clean_up_that_raises_stops_no_other(
    error: type[BaseException], is_async: bool, caplog: pytest.LogCaptureFixture
) -> None:
    ran: list[str] = []

    def raising() -> None:
        raise error

    async def raising_later() -> None:
        raise error

    failing = raising_later if is_async else raising
    asyncio.run(registrar_with(lambda: ran.append("first"), failing).dispose("over"))
    assert ran == ["first"]
    assert caplog.messages == ["A clean-up of 'moss-ledger' failed."]


def test_a_cancelled_end_still_withdraws_the_modules(tmp_path: Path) -> None:
    namespace = PackageNamespace("moss-ledger", 1, root=tmp_path, modules={"index.py": b""})
    namespace.import_module("index.py")
    assert leftovers("moss-ledger") != []

    async def run() -> None:
        entry = LoadedEntry(namespace, registrar_with(threading.Event().wait))
        task = asyncio.ensure_future(entry.withdraw("over"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert leftovers("moss-ledger") == []


def test_nothing_is_added_after_the_end() -> None:
    registrar = registrar_with()
    asyncio.run(registrar.dispose("over"))
    with pytest.raises(RuntimeError, match="has ended"):
        registrar.on_dispose(print)
