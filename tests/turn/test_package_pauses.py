"""Packages that keep failing: what counts, and what is gone while they are set aside."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.models.errors import ErrorFacts, ErrorKind, ModelError
from covel_host.store.package_failures import read_package_failures
from covel_host.turn.package_pauses import unpause_package
from covel_host.turn.session_forks import fork_from
from covel_host.turn.session_packages import add_package, remove_package
from tests.support.casts import Table, agent, at_table, cast, function, story
from tests.support.replies import Reply, call, calls, done, say

PRE = {"stage": "pre-turn"}
POST = {"stage": "post-turn"}
RINGS = {"events": [{"topic": "bell.rung", "schema": "./any.json", "description": "It rang."}]}

SERVICE = """
from plugin_sdk import ServiceContext, hookimpl, service


@service("stock.items@1", kind="read", offer_to_models=True)
async def items(ctx: ServiceContext, query: dict[str, str]) -> list[str]:
    '''List what is in stock.'''
    raise ValueError("burnt down")


@hookimpl
def register_services():
    return [items]
"""


def failures(table: Table) -> dict[str, int]:
    rows = table.host.ports.store.read_now(
        lambda reading: read_package_failures(reading, table.session_id)
    )
    return {plugin_id: row.in_a_row for plugin_id, row in rows.items()}


async def counted(table: Table) -> dict[str, int]:
    await table.play()
    return failures(table)


def test_a_follower_of_a_package_that_is_set_aside_does_not_follow(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "ears",
        {
            "fail": function("raise ValueError('no')", schedule=PRE),
            "hear": function(
                "return success()", schedule={"trigger": {"type": "event", "topic": "bell.rung"}}
            ),
        },
    )
    cast(
        tmp_path,
        "bell",
        {
            "ring": function(
                'return success(effects=Effects(events=[Event("bell.rung", {})]))', schedule=POST
            )
        },
        contributes=RINGS,
    )

    async def body(table: Table) -> Any:
        turns = [await table.play() for _ in range(6)]
        return turns[4].statuses, turns[5].statuses, turns[5].reasons

    before, after, reasons = at_table(tmp_path, body)
    assert before == {"ears/fail": "failed", "bell/ring": "success", "ears/hear": "success"}
    assert after == {"bell/ring": "success", "ears/fail": "skipped", "ears/hear": "skipped"}
    assert reasons == {"ears/fail": "package-paused", "ears/hear": "package-paused"}


def test_an_import_of_a_package_that_is_set_aside_is_answered_with_the_reason(
    tmp_path: Path,
) -> None:
    home = tmp_path
    cast(
        home,
        "stock",
        {"fail": function("raise ValueError('no')", schedule=PRE)},
        provides=["stock.items@1"],
        contributes={"services": ["stock.items@1"]},
    )
    (home / "plugins" / "stock" / "server" / "index.py").write_text(SERVICE)
    cast(
        home,
        "user",
        {"ask": agent(schedule=POST, agent={"tools": {"services": ["stock.items@1"]}})},
        optional=["stock.items@1"],
    )

    async def body(table: Table) -> Any:
        turns = [await table.play() for _ in range(6)]
        gateway: Any = table.host.ports.gateway
        offered = ["stock-items" in {tool.name for tool in one.tools} for one in gateway.requests]
        [asked] = [one for one in turns[5].report.executions[0].results if one.tool_calls]
        return offered, asked.tool_calls[0].envelope

    replies = [*[done()] * 5, calls(call("stock-items")), done()]
    offered, answer = at_table(home, body, *replies)
    assert offered == [True] * 5 + [False] * 2
    assert "its provider is paused after repeated errors" in answer


def test_a_failure_of_anothers_service_counts_against_nobody(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "stock",
        {"": function("return success()", schedule={"trigger": {"type": "manual"}})},
        provides=["stock.items@1"],
        contributes={"services": ["stock.items@1"]},
    )
    (tmp_path / "plugins" / "stock" / "server" / "index.py").write_text(SERVICE)
    cast(
        tmp_path,
        "user",
        {
            "ask": function(
                """
                [offer] = await ctx.services.discover("stock.items@1")
                return success({"items": await ctx.services.call(offer, {})})
                """,
                schedule=PRE,
            )
        },
        optional=["stock.items@1"],
    )

    async def body(table: Table) -> Any:
        turn = await table.play()
        return turn.statuses, failures(table)

    assert at_table(tmp_path, body) == ({"user/ask": "failed"}, {})


def down(kind: ErrorKind) -> ModelError:
    facts = ErrorFacts(kind=kind, retriable=False)
    return ModelError("No.", code="provider-error", facts=facts)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (down("unreachable"), {}),
        (down("quota"), {}),
        (down("overloaded"), {}),
        (down("bad_request"), {"tale": 1}),
        (say(""), {"tale": 1}),
    ],
    ids=lambda given: given.error_kind if isinstance(given, ModelError) else "",
)
def test_a_provider_that_is_down_is_not_the_packages_fault(
    tmp_path: Path, reply: Reply, expected: dict[str, int]
) -> None:
    cast(tmp_path, "tale", {"told": story()})
    assert at_table(tmp_path, counted, *[reply] * 3) == expected


def test_a_package_that_was_taken_out_and_put_back_begins_anew(tmp_path: Path) -> None:
    cast(tmp_path, "ears", {"fail": function("raise ValueError('no')", schedule=PRE)})
    cast(tmp_path, "eyes", {"see": function("return success()", schedule=PRE)})

    async def body(table: Table) -> Any:
        for _ in range(5):
            await table.play()
        counted = failures(table)
        catalog, session_id = table.host.catalog, table.session_id
        await remove_package(table.host.ports, session_id, "ears", catalog=catalog)
        await add_package(table.host.ports, session_id, "ears", catalog=catalog)
        return counted, failures(table), (await table.play()).statuses

    counted, left, statuses = at_table(tmp_path, body)
    assert (counted, left) == ({"ears": 5}, {})
    assert statuses == {"ears/fail": "failed", "eyes/see": "success"}


def test_a_fork_is_as_set_aside_as_what_it_came_from(tmp_path: Path) -> None:
    cast(tmp_path, "ears", {"fail": function("raise ValueError('no')", schedule=PRE)})

    async def body(table: Table) -> Any:
        for _ in range(5):
            await table.play()
        forked = await fork_from(table.host.ports, table.session_id)
        return failures(Table(table.host, forked.session_id, "ears"))

    assert at_table(tmp_path, body) == {"ears": 5}


def test_a_default_provider_stands_in_while_the_one_it_steps_aside_for_is_paused(
    tmp_path: Path,
) -> None:
    engine = {"visibility": "story", "output": {"contract": "tale@1"}}
    broken = {"visibility": "plugin", "output": {"contract": "tale@1"}}
    defined = {"tale@1": {"schema": "./any.json"}}
    cast(
        tmp_path,
        "bard",
        {"told": function("raise ValueError('no')", schedule=PRE, io=broken)},
        provides=["tale@1"],
    )
    cast(
        tmp_path,
        "house",
        {"told": story(io=engine)},
        provides=[{"contract": "tale@1", "default": True}],
        contracts=defined,
    )

    async def body(table: Table) -> Any:
        turns = [await table.play() for _ in range(6)]
        await unpause_package(table.host.ports, table.session_id, "bard")
        return [turn.statuses for turn in (*turns, await table.play())]

    *failing, stood_in, back = at_table(tmp_path, body, say("Rain fell."))
    assert failing == [{"bard/told": "failed"}] * 5
    assert stood_in == {"house/told": "success", "bard/told": "skipped"}
    assert back == {"bard/told": "failed"}
