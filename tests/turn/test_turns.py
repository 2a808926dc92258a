"""Turns of players through the host: what runs, what is told, what is committed."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.store.session_clock import read_clock
from covel_host.turn.errors import RequestRefused
from tests.support.casts import Table, agent, at_table, cast, function, played, story
from tests.support.hosts import play
from tests.support.replies import broken, done, say

PRE = {"stage": "pre-turn"}
POST = {"stage": "post-turn"}
RINGS = {"events": [{"topic": "bell.rung", "schema": "./any.json", "description": "It rang."}]}


# --- the main loop ----------------------------------------------------------------------------


def test_a_message_is_a_turn_through_all_stages(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "audit": function('return success({"at": "audit"})', schedule={"stage": "audit"}),
            "after": function('return success({"at": "after"})', schedule=POST),
            "told": story(),
            "before": function('return success({"at": "before"})', schedule=PRE),
        },
    )
    turn = played(tmp_path, say("Rain fell."), message="I look up.")
    assert turn.report.committed
    assert list(turn.statuses) == ["tale/before", "tale/told", "tale/after", "tale/audit"]
    assert [(m.source, m.content) for m in turn.rows.messages] == [
        ("player", "I look up."),
        ("runtime", "Rain fell."),
    ]
    assert turn.turn.origin == "player"
    assert (turn.turn.logical_turn, turn.rows.session.completed_player_turns) == (1, 1)
    assert turn.observer.types[0] == "execution.started"
    assert turn.observer.events[0].payload == {"runtimeCount": 4}
    ended = turn.observer.events[-1]
    assert (ended.type, ended.payload["committed"], ended.payload["resultCount"]) == (
        "execution.completed",
        True,
        4,
    )


def test_only_the_storys_text_is_shown(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(), "track": agent(schedule=POST)})
    turn = played(tmp_path, say("Rain fell."), say("I noted that."))
    assert "".join(text or "" for text in turn.observer.texts) == "Rain fell."


def test_runtimes_of_a_layer_run_at_the_same_time(tmp_path: Path) -> None:
    code = """
    import sys
    met = sys.modules.setdefault("covel_test_met", type(sys)("met"))
    met.__dict__.setdefault("here", []).append(ctx.runtime_id)
    while len(met.here) < 2:
        await asyncio.sleep(0)
    return success()
    """
    try:
        cast(
            tmp_path,
            "pair",
            {"a": function(code, schedule=PRE), "b": function(code, schedule=PRE)},
        )
        turn = played(tmp_path)
        assert turn.statuses == {"pair/a": "success", "pair/b": "success"}
    finally:
        import sys

        sys.modules.pop("covel_test_met", None)


def test_a_later_layer_reads_what_an_earlier_one_gave_and_staged(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "chain",
        {
            "first": function(
                """
                await ctx.plugin_data.set("notes", "a", {"n": 1})
                return success({"list": [{"name": "Lin"}]})
                """,
                schedule=PRE,
            ),
            "second": function(
                """
                seen = await ctx.plugin_data.get("notes", "a")
                return success({"given": ctx.inputs["name"], "seen": seen})
                """,
                schedule={**PRE, "needs": ["chain/first"]},
                io={
                    "inputs": {
                        "name": {
                            "from": {"runtime": "chain/first"},
                            "select": "/list/0/name",
                            "required": True,
                        }
                    }
                },
            ),
        },
    )
    turn = played(tmp_path)
    [_, second] = turn.report.executions[0].results
    assert second.output == {
        "given": {"cardinality": "one", "value": "Lin", "source": "chain/first"},
        "seen": {"n": 1},
    }
    assert turn.rows.data == {("notes", "a"): {"n": 1}}


def test_siblings_do_not_see_each_other(tmp_path: Path) -> None:
    code = """
    before = await ctx.plugin_data.list("notes")
    await ctx.plugin_data.set("notes", ctx.runtime_id[-1], 1)
    await asyncio.sleep(0)
    return success({"count": len(before)})
    """
    cast(
        tmp_path,
        "twins",
        {"a": function(code, schedule=PRE), "b": function(code, schedule=PRE)},
    )
    turn = played(tmp_path)
    assert [one.output for one in turn.report.executions[0].results] == [{"count": 0}] * 2
    assert set(turn.rows.data) == {("notes", "a"), ("notes", "b")}


def test_a_contract_gives_one_value_or_all_of_them(tmp_path: Path) -> None:
    provider: dict[str, Any] = {"schedule": PRE, "io": {"output": {"contract": "weather@1"}}}
    reader = """
    return success({"one": ctx.inputs["one"]["value"],
                    "all": [item["value"] for item in ctx.inputs["every"]["items"]]})
    """
    inputs = {
        "one": {"from": {"contract": "weather@1"}},
        "every": {"from": {"contract": "weather@1", "cardinality": "all"}},
    }
    published: dict[str, Any] = {
        "provides": ["weather@1"],
        "contracts": {"weather@1": {"schema": "./any.json"}},
    }
    cast(tmp_path, "b-sky", {"run": function('return success("rain")', **provider)}, **published)
    cast(tmp_path, "a-sky", {"run": function('return success("sun")', **provider)}, **published)
    cast(
        tmp_path,
        "reader",
        {"read": function(reader, schedule=POST, io={"inputs": inputs})},
        requires=["weather@1"],
    )
    turn = played(tmp_path)
    assert turn.report.executions[0].results[-1].output == {"one": "sun", "all": ["sun", "rain"]}


def test_an_earlier_stages_story_stands_in_the_prompt_of_a_later_one(tmp_path: Path) -> None:
    async def body(table: Table) -> Any:
        await table.play("I wait.")
        return table.host.ports.gateway

    cast(tmp_path, "tale", {"told": story(), "track": agent(schedule=POST)})
    gateway = at_table(tmp_path, body, say("Rain fell."), done())
    first, second = gateway.requests
    assert "Rain fell." not in str(first.messages)
    assert any(message.text == "Rain fell." for message in second.messages)


# --- events -----------------------------------------------------------------------------------


def test_an_event_starts_its_followers_in_the_same_turn(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "bell",
        {
            "ring": function(
                'return success(effects=Effects(events=[Event("bell.rung", {"n": 2})]))',
                schedule=PRE,
            ),
            "hear": function(
                "return success({'heard': ctx.trigger_event.data})",
                schedule={"trigger": {"type": "event", "topic": "bell.rung"}},
            ),
        },
        contributes=RINGS,
    )
    turn = played(tmp_path)
    assert turn.statuses == {"bell/ring": "success", "bell/hear": "success"}
    assert turn.report.executions[0].results[-1].output == {"heard": {"n": 2}}


def test_a_second_payload_of_a_topic_is_traced_as_a_hazard(tmp_path: Path) -> None:
    ring = 'return success(effects=Effects(events=[Event("bell.rung", {})]))'
    cast(
        tmp_path,
        "bell",
        {"a": function(ring, schedule=PRE), "b": function(ring, schedule=PRE)},
        contributes=RINGS,
    )
    turn = played(tmp_path)
    [hazard] = [event for event in turn.rows.trace if event.type == "scheduling.hazard"]
    assert hazard.data == {
        "code": "event-payload-dropped",
        "topic": "bell.rung",
        "runtimeId": "bell/b",
    }


def test_a_background_follower_is_left_out_and_says_why(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "bell",
        {
            "ring": function(
                'return success(effects=Effects(events=[Event("bell.rung", {})]))', schedule=PRE
            ),
            "later": function(
                "return success()",
                schedule={"trigger": {"type": "event", "topic": "bell.rung"}, "background": True},
            ),
        },
        contributes=RINGS,
    )
    turn = played(tmp_path)
    assert turn.reasons == {"bell/later": "deferred"}


def test_events_of_a_run_by_hand_start_their_followers_in_its_turn(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "bell",
        {
            "ring": function(
                """
                await ctx.plugin_data.set("notes", "a", 1)
                return success(effects=Effects(events=[Event("bell.rung", {"n": 2})]))
                """,
                schedule={"trigger": {"type": "manual"}},
            ),
            "hear": function(
                """
                seen = await ctx.plugin_data.get("notes", "a")
                return success({"heard": ctx.trigger_event.data, "seen": seen})
                """,
                schedule={"trigger": {"type": "event", "topic": "bell.rung"}},
            ),
        },
        contributes=RINGS,
    )
    made = play(tmp_path, "bell/ring")
    assert made.report.committed
    assert [one.runtime_id for one in made.report.results] == ["bell/ring", "bell/hear"]
    assert made.report.results[1].output == {"heard": {"n": 2}, "seen": 1}
    assert made.rows.session.completed_player_turns == 0
    assert made.observer.types.count("runtime.started") == 2


# --- what fails -------------------------------------------------------------------------------


def test_a_failed_runtime_commits_nothing_and_its_dependants_are_skipped(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "chain",
        {
            "first": function(
                'await ctx.plugin_data.set("notes", "a", 1)\nraise ValueError("no")', schedule=PRE
            ),
            "second": function("return success()", schedule={**PRE, "needs": ["chain/first"]}),
            "other": function(
                'await ctx.plugin_data.set("notes", "b", 1)\nreturn success()', schedule=POST
            ),
        },
    )
    turn = played(tmp_path)
    assert turn.report.committed
    assert turn.statuses == {
        "chain/first": "failed",
        "chain/second": "skipped",
        "chain/other": "success",
    }
    assert turn.reasons == {"chain/second": "need-unmet"}
    assert turn.rows.data == {("notes", "b"): 1}
    assert "runtime.skipped" in turn.observer.types


@pytest.mark.parametrize("reply", [broken(retriable=False), say("  ")])
def test_a_story_that_fails_takes_the_turn_with_it(tmp_path: Path, reply: Any) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "told": story(agent={"loop": {"maxRetries": 0}}),
            "before": function(
                'await ctx.plugin_data.set("notes", "a", 1)\nreturn success()', schedule=PRE
            ),
        },
    )
    turn = played(tmp_path, reply, say("  "), say("  "))
    assert not turn.report.committed
    assert (turn.rows.data, turn.rows.messages, turn.rows.session.revision) == ({}, [], 0)
    assert turn.turn.commit_status == "failed"
    assert turn.rows.session.completed_player_turns == 0


def test_a_story_that_its_guard_skips_lets_the_turn_go_on(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "told": story(guard="return skip(reason='quiet')"),
            "after": function("return success()", schedule=POST),
        },
    )
    turn = played(tmp_path)
    assert turn.report.committed
    assert turn.reasons == {"tale/told": "quiet"}
    started = [e.payload["runtimeId"] for e in turn.observer.events if e.type == "runtime.started"]
    assert started == ["tale/after"]


def test_beside_a_story_only_the_refused_run_is_dropped_with_its_dependants(
    tmp_path: Path,
) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "told": story(),
            "bad": function(
                """
                await ctx.plugin_data.set("notes", "a", {"text": "x"})
                return success({"n": 1}, effects=Effects(asset_generations=[]))
                """,
                schedule=POST,
            ),
            "rests": function(
                'await ctx.plugin_data.set("notes", "b", 1)\nreturn success()',
                schedule={**POST, "needs": ["tale/bad"]},
            ),
            "free": function(
                'await ctx.plugin_data.set("notes", "c", 1)\nreturn success()', schedule=POST
            ),
        },
        contributes={"hooks": [{"event": "PreStateCommit"}]},
    )
    (tmp_path / "plugins" / "tale" / "server" / "index.py").write_text(
        "from plugin_sdk import abort, hookimpl\n"
        "@hookimpl\n"
        "def pre_state_commit(ctx, commit):\n"
        "    if getattr(commit.proposal, 'key', '') == 'a':\n"
        "        return abort('not this one')\n"
    )
    turn = played(tmp_path, say("Rain fell."))
    assert turn.report.committed
    assert turn.statuses["tale/bad"] == "failed"
    assert turn.statuses["tale/rests"] == "failed"
    assert turn.rows.data == {("notes", "c"): 1}
    types = turn.observer.types
    assert types.index("proposal.failed") < types.index("execution.completed")
    failed = [e.payload["runtimeId"] for e in turn.observer.events if e.type == "runtime.failed"]
    assert failed == ["tale/bad", "tale/rests"]
    results: Any = turn.turn.results
    kept = {one["runtimeId"]: one["status"] for one in results}
    assert (kept["tale/bad"], kept["tale/free"]) == ("failed", "success")


def test_an_abort_before_the_commit_leaves_nothing(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "slow",
        {
            "first": function(
                'await ctx.plugin_data.set("notes", "a", 1)\nreturn success()', schedule=PRE
            ),
            "a": function("await asyncio.Event().wait()", schedule=POST),
            "b": function("await asyncio.Event().wait()", schedule=POST),
            "last": function("return success()", schedule={"stage": "audit"}),
        },
    )

    async def body(table: Table) -> Any:
        from covel_host.turn.turns import TurnRequest
        from tests.support.hosts import Recorder, rows_of

        observer = Recorder()
        running = asyncio.ensure_future(
            table.host.play(
                TurnRequest(session_id=table.session_id, message="Go."), observer=observer
            )
        )
        while observer.types.count("runtime.started") < 3:
            await asyncio.sleep(0.001)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        turn_id = observer.events[0].turn_id
        return observer, rows_of(table.host.ports.store, table.session_id, turn_id, "slow")

    observer, rows = at_table(tmp_path, body)
    assert (rows.data, rows.messages, rows.session.revision) == ({}, [], 0)
    assert rows.turn.commit_status == "failed"
    assert observer.types.count("runtime.failed") == 2
    assert observer.events[-1].payload["abortReason"] == "aborted-by-player"


# --- triggers ---------------------------------------------------------------------------------


def test_the_trigger_ledger_holds_over_turns(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "times",
        {
            "once": function(
                "return success()", schedule={**PRE, "trigger": {"maxTriggerCount": 1}}
            ),
            "second": function(
                "return success()",
                schedule={**PRE, "trigger": {"type": "scheduled", "interval": 2}},
            ),
            "cool": function("return success()", schedule={**PRE, "trigger": {"cooldownTurns": 2}}),
        },
    )

    async def body(table: Table) -> Any:
        ran = [list((await table.play()).statuses) for _ in range(3)]
        clock = table.host.ports.store.read_now(
            lambda reading: read_clock(reading, table.session_id)
        )
        return ran, clock

    ran, clock = at_table(tmp_path, body)
    assert ran == [
        ["times/cool", "times/once"],
        ["times/second"],
        ["times/cool"],
    ]
    assert clock.completed_player_turns == 3
    assert (clock.triggers["times/cool"].runs, clock.triggers["times/cool"].last_turn) == (2, 3)


def test_a_default_provider_steps_aside_for_another_one(tmp_path: Path) -> None:
    for name, default in (("plain", True), ("fancy", False)):
        cast(
            tmp_path,
            name,
            {"run": function("return success()", schedule=PRE)},
            provides=[{"contract": "weather@1", "default": default}],
        )
    turn = played(tmp_path)
    assert list(turn.statuses) == ["fancy/run"]


# --- hooks ------------------------------------------------------------------------------------


def test_a_pre_schedule_hook_drops_and_never_adds(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "pair",
        {
            "a": function("return success()", schedule=PRE),
            "b": function("return success()", schedule=PRE),
        },
        contributes={"hooks": [{"event": "PreSchedule"}]},
    )
    (tmp_path / "plugins" / "pair" / "server" / "index.py").write_text(
        "from plugin_sdk import hookimpl, proceed\n"
        "@hookimpl\n"
        "def pre_schedule(ctx, schedule):\n"
        "    return proceed(replace={'triggered': ['pair/b', 'pair/x']})\n"
    )
    turn = played(tmp_path)
    assert turn.statuses == {"pair/a": "skipped", "pair/b": "success"}


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"message": None}, "turn-invalid"),
        ({"message": "   "}, "turn-invalid"),
        ({"message": "\u200b \ufeff"}, "turn-invalid"),
        ({"message": "Hello.", "seat_id": "seat-9"}, "seat-not-found"),
    ],
)
def test_what_cannot_be_a_turn_is_refused(
    tmp_path: Path, request_: dict[str, Any], code: str
) -> None:
    cast(tmp_path, "pair", {"a": function("return success()", schedule=PRE)})

    async def body(table: Table) -> None:
        with pytest.raises(RequestRefused) as refused:
            await table.play(**request_)
        assert refused.value.code == code

    at_table(tmp_path, body)
