"""Jobs through the host: deferred from turns, run apart, committed under the session's lock."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.store.errors import StoreError
from covel_host.store.jobs import JobRecord, list_jobs
from covel_host.store.plugin_data import DataKey, get_data
from covel_host.store.transaction import Transaction
from covel_host.store.turns import get_turn
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.job_queue import StoredJobQueue, cancel_job, retry_job
from covel_host.turn.session_changes import pause_session, resume_session
from tests.support.casts import Table, agent, at_table, cast, function, story
from tests.support.hosts import opened
from tests.support.replies import call, calls, done, say

POST = {"stage": "post-turn"}
APART = {**POST, "detached": True}
SETTLING = {**POST, "detached": {"settle": "before-next-execution", "maxSettleWaitMs": 20_000}}
OWN = {"writes": ["plugin-data:self:notes"]}
NOTE = 'await ctx.plugin_data.set("notes", "a", {"turn": ctx.logical_turn})\nreturn success(1)'
RINGS = {"events": [{"topic": "bell.rung", "schema": "./any.json", "description": "It rang."}]}
HEARS = {"trigger": {"type": "event", "topic": "bell.rung"}, "background": True}


def jobs_of(table: Table) -> list[JobRecord]:
    """The session's jobs, oldest first."""
    found = table.host.ports.store.read_now(lambda reading: list_jobs(reading, table.session_id))
    return found[::-1]


def states(table: Table) -> list[str]:
    return [job.state for job in jobs_of(table)]


def note_of(table: Table, plugin_id: str, key: str = "a") -> Any:
    place = DataKey(session_id=table.session_id, plugin_id=plugin_id, namespace="notes", key=key)
    found = table.host.ports.store.read_now(lambda reading: get_data(reading, place))
    return None if found is None else found.value


async def drained(table: Table) -> list[JobRecord]:
    await table.host.drain_jobs(table.session_id)
    return jobs_of(table)


# --- deferred from a turn ---------------------------------------------------------------------


def test_a_detached_runtime_is_queued_by_the_commit_and_runs_apart(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"told": story(), "track": function(NOTE, schedule=APART, effects=OWN)},
    )

    async def body(table: Table) -> None:
        turn = await table.play("I look up.")
        assert turn.statuses == {"tale/told": "success", "tale/track": "skipped"}
        assert turn.reasons == {"tale/track": "deferred"}
        (job,) = jobs_of(table)
        assert (job.state, job.activation, job.runtime_id) == ("queued", "stage", "tale/track")
        (told,) = [one for one in turn.observer.events if one.type == "runtime.deferred"]
        assert told.payload["jobId"] == job.job_id
        assert told.payload["sourceTurnId"] == turn.turn.turn_id
        assert note_of(table, "tale") is None
        before = table.session
        (ended,) = await drained(table)
        assert (ended.state, ended.failure) == ("succeeded", None)
        assert note_of(table, "tale") == {"turn": 1}
        assert ended.turn_id is not None
        run = table.turn(ended.turn_id)
        assert run is not None
        assert (run.origin, run.parent_turn_id) == ("background", turn.turn.turn_id)
        # A job moves no clock and writes no message.
        assert table.session.completed_player_turns == before.completed_player_turns == 1

    at_table(tmp_path, body, say("Rain fell."))


def test_a_host_that_serves_one_session_leaves_the_jobs_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast(
        tmp_path,
        "tale",
        {"told": story(), "track": function(NOTE, schedule=APART, effects=OWN)},
    )

    async def body(table: Table) -> None:
        await table.play("I look up.")
        other = await table.host.open_session([])
        looked = asyncio.Event()
        claim = StoredJobQueue.claim

        async def watched(queue: StoredJobQueue, *given: Any, **more: Any) -> Any:
            found = await claim(queue, *given, **more)
            looked.set()
            return found

        monkeypatch.setattr(StoredJobQueue, "claim", watched)
        serving = asyncio.ensure_future(table.host.serve_jobs(session_id=other))
        await looked.wait()
        assert states(table) == ["queued"]
        serving.cancel()
        await asyncio.wait({serving})

    at_table(tmp_path, body, say("Rain fell."))


def test_nothing_is_queued_by_a_turn_that_is_not_committed(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"told": story(), "track": function(NOTE, schedule=APART, effects=OWN)},
    )

    async def body(table: Table) -> None:
        store = table.host.ports.store
        whole = store.transaction

        async def cut(write: Any) -> Any:
            def broken(transaction: Transaction) -> None:
                write(transaction)
                raise StoreError("The disk is full.", code="disk-full")

            store.transaction = whole  # type: ignore[method-assign]
            return await whole(broken)

        store.transaction = cut  # type: ignore[method-assign,assignment]
        turn = await table.play()
        assert not turn.report.committed
        assert jobs_of(table) == []

    at_table(tmp_path, body, say("Rain fell."))


@pytest.mark.parametrize(
    ("manifest", "code"),
    [
        ({}, NOTE),
        ({"effects": {"writes": ["characters:*"]}}, "return success(1)"),
        (
            {
                "effects": OWN,
                "io": {"output": {"recordAs": "tally", "schema": "../../any.json"}},
            },
            "return success(1)",
        ),
    ],
)
def test_what_changes_more_than_its_own_runs_in_the_turn(
    tmp_path: Path, manifest: dict[str, Any], code: str
) -> None:
    cast(tmp_path, "tale", {"track": function(code, schedule=APART, **manifest)})

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.statuses == {"tale/track": "success"}
        assert jobs_of(table) == []

    at_table(tmp_path, body)


def test_a_run_that_stages_more_than_it_declared_commits_nothing(tmp_path: Path) -> None:
    code = 'await ctx.plugin_data.set("items", "a", 1)\nreturn success(1)'
    cast(tmp_path, "tale", {"track": function(code, schedule=APART, effects=OWN)})

    async def body(table: Table) -> None:
        await table.play()
        (job,) = await drained(table)
        assert job.state == "failed"
        assert job.failure is not None
        assert "plugin-data:self:items" in str(job.failure["message"])

    at_table(tmp_path, body)


def test_a_background_follower_is_queued_with_its_event(tmp_path: Path) -> None:
    rings = 'return success(1, effects=Effects(events=[Event("bell.rung", {"times": 3})]))'
    hears = 'await ctx.plugin_data.set("notes", "a", ctx.trigger_event.data)\nreturn success(1)'
    cast(
        tmp_path,
        "bell",
        {"ring": function(rings, schedule=POST), "hear": function(hears, schedule=HEARS)},
        contributes=RINGS,
    )

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.reasons == {"bell/hear": "deferred"}
        (job,) = await drained(table)
        assert (job.state, job.activation) == ("succeeded", "event")
        assert note_of(table, "bell") == {"times": 3}

    at_table(tmp_path, body)


def test_a_job_sees_what_was_frozen_and_what_was_dropped_is_failed_to_it(tmp_path: Path) -> None:
    reads = """
    await ctx.plugin_data.set("notes", "a", {name: item for name, item in ctx.inputs.items()})
    return success(1)
    """
    inputs = {
        "digest": {"from": {"kernel": "turn-digest@1"}},
        "count": {"from": {"runtime": "tale/count"}},
        "bad": {"from": {"runtime": "tale/bad"}},
    }
    cast(
        tmp_path,
        "tale",
        {
            "told": story(),
            "count": function('return success({"n": 1})', schedule=POST),
            "bad": function('return failed("No.")', schedule=POST),
            "track": function(
                reads,
                schedule={**APART, "after": ["tale/count", "tale/bad"]},
                io={"inputs": inputs},
                effects=OWN,
            ),
        },
    )

    async def body(table: Table) -> None:
        turn = await table.play("I look up.")
        await drained(table)
        seen = note_of(table, "tale")
        assert seen["count"]["value"] == {"n": 1}
        assert "bad" not in seen
        digest = seen["digest"]["value"]
        assert digest["turnId"] == turn.turn.turn_id
        assert digest["playerMessage"] == "I look up."
        assert digest["narrativeText"] == "Rain fell."
        assert digest["lastPlayerInput"] is None
        statuses = {one["runtimeId"]: one["status"] for one in digest["runtimeResults"]}
        assert statuses == {
            "tale/told": "success",
            "tale/count": "success",
            "tale/bad": "failed",
        }

    at_table(tmp_path, body, say("Rain fell."))


# --- how jobs end -----------------------------------------------------------------------------


def test_a_job_whose_runtime_fails_ends_as_failed(tmp_path: Path) -> None:
    code = 'await ctx.plugin_data.set("notes", "a", 1)\nreturn failed("No.")'
    cast(
        tmp_path,
        "tale",
        {
            "track": function(code, schedule=APART, effects=OWN),
            "called": function(code, schedule={"trigger": {"type": "manual"}, "background": True}),
        },
    )

    async def body(table: Table) -> None:
        await table.play()
        queued = await table.host.queue(
            ManualRequest(target="tale/called", session_id=table.session_id)
        )
        assert queued.state == "queued"
        stage, manual = await drained(table)
        assert (stage.state, manual.state) == ("failed", "failed")
        assert stage.failure == {"code": "execution-failed", "message": "No."}
        assert manual.failure == {"code": "runtime-reported-failure", "message": "No."}
        store = table.host.ports.store
        for job, status in ((stage, "failed"), (manual, "committed")):
            turn_id = str(job.turn_id)
            turn = store.read_now(
                lambda reading, turn_id=turn_id: get_turn(reading, table.session_id, turn_id)  # type: ignore[misc]
            )
            assert turn is not None
            assert turn.commit_status == status
        assert note_of(table, "tale") is None

    at_table(tmp_path, body)


def test_a_job_that_wants_to_wait_for_the_player_fails(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"track": function('return suspended("Well?")', schedule=APART, effects=OWN)},
    )

    async def body(table: Table) -> None:
        await table.play()
        (job,) = await drained(table)
        assert job.state == "failed"
        assert job.failure is not None
        assert "cannot wait" in str(job.failure["message"])

    at_table(tmp_path, body)


def test_a_job_over_its_time_is_timed_out(tmp_path: Path) -> None:
    schedule = {**POST, "detached": {"maxExecutionMs": 20}}
    cast(
        tmp_path,
        "tale",
        {"track": function("await asyncio.sleep(60)", schedule=schedule, effects=OWN)},
    )

    async def body(table: Table) -> None:
        await table.play()
        (job,) = await drained(table)
        assert job.state == "timed_out"

    at_table(tmp_path, body)


def test_a_session_that_was_paused_meanwhile_makes_its_jobs_stale(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"track": function(NOTE, schedule=APART, effects=OWN)})

    async def body(table: Table) -> None:
        await table.play()
        await pause_session(table.host.ports, table.session_id)
        (job,) = await drained(table)
        assert job.state == "stale"
        assert job.failure is not None
        assert job.failure["code"] == "pre-execution-rejected"
        await resume_session(table.host.ports, table.session_id)
        again = await retry_job(
            table.host.ports.store,
            table.host.ports.clock,
            table.session_id,
            job.job_id,
            new_id=table.host.ports.ids.new,
        )
        assert again.job_id != job.job_id
        assert again.facts["retryOf"] == job.job_id
        assert (await drained(table))[-1].state == "succeeded"
        assert note_of(table, "tale") == {"turn": 1}

    at_table(tmp_path, body)


def test_another_version_of_the_package_makes_a_job_stale(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {"track": function(NOTE, schedule=APART, effects=OWN)},
        version="1.0.0",
    )

    async def begin(table: Table) -> str:
        await table.play()
        return table.session_id

    session_id = at_table(tmp_path, begin)
    manifest = tmp_path / "plugins" / "tale" / "PLUGIN.md"
    manifest.write_text(manifest.read_text().replace("1.0.0", "1.1.0"))

    async def main() -> None:
        async with opened(tmp_path) as host:
            (job,) = await drained(Table(host, session_id, "tale"))
            assert job.state == "stale"

    asyncio.run(main())


def test_a_cancelled_job_never_runs(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"track": function(NOTE, schedule=APART, effects=OWN)})

    async def body(table: Table) -> None:
        await table.play()
        (job,) = jobs_of(table)
        ports = table.host.ports
        await cancel_job(ports.store, ports.clock, table.session_id, job.job_id)
        assert [one.state for one in await drained(table)] == ["cancelled"]
        assert note_of(table, "tale") is None
        with pytest.raises(RequestRefused, match="has ended already"):
            await cancel_job(ports.store, ports.clock, table.session_id, job.job_id)
        with pytest.raises(RequestRefused, match="no job"):
            await cancel_job(ports.store, ports.clock, table.session_id, "job-x")

    at_table(tmp_path, body)


def test_a_job_that_is_cancelled_while_it_runs_commits_nothing(tmp_path: Path) -> None:
    code = f"""
    import sys
    sys.modules["covel_test_gate"].started.set()
    await asyncio.to_thread(sys.modules["covel_test_gate"].go.wait, 60)
    {NOTE.splitlines()[0]}
    return success(1)
    """
    cast(tmp_path, "tale", {"track": function(code, schedule=APART, effects=OWN)})

    async def body(table: Table) -> None:
        await table.play()
        draining = asyncio.ensure_future(table.host.drain_jobs(table.session_id))
        await asyncio.to_thread(gate.started.wait, 60)
        (job,) = jobs_of(table)
        assert job.state == "running"
        ports = table.host.ports
        await cancel_job(ports.store, ports.clock, table.session_id, job.job_id)
        gate.go.set()
        await draining
        assert states(table) == ["cancelled"]
        assert note_of(table, "tale") is None

    import sys
    import threading
    import types

    gate: Any = types.ModuleType("covel_test_gate")
    gate.started, gate.go = threading.Event(), threading.Event()
    sys.modules["covel_test_gate"] = gate
    try:
        at_table(tmp_path, body)
    finally:
        del sys.modules["covel_test_gate"]


def test_jobs_of_one_runtime_run_in_the_order_of_their_turns(tmp_path: Path) -> None:
    code = """
    seen = await ctx.plugin_data.get("notes", "all") or []
    await ctx.plugin_data.set("notes", "all", [*seen, ctx.logical_turn])
    return success(1)
    """
    cast(
        tmp_path,
        "tale",
        {"told": story(), "track": function(code, schedule=APART, effects=OWN)},
    )

    async def body(table: Table) -> None:
        for number in range(4):
            await table.play(f"{number}")
        assert states(table) == ["queued"] * 4
        await drained(table)
        assert states(table) == ["succeeded"] * 4
        assert note_of(table, "tale", "all") == [1, 2, 3, 4]

    at_table(tmp_path, body, *[say("Rain.")] * 4)


# --- waiting for jobs -------------------------------------------------------------------------


def test_the_next_turn_waits_for_a_job_that_settles(tmp_path: Path) -> None:
    shows = 'return success({"seen": await ctx.plugin_data.get("notes", "a")})'
    cast(
        tmp_path,
        "tale",
        {
            "look": function(shows, schedule={"stage": "pre-turn"}),
            "track": function(NOTE, schedule=SETTLING, effects=OWN),
        },
    )

    async def body(table: Table) -> None:
        await table.play()
        assert states(table) == ["queued"]
        turn = await table.play()
        looked = next(
            one for one in turn.report.executions[0].results if one.runtime_id == "tale/look"
        )
        assert looked.output == {"seen": {"turn": 1}}
        assert states(table) == ["succeeded", "queued"]

    at_table(tmp_path, body)


def test_a_job_that_takes_longer_is_not_waited_for_and_goes_on(tmp_path: Path) -> None:
    schedule = {**POST, "detached": {"settle": "before-next-execution", "maxSettleWaitMs": 1}}
    code = "await asyncio.sleep(0.2)\n" + NOTE
    cast(tmp_path, "tale", {"track": function(code, schedule=schedule, effects=OWN)})

    async def body(table: Table) -> None:
        await table.play()
        (first,) = jobs_of(table)
        turn = await table.play()
        late = [one for one in turn.observer.trace if one.type == "execution.settle-timeout"]
        assert [one.data for one in late] == [{"jobIds": [first.job_id]}]
        await drained(table)
        assert states(table) == ["succeeded", "succeeded"]

    at_table(tmp_path, body)


# --- agents -----------------------------------------------------------------------------------


def test_an_agent_runs_as_a_job_with_the_story_of_its_turn(tmp_path: Path) -> None:
    cast(
        tmp_path,
        "tale",
        {
            "told": story(),
            "track": agent(
                schedule=APART,
                agent={
                    "tools": {"datasets": [{"dataset": "items", "tools": ["upsert"]}]},
                },
            ),
        },
        contributes={"datasets": {"items": {"schema": "./any.json", "tools": ["upsert"]}}},
    )

    async def body(table: Table) -> None:
        await table.play("I look up.")
        (job,) = await drained(table)
        assert job.state == "succeeded", job.failure
        gateway: Any = table.host.ports.gateway
        prompt = "\n".join(message.text for message in gateway.requests[1].messages)
        assert "Rain fell." in prompt

    upsert = call("items-upsert", {"key": "a", "record": {"n": 1}})
    at_table(tmp_path, body, say("Rain fell."), calls(upsert), done())


# --- progress and inputs ----------------------------------------------------------------------


def test_reports_are_told_once_and_closed_with_what_became_of_the_run(tmp_path: Path) -> None:
    reports = """
from plugin_sdk.outcomes import JobStatus
for number in (1, 2, 2):
    await ctx.progress.report(
        JobStatus(job_id="map", state="progress", sequence=number, progress=number / 4)
    )
ended = JobStatus(job_id="ink", state="succeeded", sequence=1, data=[1])
"""
    cast(
        tmp_path,
        "tale",
        {
            "good": function(
                reports + "\nreturn success(1, effects=Effects(job_status=[ended]))", schedule=POST
            ),
            "lost": function(
                reports + "\nawait ctx.progress.report(ended)\nreturn failed('No.')",
                schedule=POST,
            ),
            "wrong": function(
                "from plugin_sdk.outcomes import JobStatus\n"
                'await ctx.progress.report(JobStatus(job_id="x", state="odd", sequence=1))',
                schedule=POST,
            ),
        },
    )

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.statuses == {
            "tale/good": "success",
            "tale/lost": "failed",
            "tale/wrong": "failed",
        }
        told: dict[tuple[object, object], list[tuple[object, object]]] = {}
        for event in turn.observer.events:
            if event.type == "job-status.updated":
                work = (event.payload["runtimeId"], event.payload["jobId"])
                step = (event.payload["state"], event.payload["sequence"])
                told.setdefault(work, []).append(step)
        assert told == {
            ("tale/good", "map"): [("progress", 1), ("progress", 2), ("succeeded", 3)],
            ("tale/good", "ink"): [("succeeded", 1)],
            ("tale/lost", "map"): [("progress", 1), ("progress", 2), ("failed", 3)],
            ("tale/lost", "ink"): [("succeeded", 1), ("failed", 2)],
        }

    at_table(tmp_path, body)


def test_an_input_that_its_consumer_does_not_accept_is_none(tmp_path: Path) -> None:
    wanted = {"from": {"runtime": "tale/count"}, "accepts": "./number.json"}
    sees = "return success(sorted(ctx.inputs))"
    cast(
        tmp_path,
        "tale",
        {
            "count": function('return success("many")', schedule=POST),
            "free": function(sees, schedule=POST, io={"inputs": {"n": wanted}}),
            "strict": function(
                sees, schedule=POST, io={"inputs": {"n": {**wanted, "required": True}}}
            ),
        },
    )
    for name in ("free", "strict"):
        (tmp_path / "plugins" / "tale" / "runtimes" / name / "number.json").write_text(
            '{"type": "number"}'
        )

    async def body(table: Table) -> None:
        turn = await table.play()
        assert turn.statuses == {
            "tale/count": "success",
            "tale/free": "success",
            "tale/strict": "skipped",
        }
        free = next(
            one for one in turn.report.executions[0].results if one.runtime_id == "tale/free"
        )
        assert free.value == []

    at_table(tmp_path, body)
