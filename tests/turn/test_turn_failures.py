"""What a failure of a turn rolls back, row by row of spec/execution.md 13.2."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.store.errors import StoreError
from covel_host.turn.admission import ManualRequest
from covel_host.turn.package_pauses import unpause_package
from covel_host.turn.turns import TurnRequest
from tests.support.casts import Table, at_table, cast, function, played, story
from tests.support.hosts import Recorder, rows_of
from tests.support.replies import say

PRE = {"stage": "pre-turn"}
POST = {"stage": "post-turn"}
KEEPS = 'await ctx.plugin_data.set("notes", "a", 1)\nreturn success()'
VETO = """
from plugin_sdk import abort, hookimpl
@hookimpl
def pre_state_commit(ctx, commit):
    if commit.proposal.type == "plugin.data":
        return abort("not this one")
"""


def vetoing(home: Path, members: dict[str, Any]) -> None:
    cast(home, "tale", members, contributes={"hooks": [{"event": "PreStateCommit"}]})
    (home / "plugins" / "tale" / "server" / "index.py").write_text(VETO)


def test_a_skipped_runtime_commits_what_its_guard_staged_and_its_output_binds(
    tmp_path: Path,
) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "given": function(
                "raise ValueError('never')",
                guard="return skip(weather='sun')",
                schedule=PRE,
            ),
            "reads": function(
                "return success(ctx.inputs['sky']['value'])",
                schedule=POST,
                io={
                    "inputs": {
                        "sky": {
                            "from": {"runtime": "tale/given"},
                            "select": "/weather",
                            "required": True,
                        }
                    }
                },
            ),
        },
    )
    turn = played(tmp_path)
    assert turn.statuses == {"tale/given": "skipped", "tale/reads": "success"}
    assert turn.report.executions[0].results[1].value == "sun"


def test_without_a_story_a_refused_proposal_takes_everything(tmp_path: Path) -> None:
    vetoing(
        tmp_path,
        {"a": function(KEEPS, schedule=PRE), "b": function("return success()", schedule=POST)},
    )
    turn = played(tmp_path)
    assert not turn.report.committed
    assert turn.report.failure is not None
    assert turn.report.failure.code == "proposal-vetoed"
    assert (turn.rows.messages, turn.rows.session.completed_player_turns) == ([], 0)
    assert "proposal.failed" in turn.observer.types


def test_the_hard_upstream_of_a_story_falls_with_it(tmp_path: Path) -> None:
    vetoing(
        tmp_path,
        {
            "before": function(KEEPS, schedule={"stage": "narrative"}),
            "told": story(schedule={"stage": "narrative", "needs": ["tale/before"]}),
        },
    )
    turn = played(tmp_path, say("Rain fell."))
    assert not turn.report.committed
    assert turn.rows.messages == []


def test_a_failed_provider_of_dimensions_holds_the_story_back(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "world": function(
                "raise ValueError('no')",
                schedule=PRE,
                io={"output": {"contract": "world.dimensions@1"}},
            ),
            "told": story(),
        },
        provides=["world.dimensions@1"],
        contracts={"world.dimensions@1": {"schema": "./any.json"}},
    )
    turn = played(tmp_path)
    assert turn.reasons == {"tale/told": "dimension-snapshot-unavailable"}
    assert turn.report.failure is not None
    assert turn.report.failure.code == "dimension-snapshot-unavailable"
    assert turn.rows.session.revision == 0


def test_a_store_that_fails_in_the_commit_leaves_a_failed_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast(tmp_path, "tale", {"a": function(KEEPS, schedule=PRE)})

    def broken(*_: object) -> None:
        raise StoreError("The disk is full.", code="store-failed")

    monkeypatch.setattr("covel_host.turn.settling.commit_execution", broken)
    turn = played(tmp_path)
    assert (turn.report.committed, turn.rows.data) == (False, {})
    assert turn.turn.failure == {"code": "store-failed", "message": "The disk is full."}


def test_an_export_that_cannot_be_stored_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "plugins").mkdir()
    cast(
        tmp_path,
        "tale",
        {
            "told": story(),
            "after": function(
                "return success({'text': 'x' * 300_000})",
                schedule=POST,
                io={"output": {"recordAs": "log", "schema": "./out.json"}},
            ),
        },
    )
    (tmp_path / "plugins" / "tale" / "runtimes" / "after" / "out.json").write_text("{}")
    turn = played(tmp_path, say("Rain fell."))
    assert turn.report.committed
    [_, after] = turn.report.executions[0].results
    assert after.status == "success"
    assert "log" in after.warnings[0]


def test_a_veto_at_the_start_runs_nothing(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"a": function(KEEPS, schedule=PRE)},
        contributes={"hooks": [{"event": "TurnStart"}]},
    )
    (tmp_path / "plugins" / "tale" / "server" / "index.py").write_text(
        "from plugin_sdk import abort, hookimpl\n"
        "@hookimpl\n"
        "def turn_start(ctx, turn):\n"
        "    return abort('not now: ' + ','.join(turn.active_runtimes))\n"
    )
    turn = played(tmp_path)
    assert (turn.report.committed, turn.statuses, turn.rows.messages) == (False, {}, [])
    assert turn.observer.events[-1].payload["abortReason"] == "not now: tale/a"


async def _cut_off(table: Table, cut: Any) -> tuple[Recorder, Any]:
    """Play a turn whose runtimes wait for ever, and let `cut` end it."""
    observer = Recorder()
    running = asyncio.ensure_future(
        table.host.play(TurnRequest(session_id=table.session_id, message="Go."), observer=observer)
    )
    while observer.types.count("runtime.started") < 2:
        await asyncio.sleep(0.001)
    outcome = await cut(running)
    turn_id = observer.events[0].turn_id
    return observer, (outcome, rows_of(table.host.ports.store, table.session_id, turn_id, "tale"))


WAITS = {"a": "await asyncio.Event().wait()", "b": "await asyncio.Event().wait()"}


def test_a_host_that_closes_keeps_the_turn_as_cancelled(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {name: function(code, schedule=PRE) for name, code in WAITS.items()})

    async def body(table: Table) -> Any:
        async def cut(running: Any) -> Any:
            await table.host.ports.tasks.close(budget_s=5)
            return await running

        return await _cut_off(table, cut)

    observer, (report, rows) = at_table(tmp_path, body)
    assert report.failure.code == "cancelled"
    assert (rows.turn.commit_status, rows.session.revision) == ("failed", 0)
    assert observer.events[-1].payload["error"]["code"] == "cancelled"


def test_an_abort_of_the_opening_keeps_the_setup_that_was_committed(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "init": function("return success()", schedule={"stage": "setup"}),
            "waits": function("await asyncio.Event().wait()", schedule=PRE),
        },
    )

    async def body(table: Table) -> Any:
        observer = Recorder()
        running = asyncio.ensure_future(
            table.host.play(TurnRequest(session_id=table.session_id, start=True), observer=observer)
        )
        while observer.types.count("runtime.started") < 2:
            await asyncio.sleep(0.001)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return observer, table.session

    observer, session = at_table(tmp_path, body)
    assert (session.phase, session.revision) == ("playing", 1)
    assert observer.types.count("execution.completed") == 1
    assert observer.events[-1].payload["abortReason"] == "aborted-by-player"


def test_a_package_that_fails_five_turns_in_a_row_is_set_aside_until_it_is_unpaused(
    tmp_path: Path,
) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "a": function("raise ValueError('no')", schedule=PRE),
            "hand": function("return success()", schedule={"trigger": {"type": "manual"}}),
        },
    )
    cast(tmp_path, "other", {"b": function("return success()", schedule=PRE)})

    async def body(table: Table) -> Any:
        turns = [await table.play() for _ in range(6)]
        by_hand = await table.host.run(
            ManualRequest(target="tale/hand", session_id=table.session_id)
        )
        await unpause_package(table.host.ports, table.session_id, "tale")
        return [turn.statuses for turn in (*turns, await table.play())], turns[5], by_hand.committed

    ran, left_out, by_hand = at_table(tmp_path, body)
    failing = {"tale/a": "failed", "other/b": "success"}
    assert ran == [failing] * 5 + [{"other/b": "success", "tale/a": "skipped"}, failing]
    assert left_out.reasons == {"tale/a": "package-paused"}
    assert by_hand


@pytest.mark.parametrize("is_alone", [True, False], ids=["alone", "beside-another"])
def test_a_defect_of_the_host_ends_the_turn_for_all_who_watch(
    tmp_path: Path, is_alone: bool
) -> None:
    async def defect(*_: Any) -> Any:
        raise ZeroDivisionError("a defect of the host")

    async def body(table: Table) -> Any:
        observer = Recorder()
        request = TurnRequest(session_id=table.session_id, message="I wait.")
        with pytest.raises(ZeroDivisionError):
            await table.host.play(request, observer=observer)
        [turn_id] = {event.turn_id for event in observer.events}
        return observer, table.turn(turn_id), await table.play()

    members = {"a": function(KEEPS, schedule=PRE), "told": story()}
    if not is_alone:
        waits = "if ctx.player_message == 'I wait.':\n    await asyncio.sleep(60)\nreturn success()"
        members["waits"] = function(waits, schedule={"stage": "narrative"})
    cast(tmp_path, "tale", members)
    observer, broken, again = at_table(tmp_path, body, defect, say("Rain fell."))
    assert broken.failure["code"] == "internal"
    assert "defect" not in broken.failure["message"]
    ended = observer.events[-1]
    assert (ended.type, ended.payload["committed"]) == ("execution.completed", False)
    assert observer.types.count("runtime.failed") == (1 if is_alone else 2)
    codes = {one["runtimeId"]: one["error"]["code"] for one in broken.results}
    assert codes["tale/told"] == "internal"
    assert codes.get("tale/waits", "cancelled") == "cancelled"
    assert again.report.committed
    assert (again.rows.session.revision, again.rows.data) == (1, {("notes", "a"): 1})


def test_a_defect_of_the_host_in_the_commit_is_kept_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def defect(*_: object) -> None:
        raise ZeroDivisionError("a defect of the host")

    async def body(table: Table) -> Any:
        observer = Recorder()
        request = TurnRequest(session_id=table.session_id, message="I wait.")
        with monkeypatch.context() as patched:
            patched.setattr("covel_host.turn.settling.commit_execution", defect)
            with pytest.raises(ZeroDivisionError):
                await table.host.play(request, observer=observer)
        [turn_id] = {event.turn_id for event in observer.events}
        return observer.events[-1], table.turn(turn_id), await table.play()

    cast(tmp_path, "tale", {"a": function(KEEPS, schedule=PRE)})
    ended, broken, again = at_table(tmp_path, body)
    assert (ended.type, ended.payload["committed"]) == ("execution.completed", False)
    assert broken.failure["code"] == "internal"
    assert (again.report.committed, again.rows.session.revision) == (True, 1)


OWN_CANCEL = {
    "itself": """
asyncio.current_task().cancel()
await asyncio.sleep(0)
return success(1)
""",
    "the-run": """
for one in asyncio.all_tasks():
    if one is not asyncio.current_task() and "runtime" in one.get_name():
        one.cancel()
await asyncio.sleep(0)
return success(1)
""",
}


@pytest.mark.parametrize("name", OWN_CANCEL)
def test_code_that_cancels_its_own_run_ends_nothing_else(tmp_path: Path, name: str) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "told": story(),
            "bad": function(OWN_CANCEL[name], schedule=POST),
            "good": function("return success(1)", schedule={"stage": "audit"}),
        },
    )
    turn = played(tmp_path, say("Rain fell."))
    assert turn.report.committed
    assert turn.statuses["tale/good"] == "success"


def test_a_value_that_is_too_large_fails_its_run_alone(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "told": story(),
            "huge": function("return success('x' * (17 * 1024 * 1024))", schedule=POST),
        },
    )
    turn = played(tmp_path, say("Rain fell."))
    assert turn.report.committed
    (huge,) = [one for one in turn.report.executions[0].results if one.status == "failed"]
    assert huge.failure is not None
    assert "too large" in huge.failure.message
