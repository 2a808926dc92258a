"""Runs that wait for the player: suspended, stored, gone on with, given up."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import ModelRequest, ToolMessage
from covel_host.store.errors import StoreError
from covel_host.store.forks import ForkIds, fork_session
from covel_host.store.plugin_data import DataKey, get_data
from covel_host.store.session_clock import read_clock
from covel_host.store.suspensions import SuspensionRecord, get_suspension
from covel_host.store.transaction import Transaction
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.suspension_listing import (
    SuspensionSweep,
    discard_suspension,
    list_suspensions,
)
from tests.support.casts import Member, Table, agent, at_table, cast, function, story
from tests.support.hosts import Recorder, opened
from tests.support.replies import call, calls, done, say

PRE = {"stage": "pre-turn"}
POST = {"stage": "post-turn"}
ASKING = """
if ctx.resume_data is None:
    door = {"enum": ["left", "right"]}
    asked = {"type": "object", "required": ["door"], "properties": {"door": door}}
    return suspended("Which door?", asked)
return success({"door": ctx.resume_data["door"], "from": ctx.resumed_from_suspension_id})
"""
FIELDS = [{"type": "text", "name": "name", "label": "Name", "required": True}]
ASK = {"reason": "Your name?", "fields": FIELDS}


def asker(**manifest: Any) -> Member:
    """An agent that may suspend and keeps what it is told in its data set."""
    given: dict[str, Any] = {
        "schedule": POST,
        "agent": {
            "tools": {
                "builtin": ["suspend"],
                "datasets": [{"dataset": "items", "tools": ["upsert"]}],
            }
        },
    }
    return agent(**{**given, **manifest})


ITEMS = {
    "contributes": {
        "datasets": {"items": {"schema": "./items.json", "key": "id", "tools": ["upsert", "list"]}}
    }
}


def items(home: Path, plugin_id: str) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    (home / "plugins" / plugin_id / "items.json").write_text(json.dumps(schema))


async def waiting(table: Table) -> list[SuspensionRecord]:
    return await list_suspensions(table.host.ports.store, table.session_id)


async def the_one(table: Table) -> SuspensionRecord:
    (record,) = await waiting(table)
    return record


async def answer(
    table: Table, record: SuspensionRecord, data: Any, observer: Recorder | None = None
) -> ExecutionReport:
    request = ResumeRequest(
        session_id=table.session_id, suspension_id=record.suspension_id, data=data
    )
    return await table.host.resume(request, observer=observer or Recorder())


async def refusal(table: Table, record: SuspensionRecord, data: Any) -> str:
    with pytest.raises(RequestRefused) as refused:
        await answer(table, record, data)
    return refused.value.code


def record_of(table: Table, record: SuspensionRecord) -> SuspensionRecord | None:
    return table.host.ports.store.read_now(
        lambda reading: get_suspension(reading, table.session_id, record.suspension_id)
    )


def data_of(table: Table, plugin_id: str, namespace: str, key: str) -> Any:
    place = DataKey(session_id=table.session_id, plugin_id=plugin_id, namespace=namespace, key=key)
    found = table.host.ports.store.read_now(lambda reading: get_data(reading, place))
    return None if found is None else found.value


# --- functions --------------------------------------------------------------------------------


def test_a_function_is_called_again_with_the_answer(tmp_path: Path) -> None:
    cast(tmp_path, "gate", {"ask": function(ASKING, schedule=POST)})

    async def body(table: Table) -> None:
        turn = await table.play("I knock.")
        assert turn.report.committed
        assert turn.statuses == {"gate/ask": "suspended"}
        assert table.session.completed_player_turns == 0
        record = await the_one(table)
        (told,) = [one for one in turn.observer.events if one.type == "turn.suspended"]
        assert told.payload["suspensionId"] == record.suspension_id
        assert told.payload["reason"] == "Which door?"
        # It is told once the store knows, and before the execution is over.
        assert turn.observer.types[-1] == "execution.completed"

        observer = Recorder()
        report = await answer(table, record, {"door": "left"}, observer)
        assert report.committed
        assert report.result.output == {"door": "left", "from": record.suspension_id}
        assert observer.types[0] == "turn.resumed"
        assert table.session.completed_player_turns == 1
        resumed = table.turn(report.turn_id)
        assert resumed is not None
        assert (resumed.origin, resumed.parent_turn_id) == ("resume", record.turn_id)
        assert (resumed.logical_turn, resumed.logical_turn_id) == (1, record.turn_id)
        assert await waiting(table) == []
        kept = record_of(table, record)
        assert kept is not None
        assert (kept.state, kept.scene) == ("resolved", None)
        assert kept.facts["turnNumber"] == 0
        assert await refusal(table, record, {"door": "left"}) == "suspension-resolved"

    at_table(tmp_path, body)


@pytest.mark.parametrize("data", [None, {}, {"door": "up"}, [], "left"])
def test_an_answer_that_does_not_fit_changes_nothing(tmp_path: Path, data: Any) -> None:
    cast(tmp_path, "gate", {"ask": function(ASKING, schedule=POST)})

    async def body(table: Table) -> None:
        await table.play()
        record, before = await the_one(table), table.session
        assert await refusal(table, record, data) == "invalid-resume-data"
        assert table.session == before
        assert (await answer(table, record, {"door": "right"})).committed

    at_table(tmp_path, body)


def test_a_schema_that_is_none_fails_the_run(tmp_path: Path) -> None:
    code = 'return suspended("Well?", {"type": "nothing"})'
    cast(tmp_path, "gate", {"ask": function(code, schedule=POST)})

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.statuses == {"gate/ask": "failed"}
        assert await waiting(table) == []

    at_table(tmp_path, body)


def test_who_needs_a_suspended_run_is_skipped(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "gate",
        {
            "ask": function(ASKING, schedule=POST),
            "after": function("return success(1)", schedule={**POST, "needs": ["gate/ask"]}),
        },
    )

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.statuses == {"gate/ask": "suspended", "gate/after": "skipped"}
        assert turn.reasons == {"gate/after": "need-unmet"}

    at_table(tmp_path, body)


def test_a_run_that_fails_or_is_not_committed_waits_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = """
    if ctx.resume_data is None:
        return suspended("Ready?")
    if ctx.resume_data == "fail":
        return failed("It went wrong.")
    await ctx.plugin_data.set("notes", "a", ctx.resume_data)
    return success()
    """
    cast(tmp_path, "gate", {"ask": function(code, schedule=POST)})

    async def body(table: Table) -> None:
        await table.play()
        record = await the_one(table)
        store = table.host.ports.store
        whole = store.transaction

        async def broken(body: Callable[[Transaction], Any]) -> Any:
            def cut(transaction: Transaction) -> None:
                body(transaction)
                raise StoreError("The disk is full.", code="disk-full")

            monkeypatch.setattr(store, "transaction", whole)
            return await whole(cut)

        for wrong in ("fail", "commit"):
            if wrong == "commit":
                monkeypatch.setattr(store, "transaction", broken)
            report = await answer(table, record, wrong)
            assert not report.committed
            assert await the_one(table) == record
            assert data_of(table, "gate", "notes", "a") is None
        assert table.session.completed_player_turns == 0
        assert (await answer(table, record, "go")).committed
        assert data_of(table, "gate", "notes", "a") == "go"

    at_table(tmp_path, body)


def test_the_turn_counts_once_the_last_one_is_answered(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "gate",
        {"a": function(ASKING, schedule=POST), "b": function(ASKING, schedule=POST)},
    )

    async def body(table: Table) -> None:
        await table.play()
        first, second = await waiting(table)
        await answer(table, first, {"door": "left"})
        assert table.session.completed_player_turns == 0
        await answer(table, second, {"door": "left"})
        assert table.session.completed_player_turns == 1

    at_table(tmp_path, body)


def test_a_run_may_wait_again(tmp_path: Path) -> None:
    code = """
    if ctx.resume_data is None:
        return suspended("First?")
    if ctx.resume_data == "more":
        return suspended("Second?")
    return success(ctx.logical_turn)
    """
    cast(tmp_path, "gate", {"ask": function(code, schedule=POST)})

    async def body(table: Table) -> None:
        await table.play()
        first = await the_one(table)
        assert (await answer(table, first, "more")).results[0].status == "suspended"
        second = await the_one(table)
        assert second.suspension_id != first.suspension_id
        assert second.facts["logicalTurnId"] == first.turn_id
        assert table.session.completed_player_turns == 0
        assert (await answer(table, second, "end")).result.value == 1
        assert table.session.completed_player_turns == 1

    at_table(tmp_path, body)


# --- agents -----------------------------------------------------------------------------------


def test_an_agent_goes_on_where_it_stopped(tmp_path: Path) -> None:
    cast(tmp_path, "desk", {"ask": asker()}, **ITEMS)
    items(tmp_path, "desk")
    batch = calls(
        call("items-upsert", {"record": {"id": "before"}}),
        call("suspend", ASK, call_id="wait"),
        call("items-upsert", {"record": {"id": "late"}}),
    )

    async def body(table: Table) -> None:
        turn = await table.play("Hello.")
        assert turn.statuses == {"desk/ask": "suspended"}
        gateway: Any = table.host.ports.gateway
        asked = len(gateway.requests)
        assert data_of(table, "desk", "items", "before") is None
        called = [(one.tool_name, one.status) for one in turn.rows.tool_calls]
        assert called == [
            ("items-upsert", "completed"),
            ("suspend", "completed"),
            ("items-upsert", "skipped"),
        ]
        record = await the_one(table)
        data = {"name": "铭文 “锁” 550e8400-e29b-41d4-a716-446655440000"}
        report = await answer(table, record, data)
        assert report.committed, report.failure
        assert data_of(table, "desk", "items", "before") == {"id": "before"}
        assert data_of(table, "desk", "items", "after") == {"id": "after"}
        again: ModelRequest = gateway.requests[asked]
        before: ModelRequest = gateway.requests[asked - 1]
        assert again.messages[: len(before.messages)] == before.messages
        results = [one for one in again.messages if isinstance(one, ToolMessage)]
        assert [one.call_id for one in results] == [f"call-{asked}-1", "wait", f"call-{asked}-3"]
        assert json.loads(results[1].text) == {"summary": "The player's answer.", "data": data}
        assert json.loads(results[2].text)["error"]["code"] == "cancelled"

    at_table(
        tmp_path,
        body,
        batch,
        calls(call("items-upsert", {"record": {"id": "after"}})),
        done(),
    )


def test_another_process_goes_on_from_what_was_stored(tmp_path: Path) -> None:
    cast(tmp_path, "desk", {"ask": asker()}, **ITEMS)
    items(tmp_path, "desk")
    session_id = at_table(
        tmp_path, begun, calls(call("items-upsert", {"record": {"id": "a"}}), call("suspend", ASK))
    )

    async def main() -> None:
        async with opened(tmp_path, done()) as host:
            table = Table(host, session_id, "desk")
            report = await answer(table, await the_one(table), {"name": "Ada"})
            assert report.committed, report.failure
            assert data_of(table, "desk", "items", "a") == {"id": "a"}

    asyncio.run(main())


async def begun(table: Table) -> str:
    await table.play()
    return table.session_id


def test_only_a_successful_call_of_the_tool_itself_suspends(tmp_path: Path) -> None:
    cast(tmp_path, "desk", {"ask": asker()}, **ITEMS)
    items(tmp_path, "desk")
    wrong = call("suspend", {"reason": "Well?", "fields": []})

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.statuses == {"desk/ask": "success"}
        assert [one.status for one in turn.rows.tool_calls] == ["failed", "completed"]
        assert await waiting(table) == []

    at_table(tmp_path, body, calls(wrong), done())


def test_spent_corrections_and_failures_count_on(tmp_path: Path) -> None:
    manifest = {
        "agent": {
            "tools": {"builtin": ["suspend"]},
            "completion": {"require": "tool-use"},
            "loop": {"corrections": {"toolUse": 1}},
        }
    }
    cast(tmp_path, "desk", {"ask": agent(schedule=POST, **manifest)})

    async def body(table: Table) -> None:
        await table.play()
        report = await answer(table, await the_one(table), {"name": "Ada"})
        # The one correction was spent before the suspension.
        assert report.failure is not None
        assert report.failure.code == "completion_not_met"

    at_table(tmp_path, body, say("Done."), calls(call("suspend", ASK)), say("Done."))


def test_a_story_that_waits_is_told_in_the_end(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(agent={"tools": {"builtin": ["suspend"]}})})

    async def body(table: Table) -> None:
        turn = await table.play("I look up.")
        assert turn.report.committed
        assert [one.content for one in turn.rows.messages] == ["I look up."]
        observer = Recorder()
        report = await answer(table, await the_one(table), {"name": "Ada"}, observer)
        assert report.committed, report.failure
        assert "".join(text or "" for text in observer.texts) == "Ada looks up."
        assert table.session.completed_player_turns == 1

    at_table(tmp_path, body, calls(call("suspend", ASK)), say("Ada looks up."))


def test_an_agent_inside_another_run_cannot_wait(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "gate",
        {
            "outer": function(
                'return success(await ctx.recursive_call("gate/inner"))', schedule=POST
            ),
            "inner": function(ASKING, schedule={"trigger": {"type": "manual"}}),
        },
    )

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.statuses["gate/outer"] == "failed"
        assert await waiting(table) == []

    at_table(tmp_path, body)


# --- setup ------------------------------------------------------------------------------------


def test_setup_that_waits_is_done_when_it_is_answered(tmp_path: Path) -> None:
    cast(tmp_path, "gate", {"ask": function(ASKING, schedule={"stage": "setup"})})

    async def body(table: Table) -> None:
        await table.play(start=True)
        clock = table.host.ports.store.read_now(lambda r: read_clock(r, table.session_id))
        assert clock.phase == "setup"
        assert clock.setup == {}
        report = await answer(table, await the_one(table), {"door": "left"})
        assert report.session is not None
        assert report.session.phase == "playing"
        clock = table.host.ports.store.read_now(lambda r: read_clock(r, table.session_id))
        assert clock.setup["gate/ask"].state == "done"
        assert table.session.completed_player_turns == 0

    at_table(tmp_path, body)


# --- what makes it stale ----------------------------------------------------------------------


def test_playing_on_voids_what_waits(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "gate",
        {
            "ask": function(
                ASKING, schedule={**POST, "trigger": {"type": "scheduled", "interval": 1}}
            )
        },
    )

    async def body(table: Table) -> None:
        await table.play()
        first = await the_one(table)
        await table.play()
        second = await the_one(table)
        assert second.suspension_id != first.suspension_id
        assert await refusal(table, first, {"door": "left"}) == "suspension-stale"
        assert (await answer(table, second, {"door": "left"})).committed

    at_table(tmp_path, body)


def test_another_version_of_the_package_voids_it(tmp_path: Path) -> None:
    cast(tmp_path, "gate", {"ask": function(ASKING, schedule=POST)}, version="1.0.0")
    session_id = at_table(tmp_path, begun)
    manifest = tmp_path / "plugins" / "gate" / "PLUGIN.md"
    manifest.write_text(manifest.read_text().replace("1.0.0", "1.1.0"))

    async def body(table: Table) -> None:
        there = Table(table.host, session_id, "gate")
        record = await the_one(there)
        assert await refusal(there, record, {"door": "left"}) == "suspension-stale"
        kept = record_of(there, record)
        assert kept is not None
        assert (kept.state, kept.scene) == ("voided", None)
        assert await refusal(there, record, {"door": "left"}) == "suspension-stale"

    at_table(tmp_path, body)


NOTING = """
if ctx.resumed_from_suspension_id is None:
    await ctx.plugin_data.set("notes", "a", "mine")
    return suspended("Ready?")
return success()
"""


@pytest.mark.parametrize("key", ["a", "b"])
def test_a_record_that_somebody_else_changed_voids_it(tmp_path: Path, key: str) -> None:
    other = f'await ctx.plugin_data.set("notes", "{key}", "theirs")\nreturn success()'
    cast(
        tmp_path,
        "gate",
        {
            "ask": function(NOTING, schedule=POST),
            "other": function(other, schedule={"trigger": {"type": "manual"}}),
        },
    )

    async def body(table: Table) -> None:
        await table.play()
        record = await the_one(table)
        run = await table.host.run(ManualRequest(target="gate/other", session_id=table.session_id))
        assert run.committed
        if key == "a":
            assert await refusal(table, record, None) == "suspension-stale"
            assert data_of(table, "gate", "notes", "a") == "theirs"
        else:
            assert (await answer(table, record, None)).committed
            assert data_of(table, "gate", "notes", "a") == "mine"

    at_table(tmp_path, body)


def test_an_auxiliary_run_whose_reads_its_own_turn_changed_does_not_wait(tmp_path: Path) -> None:
    reading = 'await ctx.plugin_data.get("notes", "a")\nreturn suspended("Ready?")'
    writing = 'await ctx.plugin_data.set("notes", "a", 1)\nreturn success()'
    cast(
        tmp_path,
        "gate",
        {
            "told": story(),
            "read": function(reading, schedule=POST),
            "write": function(writing, schedule=POST),
        },
    )

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.report.committed
        assert await waiting(table) == []
        assert isinstance(turn.turn.results, list)
        stored = {str(one["runtimeId"]): one for one in turn.turn.results if isinstance(one, dict)}
        assert stored["gate/read"]["status"] == "failed"
        assert stored["gate/read"]["error"]["code"] == "suspension-stale"  # type: ignore[index, call-overload]
        assert table.session.completed_player_turns == 1

    at_table(tmp_path, body, say("Rain fell."))


# --- giving up, expiry, forks -----------------------------------------------------------------


def test_giving_up_deletes_it(tmp_path: Path) -> None:
    cast(tmp_path, "gate", {"ask": function(ASKING, schedule=POST)})

    async def body(table: Table) -> None:
        await table.play()
        record, before = await the_one(table), table.session.revision
        changed = await discard_suspension(table.host.ports, table.session_id, record.suspension_id)
        assert changed.session.revision == before + 1
        assert record_of(table, record) is None
        assert await refusal(table, record, {"door": "left"}) == "suspension-not-found"
        with pytest.raises(RequestRefused, match="no suspension"):
            await discard_suspension(table.host.ports, table.session_id, record.suspension_id)

    at_table(tmp_path, body)


@pytest.mark.parametrize(("ttl", "left"), [(timedelta(0), 0), (timedelta(days=1), 1), (None, 1)])
def test_what_waited_too_long_is_deleted(tmp_path: Path, ttl: timedelta | None, left: int) -> None:
    cast(tmp_path, "gate", {"ask": function(ASKING, schedule=POST)})

    async def body(table: Table) -> None:
        await table.play()
        sweep = SuspensionSweep(table.host.ports, ttl)
        await sweep.run_if_due()
        assert len(await waiting(table)) == left

    at_table(tmp_path, body)


def test_a_fork_waits_as_its_origin_did(tmp_path: Path) -> None:
    cast(tmp_path, "gate", {"ask": function(ASKING, schedule=POST)})

    async def body(table: Table) -> None:
        await table.play()
        revision = table.session.revision
        record = await the_one(table)
        await answer(table, record, {"door": "left"})
        ports = table.host.ports
        fork = await ports.store.transaction(
            lambda transaction: fork_session(
                transaction,
                table.session_id,
                revision,
                new=ForkIds(session_id="s-2", incarnation="i-2", snapshot_id="n-2"),
                at=ports.clock.now(),
            )
        )
        there = Table(table.host, fork.session_id, "gate")
        copy = await the_one(there)
        assert copy == replace(record, session_id=fork.session_id)
        report = await answer(there, copy, {"door": "right"})
        assert report.result.output == {"door": "right", "from": copy.suspension_id}

    at_table(tmp_path, body)
