"""The setup of a session, turn by turn: attempts, the way to play, the opening after it."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.store.session_clock import SessionClock, read_clock
from covel_host.store.setup_states import SetupDone, SetupState
from covel_host.turn.errors import RequestRefused
from covel_host.turn.session_setup import retry_setup, waive_setup
from tests.support.casts import Member, Table, at_table, cast, function, story
from tests.support.replies import say

SETUP = {"stage": "setup"}
DONE = 'return success(completion="done")'
PENDING = 'return success(completion="pending")'


def clock_of(table: Table) -> SessionClock:
    return table.host.ports.store.read_now(lambda reading: read_clock(reading, table.session_id))


def state_of(table: Table, runtime_id: str) -> SetupState:
    return clock_of(table).setup[runtime_id]


def setup(code: str, **trigger: Any) -> Member:
    return function(code, schedule={**SETUP, "trigger": trigger} if trigger else SETUP)


def test_a_start_that_ends_the_setup_plays_the_opening_in_the_same_request(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"init": setup(DONE), "told": story()})

    async def body(table: Table) -> Any:
        assert table.session.phase == "setup"
        return await table.play(start=True), table.session, clock_of(table)

    turn, session, clock = at_table(tmp_path, body, say("It begins."))
    first, second = turn.report.executions
    assert (first.committed, second.committed) == (True, True)
    assert [one.runtime_id for one in first.results] == ["tale/init"]
    assert [one.runtime_id for one in second.results] == ["tale/told"]
    assert (session.phase, session.completed_player_turns) == ("playing", 0)
    assert isinstance(clock.setup["tale/init"], SetupDone)
    assert clock.triggers["tale/told"].last_turn == 1
    assert turn.turn.origin == "continuation"
    assert (turn.turn.parent_turn_id, turn.turn.logical_turn) == (first.turn_id, 1)
    started = [event for event in turn.observer.events if event.type == "execution.started"]
    assert [event.turn_id for event in started] == [first.turn_id, second.turn_id]
    assert turn.observer.types.count("execution.completed") == 1
    assert turn.observer.types[-1] == "execution.completed"
    assert [message.content for message in turn.rows.messages] == ["It begins."]


def test_a_message_in_the_setup_is_kept_and_counts_as_no_turn(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"init": setup(PENDING), "told": story()})

    async def body(table: Table) -> Any:
        return await table.play("Hello."), table.session

    turn, session = at_table(tmp_path, body)
    assert len(turn.report.executions) == 1
    assert [message.content for message in turn.rows.messages] == ["Hello."]
    assert (session.phase, session.completed_player_turns) == ("setup", 0)
    assert turn.statuses == {"tale/init": "success"}


def test_a_failed_attempt_stays_pending_and_is_run_again_by_a_start(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"a": setup(DONE), "b": setup("raise ValueError('not yet')"), "told": story()},
    )

    async def body(table: Table) -> Any:
        first = await table.play(start=True)
        states = dict(clock_of(table).setup)
        second = await table.play(start=True)
        return first, states, second, dict(clock_of(table).setup)

    first, states, second, later = at_table(tmp_path, body)
    assert first.report.committed
    assert (states["tale/a"].state, states["tale/b"].state) == ("done", "pending")
    assert "not yet" in states["tale/b"].last_error
    assert second.statuses == {"tale/b": "failed"}
    assert (later["tale/a"].attempts, later["tale/b"].attempts) == (1, 2)


def test_a_used_up_budget_blocks_until_the_player_decides(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"init": setup(PENDING, maxTriggerCount=1), "told": story()},
    )

    async def body(table: Table) -> Any:
        ports, session_id = table.host.ports, table.session_id
        await table.play(start=True)
        blocked = state_of(table, "tale/init")
        with pytest.raises(RequestRefused) as refused:
            await table.play("Hello.")
        await retry_setup(ports, session_id, "tale/init", setup_runtimes=())
        await table.play(start=True)
        again = state_of(table, "tale/init")
        await waive_setup(ports, session_id, "tale/init", setup_runtimes=())
        return blocked, refused.value.code, again, await table.play("Hello."), table.session

    blocked, code, again, turn, session = at_table(tmp_path, body, say("It begins."))
    assert (blocked.state, code, again.state, again.generation) == (
        "blocked",
        "setup-blocked",
        "blocked",
        2,
    )
    assert turn.turn.origin == "continuation"
    assert session.phase == "playing"


def test_a_rolled_back_attempt_uses_up_budget_and_never_ends_the_setup(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "a": setup(DONE),
            "b": function('await ctx.plugin_data.set("notes", "b", 1)\n' + DONE, schedule=SETUP),
        },
        contributes={"hooks": [{"event": "PreStateCommit"}]},
    )
    (tmp_path / "plugins" / "tale" / "server" / "index.py").write_text(
        "from plugin_sdk import abort, hookimpl\n"
        "@hookimpl\n"
        "def pre_state_commit(ctx, commit):\n"
        "    return abort('not this one')\n"
    )

    async def body(table: Table) -> Any:
        turn = await table.play(start=True)
        return turn, table.session, dict(clock_of(table).setup)

    turn, session, states = at_table(tmp_path, body)
    assert not turn.report.committed
    assert (session.phase, session.revision) == ("setup", 0)
    assert {name: (one.state, one.attempts) for name, one in states.items()} == {
        "tale/a": ("pending", 1),
        "tale/b": ("pending", 1),
    }
    assert turn.rows.data == {}


def test_a_package_waits_for_its_own_setup_and_others_play_on(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "late",
        {
            "init": setup(PENDING),
            "work": function("return success()", schedule={"stage": "post-turn"}),
        },
    )
    cast(tmp_path, "other", {"work": function("return success()", schedule={"stage": "post-turn"})})

    async def body(table: Table) -> Any:
        session_id = await table.host.open_session(["other"])
        from dataclasses import replace

        from covel_host.store.sessions import update_session

        table.session_id = session_id
        wider = replace(table.session, active_packages=("late", "other"))
        await table.host.ports.store.transaction(lambda t: update_session(t, wider))
        return await table.play()

    turn = at_table(tmp_path, body)
    assert turn.statuses == {
        "late/init": "success",
        "late/work": "skipped",
        "other/work": "success",
    }
    assert turn.reasons == {"late/work": "setup-incomplete"}
    assert turn.rows.session.completed_player_turns == 1


def test_setup_runtimes_that_wait_for_each_other_are_blocked(tmp_path: Path) -> None:
    def waits(for_: str) -> Member:
        needs = [{"runtime": for_, "scope": "session"}]
        return function(DONE, schedule={**SETUP, "needs": needs})

    cast(tmp_path, "ring", {"a": waits("ring/b"), "b": waits("ring/a")})

    async def body(table: Table) -> Any:
        return await table.play(start=True), dict(clock_of(table).setup)

    turn, states = at_table(tmp_path, body)
    assert turn.reasons == {"ring/a": "setup-session-cycle", "ring/b": "setup-session-cycle"}
    assert {one.reason for one in states.values()} == {"setup-session-cycle"}


def test_a_session_without_setup_can_be_started_once(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story()})

    async def body(table: Table) -> Any:
        turn = await table.play(start=True)
        with pytest.raises(RequestRefused) as refused:
            await table.play(start=True)
        return turn, refused.value.code, table.session

    turn, code, session = at_table(tmp_path, body, say("It begins."))
    assert (turn.turn.origin, code) == ("continuation", "nothing-to-start")
    assert session.completed_player_turns == 0
