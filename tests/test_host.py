"""Opening and closing a host, whatever fails on the way."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any, NoReturn

import pytest

from covel_host.host import Host
from covel_host.models.errors import ModelError
from covel_host.models.messages import ModelReply
from covel_host.models.selector import UseOffline, UseScript, UseSlot
from covel_host.opening import load_catalog, open_catalog
from covel_host.store.errors import StoreError
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution_report import ExecutionReport
from tests.support.hosts import opened, rows_of, settings_of
from tests.support.packages import write_package
from tests.support.replies import call, calls, done

UNLOADS = """
from pathlib import Path

@hookimpl
def on_unload(covel):
    with (Path(__file__).parent.parent / "unloaded.txt").open("a") as file:
        file.write("x")

@tool(name="stay", timeout_ms=1)
async def stay() -> object:
    '''Stay beyond the limit.'''
    while not release.is_set():
        try:
            await release.wait()
        except asyncio.CancelledError:
            continue

@tool(name="free")
async def free() -> object:
    '''Let it go.'''
    release.set()

release = asyncio.Event()
"""


def package(home: Path) -> Path:
    write_package(home / "plugins" / "demo", code=UNLOADS, tools=["stay", "free"])
    return home / "plugins" / "demo" / "unloaded.txt"


def test_opening_a_catalog_runs_no_code_and_opens_no_store(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "demo", code="raise SystemExit(1)")
    catalog = open_catalog(settings_of(tmp_path))
    assert catalog.packages["demo"].status == "discovered"
    assert not (tmp_path / "covel.db").exists()


def test_a_package_that_cannot_be_loaded_stops_no_other(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "bad", code="raise SystemExit(1)")
    write_package(tmp_path / "plugins" / "good")

    async def main() -> tuple[dict[str, str], bool]:
        async with opened(tmp_path, done()) as host:
            states: dict[str, str] = {
                name: state.status for name, state in host.catalog.packages.items()
            }
            return states, (await host.run(ManualRequest(target="good"))).committed

    states, committed = asyncio.run(main())
    assert (states, committed) == ({"bad": "error", "good": "loaded"}, True)


def test_closing_ends_packages_and_store_and_may_be_repeated(tmp_path: Path) -> None:
    unloaded = package(tmp_path)

    async def main() -> None:
        host = await Host.open(settings_of(tmp_path), load=["demo"], selector=UseOffline())
        await host.close()
        await host.close()
        with pytest.raises(RequestRefused, match="is closed"):
            await host.run(ManualRequest(target="demo"))

    asyncio.run(main())
    assert unloaded.read_text() == "x"


def test_a_step_that_fails_keeps_nothing_else_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unloaded = package(tmp_path)

    async def breaks(self: Any) -> NoReturn:
        raise RuntimeError("the gateway is stuck")

    monkeypatch.setattr("covel_host.models.gateway.ModelGateway.aclose", breaks)

    async def main() -> bool:
        host = await Host.open(settings_of(tmp_path), load=["demo"], selector=UseOffline())
        with pytest.raises(RuntimeError, match="stuck"):
            await host.close()
        with pytest.raises(StoreError):
            await host.ports.store.read(lambda reading: None)
        return unloaded.exists()

    assert asyncio.run(main())


def test_what_a_left_tool_may_use_stays_open_until_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    unloaded = package(tmp_path)
    monkeypatch.setattr("covel_host.host.CLOSE_BUDGET_S", 0.01)

    async def main() -> bool:
        async with opened(tmp_path, calls(call("stay")), done()) as host:
            await host.run(ManualRequest(target="demo"))
            await host.close()
            was_open = not unloaded.exists()
            await host.ports.store.read(lambda reading: None)
            tool = host.catalog.tools("demo")["free"]
            await tool()
            return was_open

    assert asyncio.run(main())
    assert unloaded.read_text() == "x"
    assert "tool stay" in caplog.text


def test_a_run_under_way_is_kept_as_failed_when_the_host_closes(tmp_path: Path) -> None:
    package(tmp_path)

    async def main() -> ExecutionReport:
        asked = asyncio.Event()

        async def silence(request: Any, on_delta: Any) -> ModelReply:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        async with opened(tmp_path, calls(call("free")), silence) as host:
            running = asyncio.ensure_future(host.run(ManualRequest(target="demo")))
            await asked.wait()
            await host.close()
            return await running

    report = asyncio.run(main())
    assert report.failure is not None
    assert (report.committed, report.failure.code) == (False, "cancelled")

    async def rows() -> Any:
        async with opened(tmp_path) as host:
            return rows_of(host.ports.store, report.session_id, report.turn_id, "demo")

    kept = asyncio.run(rows())
    assert kept.turn.failure["code"] == "cancelled"
    assert [row.tool_name for row in kept.tool_calls] == ["free"]


@pytest.mark.parametrize("selector", [UseSlot("none"), UseScript(Path("none.yaml"))])
def test_a_model_that_cannot_answer_fails_before_anything_is_opened(
    tmp_path: Path, selector: Any
) -> None:
    unloaded = package(tmp_path)
    with pytest.raises(ModelError):
        asyncio.run(Host.open(settings_of(tmp_path), load=["demo"], selector=selector))
    assert not (tmp_path / "covel.db").exists()
    assert not unloaded.exists()


def test_a_store_that_cannot_be_opened_is_an_error_and_nothing_stays_open(tmp_path: Path) -> None:
    unloaded = package(tmp_path)
    (tmp_path / "covel.db").write_bytes(b"this is no database, and has never been one" * 100)
    with pytest.raises((StoreError, sqlite3.Error)) as caught:
        asyncio.run(Host.open(settings_of(tmp_path), load=["demo"], selector=UseOffline()))
    assert isinstance(caught.value, StoreError)
    assert not unloaded.exists()


def test_a_catalog_that_is_given_is_used_as_it_is(tmp_path: Path) -> None:
    package(tmp_path)
    settings = settings_of(tmp_path)

    async def main() -> bool:
        loaded = await load_catalog(open_catalog(settings), settings, ["demo"])
        host = await Host.open(settings, load=["demo"], selector=UseOffline(), catalog=loaded)
        same = host.catalog.packages["demo"].generation is loaded.packages["demo"].generation
        await host.close()
        return same

    assert asyncio.run(main())


def test_the_offline_note_is_for_the_offline_model_alone(tmp_path: Path) -> None:
    async def main() -> tuple[bool, bool]:
        offline = await Host.open(settings_of(tmp_path), load=[], selector=UseOffline())
        script = tmp_path / "script.json"
        script.write_text("[]")
        scripted = await Host.open(settings_of(tmp_path), load=[], selector=UseScript(script))
        notes = bool(offline.offline_note), bool(scripted.offline_note)
        await offline.close()
        await scripted.close()
        return notes

    assert asyncio.run(main()) == (True, False)
