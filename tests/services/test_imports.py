"""Services that an agent imports, from the model's call to the commit."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.hosts import opened, played_on
from tests.support.replies import call, calls, done
from tests.support.service_packages import (
    STOCK,
    STOCK_ITEMS,
    STOCK_TAKE,
    request_of,
    stock_of,
    trade,
    write_agent,
    write_provider,
)

BOTH = (STOCK_ITEMS, STOCK_TAKE)


def envelope(played: Any, index: int = 0) -> Any:
    return json.loads(played.envelopes[index])


def test_imports_are_offered_with_the_providers_words_and_schema(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path, services=["stock.items@1", {"contract": "stock.take@1", "as": "grab"}])
    played = trade(tmp_path, done())
    tools = {tool.name: tool for tool in played.requests[0].tools}
    assert list(tools) == ["stock-items", "grab", "runtime-done"]
    assert tools["stock-items"].description == "List what is in stock."
    assert set(tools["grab"].input_schema["properties"]) == {"name", "count"}


def test_a_write_import_stages_and_commits_the_providers_own_data(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path)

    async def main() -> None:
        put = calls(call("stock-take", {"name": "rope", "count": -3}))
        look = calls(call("stock-items", {"prefix": "r"}))
        async with opened(tmp_path, put, look, done()) as host:
            played = await played_on(host, request_of())
            assert played.report.committed
            assert envelope(played) == {
                "data": {"name": "rope", "count": 3, "caller": "trader"},
                "staged": {
                    "count": 2,
                    "kinds": ["plugin.data", "plugin.data.update"],
                    "notice": "Staged: it takes effect when the turn ends and may still be "
                    "rejected.",
                },
            }
            assert envelope(played, 1) == {"data": ["rope=3"]}
            assert stock_of(host, played.report.session_id) == {"rope": {"count": 3}}

    asyncio.run(main())


def test_the_next_execution_reads_what_was_committed(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path)

    async def main() -> None:
        put = calls(call("stock-take", {"name": "rope", "count": -3}))
        replies = (put, done(), calls(call("stock-items")), done())
        async with opened(tmp_path, *replies) as host:
            first = await played_on(host, request_of())
            # The session knows its packages: nobody has to name the provider again.
            again = request_of(session_id=first.report.session_id, packages=())
            assert envelope(await played_on(host, again)) == {"data": ["rope=3"]}

    asyncio.run(main())


FAILING = """
    UUID = "0b0f0f0e-1111-2222-3333-444455556666"

    @service("stock.fail@1", kind="write", offer_to_models=True)
    async def fail(ctx: ServiceContext, how: dict[str, object]) -> object:
        await ctx.plugin_data.set("items", "half", {"count": 1})
        if how["how"] == "told":
            raise ToolError("not-found", "No such thing.", hint="Ask for another.")
        if how["how"] == "conflict":
            by = {"op": "increment", "path": "/count", "by": 1}
            await ctx.plugin_data.update("items", "nothing", [by])
        if how["how"] == "broken":
            raise RuntimeError(f"lost {UUID}\\nsecond line")
        return None

    @service("stock.wrong@1", kind="read", offer_to_models=True)
    async def wrong(ctx: ServiceContext) -> int:
        return "five"
"""
FAILURES = {
    "told": {"code": "not-found", "message": "No such thing.", "hint": "Ask for another."},
    "broken": {"code": "internal", "message": 'Tool "stock-fail" failed: lost <id>'},
}


@pytest.mark.parametrize("how", ["told", "conflict", "broken"])
def test_a_failing_provider_is_told_and_writes_nothing(tmp_path: Path, how: str) -> None:
    write_provider(tmp_path, code=FAILING, contracts=["stock.fail@1", "stock.wrong@1", *BOTH])
    write_agent(tmp_path, services=["stock.fail@1"])

    async def main() -> None:
        replies = (calls(call("stock-fail", {"how": how})), done())
        async with opened(tmp_path, *replies) as host:
            played = await played_on(host, request_of())
            error = envelope(played)["error"]
            assert error == FAILURES[how] if how in FAILURES else error["code"] == "conflict"
            # The provider's failure is not the agent's: its run succeeds.
            assert played.report.committed, played.report.failure
            assert stock_of(host, played.report.session_id) == {}

    asyncio.run(main())


def test_an_invalid_result_is_told_in_one_sentence(tmp_path: Path) -> None:
    write_provider(tmp_path, code=FAILING, contracts=["stock.fail@1", "stock.wrong@1", *BOTH])
    write_agent(tmp_path, services=["stock.wrong@1"])
    played = trade(tmp_path, calls(call("stock-wrong")), done())
    assert envelope(played) == {
        "error": {"code": "internal", "message": "The service returned an invalid result."}
    }
    assert played.report.committed


def test_refused_input_is_the_agents_own_failure(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path)
    played = trade(tmp_path, calls(call("stock-take", {"name": "", "count": 1})), done())
    error = envelope(played)["error"]
    assert error["code"] == "invalid-input"
    assert error["message"].startswith("name: ")
    assert not played.report.committed


def test_an_absent_import_is_not_offered_and_its_call_says_why(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path, services=["stock.items@1", "moss.map@2"])
    played = trade(tmp_path, calls(call("moss-map")), done())
    assert [tool.name for tool in played.requests[0].tools] == ["stock-items", "runtime-done"]
    assert envelope(played)["error"] == {
        "code": "unavailable",
        "message": 'The tool "moss-map" is unavailable in this session: no active provider offers '
        "moss.map@2.",
    }
    assert played.report.committed


def test_a_provider_outside_the_session_is_absent(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path)
    played = trade(tmp_path, done(), packages=())
    assert [tool.name for tool in played.requests[0].tools] == ["runtime-done"]


def test_calls_are_audited_and_traced_with_their_provider(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_agent(tmp_path)
    played = trade(tmp_path, calls(call("stock-items", call_id="c1")), done())
    (row, _) = played.rows.tool_calls
    assert (row.tool_name, row.status, row.approval) == ("stock-items", "completed", "auto-allowed")
    (service,) = [one for one in played.rows.trace if one.type == "plugin.service.completed"]
    assert service.data["providerPluginId"] == "stock"
    assert service.data["callerPluginId"] == "trader"
    assert service.data["parentCallId"] == played.report.result.tool_calls[0].request.call_id


def test_reads_run_together_and_writes_alone(tmp_path: Path) -> None:
    write_provider(
        tmp_path,
        contracts=["stock.meet@1", "stock.count@1"],
        code="""
        together = asyncio.Event()
        arrived = []

        @service("stock.meet@1", kind="read", offer_to_models=True)
        async def meet(ctx: ServiceContext) -> int:
            arrived.append(1)
            if len(arrived) == 2:
                together.set()
            await together.wait()
            return len(arrived)

        @service("stock.count@1", kind="write", offer_to_models=True)
        async def count(ctx: ServiceContext) -> int:
            record = await ctx.plugin_data.get("items", "n") or {"count": 0}
            await asyncio.sleep(0)
            await ctx.plugin_data.set("items", "n", {"count": record["count"] + 1})
            return record["count"] + 1
        """,
        base=STOCK.split("@service", maxsplit=1)[0],
    )
    write_agent(tmp_path, services=["stock.meet@1", "stock.count@1"])
    wanted = [call("stock-meet"), call("stock-meet"), call("stock-count"), call("stock-count")]
    played = trade(tmp_path, calls(*wanted), done())
    found = [one.content for one in played.report.result.tool_calls]
    assert found[:4] == [2, 2, 1, 2]


def test_a_data_set_of_the_provider_is_held_to_its_rules(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer", "maximum": 5}}}
    write_provider(tmp_path, contributes={"datasets": {"items": {"schema": "item.json"}}})
    (tmp_path / "plugins" / "stock" / "item.json").write_text(json.dumps(schema))
    write_agent(tmp_path)
    played = trade(tmp_path, calls(call("stock-take", {"name": "rope", "count": -9})), done())
    assert envelope(played)["error"]["code"] == "invalid-input"


def test_a_deferred_import_is_found_and_called(tmp_path: Path) -> None:
    write_provider(tmp_path)
    more = {"defer": ["stock-items", "moss-map"]}
    write_agent(tmp_path, services=["stock.items@1", "moss.map@2"], tools_more=more)
    search = calls(call("search-tools", {"query": "stock map"}))
    played = trade(tmp_path, search, calls(call("stock-items")), done())
    offered = [[tool.name for tool in request.tools] for request in played.requests]
    assert "stock-items" not in offered[0]
    assert "stock-items" in offered[1]
    assert "moss-map" not in offered[1]
    assert envelope(played, 1) == {"data": []}
