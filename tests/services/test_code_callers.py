"""`ctx.services` of tools, of function runtimes and of services, through the whole host."""

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.hosts import Played, opened, played_on
from tests.support.replies import call, calls, done, say
from tests.support.service_packages import (
    STOCK_HEAD,
    STOCK_ITEMS,
    STOCK_TAKE,
    request_of,
    stock_of,
    trade,
    write_agent,
    write_function,
    write_provider,
)

TOOLS = """
    async def offer(ctx, contract):
        found = await ctx.services.discover(contract)
        return found[0]

    @tool
    async def buy(ctx: ToolContext, name: str, then: str = "") -> object:
        '''Buys.'''
        answer = await ctx.services.call(
            await offer(ctx, "stock.take@1"), {"name": name, "count": -1}
        )
        if then == "fail":
            raise ToolError("conflict", "The purse is empty.")
        if then == "own":
            return with_pending_proposals(
                answer, [PluginData(namespace="notes", key="bought", value=name)]
            )
        if then == "too-large":
            return with_pending_proposals(
                answer, [PluginData(namespace="notes", key="bought", value="x" * 300_000)]
            )
        return answer

    @tool(read_only=True)
    async def peek(ctx: ToolContext, how: str = "") -> object:
        '''Peeks.'''
        contract = "stock.take@1" if how else "stock.items@1"
        try:
            return await ctx.services.call(await offer(ctx, contract), {"name": "x", "count": 0})
        except ToolError:
            return "caught"

    @tool
    def thread(ctx: ToolContext) -> object:
        '''Asks from a thread.'''
        async def ask():
            found = await ctx.services.discover("stock.items@1")
            return await ctx.services.call(found[0], {})
        return asyncio.run(ask())

    @tool
    async def slow(ctx: ToolContext) -> object:
        '''Waits in vain.'''
        return await ctx.services.call(await offer(ctx, "stock.slow@1"), {}, timeout_ms=20)

    kept = []

    @tool
    async def keep(ctx: ToolContext) -> int:
        '''Keeps its services.'''
        kept.append((ctx.services, await offer(ctx, "stock.take@1")))
        return len(kept)

    @tool
    async def late(ctx: ToolContext) -> object:
        '''Uses kept services.'''
        services, found = kept[0]
        try:
            await services.call(found, {"name": "late", "count": -1})
        except ToolError as error:
            return error.code
"""
NAMES = ("buy", "peek", "thread", "slow", "keep", "late")
SLOW = """
    @service("stock.slow@1", kind="write")
    async def slow(ctx: ServiceContext) -> None:
        await asyncio.Event().wait()
"""


def packages(home: Path) -> None:
    write_provider(home, code=SLOW, contracts=[STOCK_ITEMS, STOCK_TAKE, "stock.slow@1"])
    write_agent(home, services=[STOCK_ITEMS], code=TOOLS, tools=NAMES)


def play_and_look(home: Path, *replies: Any) -> tuple[Played, dict[str, Any]]:
    async def main() -> tuple[Played, dict[str, Any]]:
        async with opened(home, *replies) as host:
            played = await played_on(host, request_of())
            return played, stock_of(host, played.report.session_id)

    return asyncio.run(main())


def test_a_tool_writes_through_a_service_and_both_are_committed(tmp_path: Path) -> None:
    packages(tmp_path)
    played, stock = play_and_look(
        tmp_path, calls(call("buy", {"name": "rope", "then": "own"})), done()
    )
    assert played.report.committed
    assert stock == {"rope": {"count": 1}}
    assert played.rows.data == {("notes", "bought"): "rope"}
    staged = json.loads(played.envelopes[0])["staged"]
    assert (staged["count"], staged["kinds"]) == (3, ["plugin.data", "plugin.data.update"])
    assert [one.plugin_id for one in played.report.result.proposals] == ["stock"] * 2 + ["trader"]


@pytest.mark.parametrize("then", ["fail", "too-large"])
def test_a_tool_that_fails_afterwards_takes_the_services_writes_back(
    tmp_path: Path, then: str
) -> None:
    packages(tmp_path)
    again = calls(call("buy", {"name": "rope"}))
    look = calls(call("stock-items"))
    played, stock = play_and_look(
        tmp_path, calls(call("buy", {"name": "bell", "then": then})), look, again, done()
    )
    assert played.report.result.tool_calls[0].error is not None
    assert played.report.result.tool_calls[1].content == []
    assert stock == {"rope": {"count": 1}}


def test_a_read_only_tool_may_read_and_must_not_write_even_when_it_goes_on(tmp_path: Path) -> None:
    packages(tmp_path)
    played, stock = play_and_look(
        tmp_path, calls(call("peek"), call("peek", {"how": "write"})), done()
    )
    assert played.report.result.tool_calls[0].content == []
    assert json.loads(played.envelopes[1])["error"] == {
        "code": "internal",
        "message": 'Tool "peek" failed: read-only tool returned writes',
    }
    assert stock == {}


def test_a_tool_in_a_thread_calls_services_too(tmp_path: Path) -> None:
    packages(tmp_path)
    played, _ = play_and_look(tmp_path, calls(call("thread")), done())
    assert played.report.result.tool_calls[0].content == []


def test_a_timeout_is_a_time_out_error_and_no_failure_of_the_tool(tmp_path: Path) -> None:
    packages(tmp_path)
    played, _ = play_and_look(tmp_path, calls(call("slow")), done())
    error = played.report.result.tool_calls[0].error
    assert error is not None
    assert (error.code, error.raised_by) == ("timeout", "service")
    assert error.message == "The service stock.slow@1 did not answer within 20 ms."
    assert played.report.committed


def test_services_die_with_the_call(tmp_path: Path) -> None:
    packages(tmp_path)
    played, stock = play_and_look(tmp_path, calls(call("keep")), calls(call("late")), done())
    assert played.report.result.tool_calls[1].content == "unavailable"
    assert stock == {}


HANDLER = """
    async def handle(ctx):
        payload = ctx.manual_payload or {}
        (offer,) = await ctx.services.discover(payload.get("contract", "stock.take@1"))
        answers = []
        for name in payload.get("names", ["rope"]):
            answers.append(await ctx.services.call(offer, {"name": name, "count": -2}))
        if payload.get("fail"):
            return failed("No deal.")
        return answers
"""


def test_a_function_runtime_writes_through_services_in_its_own_unit(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_function(tmp_path, handler=HANDLER)

    async def main() -> None:
        async with opened(tmp_path) as host:
            played = await played_on(host, request_of(payload={"names": ["rope", "rope"]}))
            value = cast(Any, played.report.result.value)
            assert [one["count"] for one in value] == [2, 4]
            assert stock_of(host, played.report.session_id) == {"rope": {"count": 4}}

    asyncio.run(main())


def test_a_failed_function_takes_the_services_writes_with_it(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_function(tmp_path, handler=HANDLER)

    async def main() -> None:
        async with opened(tmp_path) as host:
            played = await played_on(host, request_of(payload={"fail": True}))
            assert not played.report.committed
            assert stock_of(host, played.report.session_id) == {}

    asyncio.run(main())


@pytest.mark.parametrize(
    ("contract", "code", "counts"),
    [("stock.broken@1", "internal", False), (STOCK_TAKE, "invalid-input", True)],
)
def test_a_service_that_fails_a_function_is_not_the_functions_error(
    tmp_path: Path, contract: str, code: str, counts: bool
) -> None:
    broken = """
        @service("stock.broken@1", kind="read")
        async def broken(ctx: ServiceContext, value: dict[str, object]) -> None:
            raise RuntimeError("out of order")
    """
    write_provider(tmp_path, code=broken, contracts=[STOCK_ITEMS, STOCK_TAKE, "stock.broken@1"])
    write_function(tmp_path, handler=HANDLER)
    played = trade(tmp_path, payload={"contract": contract, "names": [""]})
    failure = played.report.result.failure
    assert failure is not None
    assert (failure.code, failure.counts_as_error) == (code, counts)


def test_a_function_may_go_on_after_a_service_failed(tmp_path: Path) -> None:
    write_provider(tmp_path)
    handler = """
        async def handle(ctx):
            (offer,) = await ctx.services.discover("stock.take@1")
            try:
                await ctx.services.call(offer, {"name": "rope", "count": 5})
            except ToolError as error:
                return [error.code, await ctx.services.discover("moss.map@2")]
    """
    write_function(tmp_path, handler=handler)
    played = trade(tmp_path)
    assert played.report.committed
    assert played.report.result.value == ["conflict", []]


CONTEXT = """
    @service("stock.look@1", kind="read")
    async def look(ctx: ServiceContext, value: dict[str, object]) -> object:
        found = {"ids": [ctx.plugin_id, ctx.caller_plugin_id], "roll": ctx.random.random()}
        found["cancelled"] = ctx.signal.cancelled
        found["year"] = ctx.clock.now().year > 2000
        ctx.logger.info("asked", value=value)
        try:
            await ctx.plugin_data.set("items", "x", 1)
        except ToolError as error:
            found["write"] = error.code
        try:
            await ctx.http.fetch_with_retry("https://herbs.example")
        except ToolError as error:
            found["http"] = error.code
        reply = await ctx.gateway.generate_text("Well?")
        found["text"] = reply.text
        (offer,) = await ctx.services.discover("stock.items@1")
        found["nested"] = await ctx.services.call(offer, {})
        kept.append(ctx)
        return found

    @service("stock.late@1", kind="read")
    async def late(ctx: ServiceContext, value: dict[str, object]) -> object:
        try:
            return await kept[0].plugin_data.get("items", "x")
        except ToolError as error:
            return error.code

    kept = []
"""


def test_a_service_has_its_own_context_which_ends_with_the_call(tmp_path: Path) -> None:
    contracts = [STOCK_ITEMS, STOCK_TAKE, "stock.look@1", "stock.late@1"]
    write_provider(tmp_path, code=CONTEXT, contracts=contracts)
    handler = """
        async def handle(ctx):
            found = []
            for contract in ("stock.look@1", "stock.late@1"):
                (offer,) = await ctx.services.discover(contract)
                found.append(await ctx.services.call(offer, {"q": 1}))
            return found
    """
    write_function(tmp_path, handler=handler)
    played = trade(tmp_path, say("Aye."), environ={"COVEL_RANDOM_SEED": "7"})
    again = trade(tmp_path, say("Aye."), environ={"COVEL_RANDOM_SEED": "7"})
    first, late = cast(Any, played.report.result.value)
    assert cast(Any, again.report.result.value)[0]["roll"] == first.pop("roll")
    assert again.report.result.model_use.calls == 1
    assert late == "unavailable"
    assert first == {
        "ids": ["stock", "trader"],
        "cancelled": False,
        "year": True,
        "write": "refused",
        "http": "refused",
        "text": "Aye.",
        "nested": [],
    }


def test_the_provider_finds_its_records_later_in_the_session(tmp_path: Path) -> None:
    write_provider(tmp_path)
    write_function(tmp_path, handler=HANDLER)

    async def main() -> None:
        async with opened(tmp_path) as host:
            first = await played_on(host, request_of())
            again = request_of(session_id=first.report.session_id, packages=())
            value = (await played_on(host, again)).report.result.value
            assert [one["count"] for one in cast(Any, value)] == [4]

    asyncio.run(main())


def test_a_service_sees_the_world_of_the_run_and_speaks_its_language(tmp_path: Path) -> None:
    code = """
        from plugin_sdk.rules import translate

        @service("stock.who@1", kind="read")
        async def who(ctx: ServiceContext) -> object:
            names = [each["name"] for each in ctx.world.characters]
            kept.append(ctx.world)
            said = [ctx.locale, translate(ctx, "Who is here?"), sorted(ctx.translations)]
            return [names, said]

        @service("stock.gone@1", kind="read")
        async def gone(ctx: ServiceContext) -> object:
            try:
                return [each["name"] for each in kept[0].characters]
            except ToolError as error:
                return error.code

        kept = []
    """
    write_provider(tmp_path, code=code, contracts=["stock.who@1", "stock.gone@1"], base=STOCK_HEAD)
    texts = tmp_path / "plugins" / "stock" / "locales" / "de.yaml"
    texts.parent.mkdir()
    texts.write_text("messages:\n  Who is here?: Wer ist da?\n", encoding="utf-8")
    handler = """
        async def handle(ctx):
            created = {"name": "Mara", "type": "npc"}
            await ctx.tools.call("sync-characters", {"creates": [created]})
            found = []
            for contract in ("stock.who@1", "stock.gone@1"):
                (offer,) = await ctx.services.discover(contract)
                found.append(await ctx.services.call(offer, {}))
            return found
    """
    tools = {"tools": {"builtin": ["sync-characters"]}}
    write_function(tmp_path, handler=handler, function=tools)
    played = trade(tmp_path, environ={"COVEL_LOCALE": "de-AT"})
    said = ["de-AT", "Wer ist da?", ["de"]]
    assert played.report.result.value == [[["Mara"], said], "unavailable"], played.report
