"""Recorded executions run again: unchanged ones never differ, changed ones say where."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from covel_host.models.messages import DeltaSink, ModelReply, ModelRequest
from covel_host.net.client import HttpRequest, Policy
from covel_host.net.errors import HttpFailed
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import list_data
from covel_host.store.recordings import end_recording, read_recording
from covel_host.store.sessions import delete_session, require_session
from covel_host.store.snapshots import drop_snapshot, get_snapshot, list_snapshots
from covel_host.store.suspensions import pending_suspensions
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.recordings import forget_recording, recordings_of
from covel_host.turn.replay_comparison import CONCEALED_VALUE
from covel_host.turn.replaying import ReplayReport
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.session_forks import fork_from
from covel_host.turn.turns import TurnRequest
from plugin_sdk.records import HttpResponse
from tests.support.casts import Table, agent, at_table, cast, function, story
from tests.support.hosts import Recorder, opened
from tests.support.packages import write_package
from tests.support.replies import broken, call, calls, say

PRE = {"stage": "pre-turn"}
POST = {"stage": "post-turn"}
MANUAL = {"trigger": {"type": "manual"}}


async def replayed(table: Table, turn_id: str) -> ReplayReport:
    """The replay of one execution, which changes nothing of the session."""
    before = rows(table)
    [report] = await table.host.replay(table.session_id, turn_id)
    assert rows(table) == before
    return report


def rows(table: Table) -> Any:
    session_id, plugin_id = table.session_id, table.plugin_id
    return table.host.ports.store.read_now(
        lambda reading: (
            require_session(reading, session_id),
            list_messages(reading, session_id),
            list_data(reading, session_id, plugin_id, "notes"),
            list_snapshots(reading, session_id),
        )
    )


def content_of(table: Table, turn_id: str) -> Any:
    return table.host.ports.store.read_now(
        lambda reading: read_recording(reading, table.session_id, turn_id)
    )


def kinds(report: ReplayReport) -> list[tuple[str, str, str]]:
    return [(one.about, one.change, one.path) for one in report.differences]


# --- what runs take from outside ---------------------------------------------------------------


def test_chance_time_ids_and_models_are_as_they_were(tmp_path: Path) -> None:
    code = """
        reply = await ctx.gateway.generate_text("hello")
        near = await ctx.gateway.embed(["a", "b"])
        return success({
            "n": ctx.random.random(), "at": ctx.clock.now().isoformat(),
            "tick": ctx.clock.monotonic(), "text": reply.text, "turn": ctx.turn_id,
            "session": ctx.session_id, "vectors": [list(one) for one in near.vectors],
        })
    """
    cast(tmp_path, "tale", {"dice": function(code, schedule=PRE), "told": story()})

    async def body(table: Table) -> None:
        turns = [await table.play("Hi.", record=True), await table.play("And?", record=True)]
        await table.play("Later.")
        for revision, turn in enumerate(turns):
            report = await replayed(table, turn.turn.turn_id)
            assert report.is_same, report.differences
            assert (report.revision, report.packages) == (revision, ())

    at_table(tmp_path, body, *(say(text) for text in ("a", "b", "c", "d", "e", "f")))


def test_replies_of_runs_side_by_side_are_told_apart_by_run(tmp_path: Path) -> None:
    cast(tmp_path, "pair", {name: agent(schedule=PRE) for name in ("one", "two")})
    second = asyncio.Event()

    async def first_waits(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
        await second.wait()
        return say("the first")

    async def second_answers(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
        second.set()
        return say("the second")

    async def body(table: Table) -> None:
        turn = await table.play(record=True)
        texts = [one.text for one in turn.report.executions[0].results]
        assert sorted(texts) == ["the first", "the second"]
        assert (await replayed(table, turn.turn.turn_id)).is_same

    at_table(tmp_path, body, first_waits, second_answers)


def test_delegates_side_by_side_get_their_own_replies(tmp_path: Path) -> None:
    code = """
        import asyncio
        async def ask(word):
            return await ctx.recursive_call("calls/inner", payload={"word": word})
        return success(list(await asyncio.gather(*(ask(word) for word in "abc"))))
    """
    inner = """
        reply = await ctx.gateway.generate_text(ctx.manual_payload["word"])
        await ctx.plugin_data.set("notes", ctx.manual_payload["word"], reply.text)
        return success({"said": reply.text, "n": ctx.random.random()})
    """
    cast(
        tmp_path,
        "calls",
        {"outer": function(code, schedule=PRE), "inner": function(inner, schedule=MANUAL)},
    )

    async def body(table: Table) -> None:
        turn = await table.play(record=True)
        assert turn.report.committed, turn.report.failure
        report = await replayed(table, turn.turn.turn_id)
        assert report.is_same, report.differences

    at_table(tmp_path, body, say("x"), say("y"), say("z"))


def test_failed_calls_and_retries_fail_again(tmp_path: Path) -> None:
    loop = {"loop": {"maxRetries": 1}}
    cast(tmp_path, "tale", {"told": story(agent=loop), "weak": agent(schedule=POST)})

    async def body(table: Table) -> None:
        turn = await table.play(record=True)
        assert turn.statuses == {"tale/told": "success", "tale/weak": "failed"}
        recorder = Recorder()
        [report] = await table.host.replay(table.session_id, turn.turn.turn_id, observer=recorder)
        assert report.is_same, report.differences
        assert recorder.texts == turn.observer.texts
        assert recorder.types == turn.observer.types

    at_table(tmp_path, body, broken(), say("Once upon a time."), broken(retriable=False))


class Answering:
    """An HTTP client that answers each path once."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fetch(self, request: HttpRequest, policy: Policy) -> HttpResponse:
        self.asked.append(request.address.target)
        if request.address.target == "/gone":
            raise HttpFailed("It is gone.", code="unavailable")
        body = json.dumps({"token": "tok-12345678", "path": request.address.target}).encode()
        return HttpResponse(status=200, headers={"set-cookie": "a=b"}, body=body)

    async def close(self) -> None:
        return None


FETCHES = """
    import json
    from plugin_sdk import ToolError
    base = "https://example.org"
    sent = {"authorization": "Bearer abcdefghijk"}
    first = await ctx.http.fetch_with_retry(base + "/a", headers=sent)
    again = await ctx.http.fetch_with_retry(base + "/b")
    try:
        await ctx.http.fetch_with_retry(base + "/gone")
    except ToolError as error:
        code = error.code
    paths = [json.loads(one.body)["path"] for one in (first, again)]
    return success({"paths": paths, "code": code})
"""


def test_http_is_answered_from_the_recording_and_never_sent(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "web",
        {
            "get": function(
                FETCHES,
                schedule=PRE,
                permissions={"http": [{"origin": "https://example.org"}]},
            )
        },
    )

    async def body(table: Table) -> None:
        http = Answering()
        table.host.ports = replace(table.host.ports, http=http)
        turn = await table.play(record=True)
        assert turn.report.executions[0].results[0].output["code"] == "unavailable", turn.statuses
        assert http.asked == ["/a", "/b", "/gone"]
        report = await replayed(table, turn.turn.turn_id)
        assert report.is_same, report.differences
        assert http.asked == ["/a", "/b", "/gone"]
        kept = json.dumps(content_of(table, turn.turn.turn_id))
        assert "abcdefghijk" not in kept
        assert "tok-12345678" not in kept
        assert "a=b" not in kept

    at_table(tmp_path, body)


def test_what_a_player_added_to_the_story_is_added_again(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story()})
    seat: list[Table] = []

    async def interrupted(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
        seat[0].host.interject(seat[0].session_id, "Wait!")
        return say("It begins")

    async def body(table: Table) -> None:
        seat.append(table)
        turn = await table.play(record=True)
        assert "Wait!" in [one.content for one in turn.rows.messages]
        report = await replayed(table, turn.turn.turn_id)
        assert report.is_same, report.differences

    at_table(tmp_path, body, interrupted, say("and goes on."))


# --- how executions end ----------------------------------------------------------------------


def test_setup_and_opening_are_replayed_each_from_its_own_start(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "init": function(
                "return success({'n': ctx.random.random()})", schedule={"stage": "setup"}
            ),
            "told": story(),
        },
    )

    async def body(table: Table) -> None:
        turn = await table.play(start=True, record=True)
        first, opening = turn.report.executions
        reports = await table.host.replay(table.session_id, first.turn_id)
        assert [(one.turn_id, one.revision, one.is_same) for one in reports] == [
            (first.turn_id, 0, True),
            (opening.turn_id, 1, True),
        ]
        assert (await replayed(table, opening.turn_id)).is_same

    at_table(tmp_path, body, say("Once."))


def test_a_turn_that_failed_fails_alike_whatever_it_left_behind(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"init": function("raise ValueError('no')", schedule={"stage": "setup"}), "told": story()},
    )

    async def body(table: Table) -> None:
        turns = [await table.play(start=True, record=True) for _ in range(3)]
        for turn in turns:
            report = await replayed(table, turn.turn.turn_id)
            assert report.is_same, report.differences

    at_table(tmp_path, body)


def test_an_aborted_turn_is_aborted_at_the_same_question(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"early": agent(schedule=PRE), "told": story()})
    asked = asyncio.Event()

    async def for_ever(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
        asked.set()
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    async def body(table: Table) -> None:
        turn = asyncio.create_task(table.play(record=True))
        await asked.wait()
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        store, session_id = table.host.ports.store, table.session_id
        [record] = await store.read(lambda reading: recordings_of(reading, session_id))
        assert record.state == "complete"
        report = await replayed(table, record.turn_id)
        assert (report.is_same, report.was_aborted) == (True, True), report.differences

    at_table(tmp_path, body, say("hm"), for_ever)


def test_time_that_was_over_is_over_again_without_waiting(tmp_path: Path) -> None:
    limits = {"loop": {"timeoutMs": 20}}
    cast(tmp_path, "slow", {"": agent(schedule=PRE, agent=limits)})

    async def never(request: ModelRequest, on_delta: DeltaSink) -> ModelReply:
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    async def body(table: Table) -> tuple[str, str]:
        turn = await table.play(record=True)
        assert turn.statuses == {"slow": "failed"}
        report = await replayed(table, turn.turn.turn_id)
        assert report.is_same, report.differences
        return table.session_id, turn.turn.turn_id

    place = at_table(tmp_path, body, never)
    manifest = tmp_path / "plugins" / "slow" / "PLUGIN.md"
    manifest.write_text(manifest.read_text().replace("timeoutMs: 20", "timeoutMs: 3000000"))
    report = replay_in_new_host(tmp_path, *place)
    assert [one.path for one in report.differences] == ["/failure/message"]


def test_a_resumed_run_is_replayed(tmp_path: Path) -> None:
    code = """
        if ctx.resume_data is None:
            return suspended("Which?", {"type": "object"})
        reply = await ctx.gateway.generate_text("hello")
        return success({"got": ctx.resume_data, "said": reply.text})
    """
    cast(tmp_path, "gate", {"ask": function(code, schedule=PRE)})

    async def body(table: Table) -> None:
        turn = await table.play(record=True)
        assert (await replayed(table, turn.turn.turn_id)).is_same
        store, session_id = table.host.ports.store, table.session_id
        [waiting] = store.read_now(lambda reading: pending_suspensions(reading, session_id))
        report = await table.host.resume(
            ResumeRequest(
                session_id=session_id,
                suspension_id=waiting.suspension_id,
                data={"door": "left"},
                record=True,
            )
        )
        assert report.committed
        again = await replayed(table, report.turn_id)
        assert again.is_same, again.differences

    at_table(tmp_path, body, say("open"))


def test_a_run_by_hand_that_made_its_session_is_replayed(tmp_path: Path) -> None:
    cast(tmp_path, "tools", {"ask": agent(schedule=MANUAL)})

    async def main() -> None:
        async with opened(tmp_path, say("yes")) as host:
            request = ManualRequest(target="tools", payload={"n": 1}, message="Hm?", record=True)
            report = await host.run(request)
            [again] = await host.replay(report.session_id, report.turn_id)
            assert again.is_same, again.differences

    asyncio.run(main())


# --- what differs ----------------------------------------------------------------------------

ROLL = """
@tool(name="roll", stages_writes=True)
async def roll(ctx: ToolContext, sides: int = 6) -> object:
    '''Roll.'''
    value = {expression}
    note = PluginData(namespace="notes", key="roll", value=value)
    return with_pending_proposals({{"rolled": value}}, [note])
"""


def dice(home: Path, expression: str) -> str:
    return write_package(
        home / "plugins" / "dice",
        code=ROLL.format(expression=expression),
        tools=["roll"],
        datasets={"notes": {"schema": "./any.json"}},
        files={"any.json": "{}"},
    )


def replay_in_new_host(home: Path, session_id: str, turn_id: str) -> ReplayReport:
    async def main() -> ReplayReport:
        async with opened(home) as host:
            [report] = await host.replay(session_id, turn_id)
            return report

    return asyncio.run(main())


def record_by_hand(home: Path, target: str, *replies: Any) -> tuple[str, str]:
    async def main() -> tuple[str, str]:
        async with opened(home, *replies) as host:
            report = await host.run(ManualRequest(target=target, record=True))
            assert report.committed, report.failure
            return report.session_id, report.turn_id

    return asyncio.run(main())


def test_a_changed_tool_is_found(tmp_path: Path) -> None:
    dice(tmp_path, "ctx.random.randint(1, sides)")
    turn = record_by_hand(tmp_path, "dice", calls(call("roll", {"sides": 20})), say("You rolled."))
    assert replay_in_new_host(tmp_path, *turn).is_same
    dice(tmp_path, "100 + sides")
    report = replay_in_new_host(tmp_path, *turn)
    assert [(one.plugin_id, one.change) for one in report.packages] == [("dice", "changed")]
    found = {(one.about, one.path): one for one in report.differences}
    assert found[("tool-call", "/result/rolled")].now == 120
    assert found[("proposal", "/payload/value")].now == 120
    # The model is told the other number, and goes on with the recorded reply.
    [asked] = [one for one in report.differences if one.about == "model-call"]
    assert (asked.position, asked.change) == (1, "changed")
    assert "120" in str(asked.now)
    assert report.differences[0] is asked


def test_questions_beyond_the_recording_have_no_answer(tmp_path: Path) -> None:
    code = 'r = await ctx.gateway.generate_text("{}")\n'
    home = tmp_path
    cast(
        home, "asks", {"": function(code.format("one") + "return success(r.text)", schedule=MANUAL)}
    )
    turn = record_by_hand(home, "asks", say("1"))
    folder = home / "plugins" / "asks"
    handler = folder / "handler.py"
    text = handler.read_text()
    handler.write_text(text.replace("return", code.format("two").strip() + "\n    return"))
    report = replay_in_new_host(home, *turn)
    assert kinds(report)[0] == ("model-call", "added", "")
    assert ("commit", "changed", "/committed") in kinds(report)
    assert any("not asked this often" in str(one.now) for one in report.differences)
    handler.write_text(text.replace(code.format("one").strip(), "pass").replace("r.text", "0"))
    assert kinds(replay_in_new_host(home, *turn))[0] == ("model-call", "missing", "")


def test_a_package_that_is_gone_is_named(tmp_path: Path) -> None:
    cast(tmp_path, "one", {"": function("return success(1)", schedule=PRE)})
    cast(tmp_path, "two", {"": function("return success(1)", schedule=PRE)})

    async def body(table: Table) -> tuple[str, str]:
        turn = await table.play(record=True)
        return table.session_id, turn.turn.turn_id

    place = at_table(tmp_path, body)
    for file in sorted((tmp_path / "plugins" / "two").rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    (tmp_path / "plugins" / "two").rmdir()
    report = replay_in_new_host(tmp_path, *place)
    assert [(one.plugin_id, one.change) for one in report.packages] == [("two", "missing")]
    assert kinds(report) == [("run", "missing", "")]


def test_values_of_concealed_runs_are_not_shown(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "shy",
        {"": function("return success({'flower': 'rose'})", schedule=PRE, io={"concealed": True})},
    )

    async def body(table: Table) -> tuple[str, str]:
        turn = await table.play(record=True)
        return table.session_id, turn.turn.turn_id

    place = at_table(tmp_path, body)
    handler = tmp_path / "plugins" / "shy" / "handler.py"
    handler.write_text(handler.read_text().replace("rose", "thorn"))
    report = replay_in_new_host(tmp_path, *place)
    assert [one.now for one in report.differences] == [CONCEALED_VALUE]
    assert "rose" not in str(report)


# --- recordings ------------------------------------------------------------------------------


def alone(home: Path, body: Callable[[Table], Awaitable[Any]]) -> Any:
    cast(home, "tale", {"": function("return success(1)", schedule=PRE)})
    return at_table(home, body)


async def refusal(table: Table, turn_id: str) -> str:
    with pytest.raises(RequestRefused) as refused:
        await table.host.replay(table.session_id, turn_id)
    assert refused.value.hint or refused.value.code == "recording-too-large"
    return refused.value.code


def test_what_cannot_be_replayed_says_why(tmp_path: Path) -> None:
    async def body(table: Table) -> None:
        assert await refusal(table, "turn-x") == "turn-not-found"
        store, session_id = table.host.ports.store, table.session_id
        plain = await table.play()
        assert await refusal(table, plain.turn.turn_id) == "turn-not-recorded"
        await table.host.run(ManualRequest(target="tale", session_id=session_id))
        request = ManualRequest(target="tale", session_id=session_id, record=True)
        turn_id = (await table.host.run(request)).turn_id
        [record] = await store.read(lambda reading: recordings_of(reading, session_id))

        def drop(transaction: Any) -> None:
            kept = get_snapshot(transaction, record.snapshot_id or "")
            assert kept is not None
            assert kept.kind == "recording"
            drop_snapshot(transaction, kept)

        for _ in range(2):
            await table.host.run(ManualRequest(target="tale", session_id=session_id))
        await store.transaction(drop)
        assert await refusal(table, turn_id) == "recording-not-kept"
        state = await store.transaction(
            lambda transaction: end_recording(
                transaction, session_id, turn_id, {"a": "b"}, max_bytes=3
            )
        )
        assert state == "too-large"
        assert await refusal(table, turn_id) == "recording-too-large"

    alone(tmp_path, body)


def test_a_recording_that_was_never_finished_says_so(tmp_path: Path) -> None:
    async def body(table: Table) -> None:
        turn = await table.play(record=True)
        turn_id = turn.turn.turn_id
        await forget_recording(table.host.ports, table.session_id, turn_id)
        from covel_host.store.recordings import begin_recording

        await table.host.ports.store.transaction(
            lambda transaction: begin_recording(
                transaction,
                table.session_id,
                turn_id,
                snapshot_id="snapshot-x",
                revision=1,
                at=table.host.ports.clock.now(),
            )
        )
        assert await refusal(table, turn_id) == "recording-unfinished"

    alone(tmp_path, body)


def test_a_recording_keeps_its_revision_until_it_is_let_go(tmp_path: Path) -> None:
    async def body(table: Table) -> None:
        store, session_id = table.host.ports.store, table.session_id
        turn = await table.play(record=True)
        for _ in range(3):
            await table.host.run(ManualRequest(target="tale", session_id=session_id))
        assert (await replayed(table, turn.turn.turn_id)).is_same

        def pins() -> list[int]:
            found = store.read_now(lambda reading: list_snapshots(reading, session_id))
            return [one.revision for one in found if one.kind == "recording"]

        assert pins() == [0]
        await forget_recording(table.host.ports, session_id, turn.turn.turn_id)
        assert pins() == []
        assert await refusal(table, turn.turn.turn_id) == "turn-not-recorded"

    alone(tmp_path, body)


def test_a_fork_has_no_recordings_and_a_deleted_session_leaves_none(tmp_path: Path) -> None:
    async def body(table: Table) -> None:
        store, session_id = table.host.ports.store, table.session_id
        await table.play(record=True)
        forked = await fork_from(table.host.ports, session_id)
        found = await store.read(lambda reading: recordings_of(reading, forked.session_id))
        assert found == []
        await store.transaction(lambda transaction: delete_session(transaction, session_id))
        count = store.read_now(
            lambda reading: reading._driver.execute("SELECT count(*) FROM recordings").fetchone()
        )
        assert count == (0,)

    alone(tmp_path, body)


def test_nothing_is_recorded_unless_it_is_wanted(tmp_path: Path) -> None:
    async def body(table: Table) -> None:
        await table.host.play(TurnRequest(session_id=table.session_id, message="Hi."))
        store, session_id = table.host.ports.store, table.session_id
        assert await store.read(lambda reading: recordings_of(reading, session_id)) == []

    alone(tmp_path, body)
