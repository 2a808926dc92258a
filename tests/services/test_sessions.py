"""Which packages an execution's services come from, also when packages change meanwhile."""

import asyncio
import shutil
from pathlib import Path
from typing import Any, cast

import pytest

from covel_host.turn.admission import ManualRequest
from tests.support.hosts import opened, play, played_on
from tests.support.replies import call, calls, done
from tests.support.service_packages import (
    STOCK_ITEMS,
    STOCK_TAKE,
    request_of,
    stock_of,
    trade,
    write_agent,
    write_function,
    write_provider,
)

ASK = """
    import pathlib

    async def handle(ctx):
        found = await ctx.services.discover("stock.items@1")
        (pathlib.Path(ctx.manual_payload["at"]) / "asked").touch()
        while not (pathlib.Path(ctx.manual_payload["at"]) / "go").exists():
            await asyncio.sleep(0)
        try:
            return await ctx.services.call(found[0], {})
        except ToolError as error:
            return error.message
"""


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_provider_that_is_removed_meanwhile_is_out_at_once(
    tmp_path: Path, is_removed: bool
) -> None:
    write_provider(tmp_path)
    write_function(tmp_path, handler=ASK)

    async def main() -> Any:
        async with opened(tmp_path) as host:
            request = request_of(payload={"at": str(tmp_path)})
            run = asyncio.ensure_future(played_on(host, request))
            while not (tmp_path / "asked").exists():
                await asyncio.sleep(0)
            if is_removed:
                shutil.rmtree(tmp_path / "plugins" / "stock")
            await host.ports.catalogs.reload("stock")
            (tmp_path / "go").touch()
            return (await run).report.result.value

    value = asyncio.run(main())
    # A reload alone changes nothing for an execution that is under way.
    gone = "The service stock.items@1 is unavailable: no active provider offers it as 'items'."
    assert value == (gone if is_removed else [])


def test_a_package_is_loaded_because_its_session_has_it(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path)
    first = trade(tmp_path, calls(call("stock-take", {"name": "rope", "count": -1})), done())
    assert first.report.session_id
    session = first.rows.session
    assert session.active_packages == ("trader", "stock")
    again = play(
        tmp_path,
        "trader",
        calls(call("stock-items")),
        done(),
        session_id=first.report.session_id,
    )
    assert again.report.result.tool_calls[0].content == ["rope=1"]


def test_an_agent_that_can_suspend_gets_no_write_import(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path, services=[STOCK_ITEMS, STOCK_TAKE], tools_more={"builtin": ["suspend"]})
    played = trade(tmp_path, calls(call("stock-take", {"name": "rope", "count": -1})), done())
    assert "stock-take" not in [tool.name for tool in played.requests[0].tools]
    error = played.report.result.tool_calls[0].error
    assert error is not None
    assert error.message == (
        'The tool "stock-take" is unavailable in this run: it changes data, which this runtime '
        "cannot do here."
    )


def test_many_calls_with_cancellations_leave_nothing_behind(tmp_path: Path) -> None:
    write_provider(tmp_path)
    handler = """
        async def handle(ctx):
            (offer,) = await ctx.services.discover("stock.take@1")
            kept = 0
            for number in range(200):
                task = asyncio.ensure_future(
                    ctx.services.call(offer, {"name": "rope", "count": -1})
                )
                for _ in range(ctx.random.randint(0, 12)):
                    await asyncio.sleep(0)
                task.cancel()
                try:
                    await task
                    kept += 1
                except asyncio.CancelledError:
                    pass
            return kept
    """
    write_function(tmp_path, handler=handler)

    async def main() -> None:
        async with opened(tmp_path) as host:
            played = await played_on(host, request_of())
            kept = cast(int, played.report.result.value)
            assert 0 < kept < 200
            assert stock_of(host, played.report.session_id) == {"rope": {"count": kept}}
            assert host.ports.tasks.pending == ()
            assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())


def test_a_request_of_an_unknown_package_names_it_in_the_session_only(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path)

    async def main() -> None:
        async with opened(tmp_path, done()) as host:
            request = ManualRequest(target="trader", packages=("nobody",))
            played = await played_on(host, request)
            assert played.report.committed

    asyncio.run(main())
