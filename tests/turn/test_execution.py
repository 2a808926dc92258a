"""One manual execution through the host: what is run, told, committed and read back."""

import asyncio
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from covel_host.catalog.folders import templates_folder
from covel_host.host import Host
from covel_host.models.messages import ModelReply, SystemMessage, ToolMessage, UserMessage
from covel_host.models.selector import UseOffline, UseScript
from covel_host.store.plugin_data import DataKey, put_data
from covel_host.store.sessions import list_sessions, update_session
from covel_host.turn.admission import ManualRequest
from covel_host.turn.errors import RequestRefused
from covel_host.turn.sessions import session_for
from tests.support.hosts import Played, Recorder, opened, play, played_on, rows_of, settings_of
from tests.support.packages import write_package
from tests.support.replies import call, calls, done, say

NOTES = """
@tool(name="keep", stages_writes=True)
async def keep(key: str, value: object = None) -> object:
    '''Keep a note.'''
    note = PluginData(namespace="notes", key=key, value=value)
    return with_pending_proposals({"kept": key}, [note])

@tool(name="recall", read_only=True)
async def recall(ctx: ToolContext, key: str) -> object:
    '''Read a note.'''
    return {"found": await ctx.store.get_plugin_data("notes", key)}

@tool(name="roll", read_only=True)
async def roll(ctx: ToolContext) -> object:
    '''Roll.'''
    return ctx.random.randint(1, 10**9)
"""


def notes_package(home: Path, name: str = "notes", **more: Any) -> str:
    return write_package(
        home / "plugins" / name, code=NOTES, tools=["keep", "recall", "roll"], **more
    )


def story_package(home: Path) -> str:
    return write_package(home / "plugins" / "tale", io={"visibility": "story"})


# --- the seed's package ----------------------------------------------------------------------


def test_the_seeds_minimal_package_runs_from_folder_to_committed_turn(tmp_path: Path) -> None:
    shutil.copytree(templates_folder() / "echo-demo", tmp_path / "plugins" / "echo-demo")
    settings = settings_of(tmp_path)
    request = ManualRequest(target="echo-demo", payload={"value": "hello"})

    async def main() -> tuple[Any, Any]:
        host = await Host.open(settings, load=["echo-demo"], selector=UseOffline())
        report = await host.run(request)
        await host.close()
        later = await Host.open(settings, load=[])
        rows = rows_of(later.ports.store, report.session_id, report.turn_id, "echo-demo")
        await later.close()
        return report, rows

    report, rows = asyncio.run(main())
    echo, ended = report.result.tool_calls
    assert echo.envelope == '{"data":{"ok":true,"value":"hello"}}'
    assert ended.request.name == "runtime-done"
    assert (report.committed, report.revision, rows.session.revision) == (True, 1, 1)
    assert rows.turn is not None
    assert rows.turn.commit_status == "committed"
    assert [(row.tool_name, row.status, row.approval) for row in rows.tool_calls] == [
        ("echo-value", "completed", "auto-allowed"),
        ("runtime-done", "completed", "auto-allowed"),
    ]
    assert rows.tool_calls[0].arguments == {"value": "hello"}
    assert rows.tool_calls[0].result == {"ok": True, "value": "hello"}
    assert rows.trace[0].type == "turn.started"
    assert rows.trace[-1].type == "turn.completed"


def test_a_script_file_answers_through_the_public_selector(tmp_path: Path) -> None:
    notes_package(tmp_path)
    script = tmp_path / "replies.yaml"
    script.write_text(
        '- calls: [{name: keep, arguments: \'{"key":"a","value":1}]\'}]\n- text: Done.\n'
    )

    async def main() -> Any:
        host = await Host.open(settings_of(tmp_path), load=["notes"], selector=UseScript(script))
        report = await host.run(ManualRequest(target="notes"))
        await host.close()
        return report

    report = asyncio.run(main())
    assert report.committed
    assert report.result.tool_calls[0].history_arguments == '{"key":"a","value":1}'


# --- what is committed -----------------------------------------------------------------------


def test_a_tools_proposal_is_committed_and_read_by_the_next_run(tmp_path: Path) -> None:
    notes_package(tmp_path)
    first = play(tmp_path, "notes", calls(call("keep", {"key": "a", "value": [1]})), done())
    assert first.rows.data == {("notes", "a"): [1]}
    assert json.loads(first.envelopes[0])["staged"]["kinds"] == ["plugin.data"]
    second = play(
        tmp_path,
        "notes",
        calls(call("recall", {"key": "a"})),
        done(),
        session_id=first.report.session_id,
    )
    assert second.report.result.tool_calls[0].content == {"found": [1]}
    assert second.report.revision == 2


def test_a_story_becomes_a_message_and_the_next_run_reads_it(tmp_path: Path) -> None:
    story_package(tmp_path)
    first = play(tmp_path, "tale", say("Once upon a time."), message="Begin.")
    assert [(m.source, m.role, m.content) for m in first.rows.messages] == [
        ("player", "user", "Begin."),
        ("runtime", "assistant", "Once upon a time."),
    ]
    assert first.observer.texts == ["Once", " upon", " a", " time."]
    second = play(
        tmp_path, "tale", say("The end."), message="Go on.", session_id=first.report.session_id
    )
    texts = [m.text for m in second.requests[0].messages if not isinstance(m, SystemMessage)]
    assert texts == ["Begin.", "Once upon a time.", "Go on."]


def test_the_text_of_another_runtime_is_no_message(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "aide", io={"visibility": "system"})
    played = play(tmp_path, "aide", say("Nothing to do."))
    assert played.report.committed
    assert played.rows.messages == []
    assert played.kept_result["output"] == {"value": "Nothing to do."}


def test_a_failed_run_keeps_its_audit_and_none_of_its_writes(tmp_path: Path) -> None:
    notes_package(tmp_path, agent={"loop": {"maxSteps": 1}})
    played = play(tmp_path, "notes", calls(call("keep", {"key": "a"})), message="Keep it.")
    assert played.report.failure is not None
    assert played.report.failure.code == "max_steps"
    assert (played.rows.data, played.rows.messages, played.rows.session.revision) == ({}, [], 0)
    assert [row.tool_name for row in played.rows.tool_calls] == ["keep"]
    assert played.rows.turn is not None
    assert played.rows.turn.commit_status == "failed"
    assert played.rows.turn.failure == {
        "code": "max_steps",
        "message": played.report.failure.message,
    }


def test_a_refused_commit_rolls_everything_back_and_says_which_proposal(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "counter",
        tools=["count"],
        code="""
        from plugin_sdk.proposals import PluginDataUpdate

        @tool(name="count")
        async def count() -> object:
            '''Count.'''
            return with_pending_proposals({}, [
                PluginData(namespace="items", key="new", value=1),
                PluginDataUpdate(namespace="notes", key="n",
                                 ops=[{"op": "increment", "path": "/n", "by": 1}]),
            ])
        """,
    )

    async def main() -> Played:
        async with opened(tmp_path, calls(call("count"))) as host:
            seeded = PluginDataSetter(host)
            session_id = await seeded.session({"n": 1})

            async def changed_meanwhile(request: Any, on_delta: Any) -> ModelReply:
                # Nothing but the execution writes while it runs; this stands for a broken rule.
                seeded.put(session_id, {"n": "text"})
                return done()

            host.ports.gateway._replies.append(changed_meanwhile)  # type: ignore[attr-defined]
            return await played_on(host, ManualRequest(target="counter", session_id=session_id))

    played = asyncio.run(main())
    assert not played.report.committed
    assert played.report.failure is not None
    assert played.report.failure.code == "type-mismatch"
    assert played.rows.data == {("notes", "n"): {"n": "text"}}
    assert played.observer.types[-3:] == [
        "runtime.completed",
        "proposal.failed",
        "execution.completed",
    ]
    assert played.observer.events[-2].payload["proposalType"] == "plugin.data.update"
    assert played.rows.trace[-1].type == "proposal.failed"
    assert [row.tool_name for row in played.rows.tool_calls] == ["count", "runtime-done"]


class PluginDataSetter:
    """Writes rows of the package `counter` outside any execution."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def session(self, value: Any) -> str:
        session = await session_for(self._host.ports, None, packages=["counter"])
        self.put(session.session_id, value)
        return session.session_id

    def put(self, session_id: str, value: Any) -> None:
        key = DataKey(session_id=session_id, plugin_id="counter", namespace="notes", key="n")
        store, now = self._host.ports.store, self._host.ports.clock.now()
        store.transaction_now(
            lambda transaction: put_data(
                transaction, key, value_text=json.dumps(value), revision=0, at=now
            )
        )


# --- what an observer is told ----------------------------------------------------------------


def test_events_come_in_order_and_the_end_says_whether_it_was_committed(tmp_path: Path) -> None:
    story_package(tmp_path)
    played = play(tmp_path, "tale", say("Rain."))
    assert played.observer.types == [
        "execution.started",
        "runtime.started",
        "runtime.completed",
        "narrative.completed",
        "execution.completed",
    ]
    assert played.observer.events[-1].payload["committed"] is True
    assert [event.type for event in played.observer.trace] == [
        row.type for row in played.rows.trace
    ]


def test_a_closed_terminal_does_not_stop_the_execution(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    story_package(tmp_path)

    class Closed(Recorder):
        async def on_text(self, text: str, *, reset: bool) -> None:
            raise BrokenPipeError("the reader has gone")

    async def main() -> tuple[bool, list[str]]:
        async with opened(tmp_path, say("Rain.")) as host:
            closed = Closed()
            report = await host.run(ManualRequest(target="tale"), observer=closed)
            return report.committed, closed.types

    assert asyncio.run(main()) == (True, ["execution.started", "runtime.started"])
    assert "it is told nothing more" in caplog.text


# --- sessions --------------------------------------------------------------------------------


def test_a_session_that_is_not_there_or_not_active_is_refused(tmp_path: Path) -> None:
    story_package(tmp_path)

    async def main() -> list[str]:
        async with opened(tmp_path, say("Rain.")) as host:
            report = await host.run(ManualRequest(target="tale"))
            store = host.ports.store
            session = store.read_now(lambda reading: list_sessions(reading))[0]
            paused = replace(session, status="paused")
            store.transaction_now(lambda transaction: update_session(transaction, paused))
            codes = []
            for session_id in ("session-none", report.session_id):
                with pytest.raises(RequestRefused) as caught:
                    await host.run(ManualRequest(target="tale", session_id=session_id))
                codes.append(caught.value.code)
            return codes

    assert asyncio.run(main()) == ["session-not-found", "session-not-active"]


def test_runs_of_one_session_wait_for_each_other(tmp_path: Path) -> None:
    notes_package(tmp_path)

    async def main() -> list[Any]:
        first_waits, may_end = asyncio.Event(), asyncio.Event()

        async def slow_end(request: Any, on_delta: Any) -> ModelReply:
            first_waits.set()
            await may_end.wait()
            return done()

        recall = calls(call("recall", {"key": "a"}))
        keep = calls(call("keep", {"key": "a", "value": 1}))
        async with opened(tmp_path, say("Made."), keep, slow_end, recall, done()) as host:
            made = await host.run(ManualRequest(target="notes"))
            again = ManualRequest(target="notes", session_id=made.session_id)
            first = asyncio.ensure_future(host.run(again))
            await first_waits.wait()
            second = asyncio.ensure_future(host.run(again))
            may_end.set()
            await first
            return [found.content for found in (await second).result.tool_calls]

    assert asyncio.run(main())[0] == {"found": 1}


def test_a_package_that_runs_in_a_session_becomes_active_in_it(tmp_path: Path) -> None:
    story_package(tmp_path)
    notes_package(tmp_path)
    first = play(tmp_path, "tale", say("Rain."))
    second = play(tmp_path, "notes", done(), session_id=first.report.session_id)
    assert second.rows.session.active_packages == ("tale", "notes")


# --- randomness ------------------------------------------------------------------------------


def rolls(home: Path, seed: str | None) -> list[Any]:
    notes_package(home)
    environ = {} if seed is None else {"COVEL_RANDOM_SEED": seed}
    twice = calls(call("roll"), call("roll"))
    first = play(home, "notes", twice, done(), environ=environ)
    second = play(home, "notes", twice, done(), environ=environ, session_id=first.report.session_id)
    return [
        found.content
        for played in (first, second)
        for found in played.report.result.tool_calls
        if found.request.name == "roll"
    ]


def test_equal_seeds_give_equal_rolls_at_equal_positions(tmp_path: Path) -> None:
    seven = rolls(tmp_path / "a", "7")
    assert seven == rolls(tmp_path / "b", "7")
    assert len(set(seven)) == 4
    assert seven != rolls(tmp_path / "c", "8")


# --- secrets ---------------------------------------------------------------------------------


def test_a_models_key_never_enters_the_trace(tmp_path: Path) -> None:
    notes_package(tmp_path)
    (tmp_path / "llm.toml").write_text(
        '[covel.story]\nprovider = "lab"\nmodel = "m"\nbaseUrl = "http://127.0.0.1:9/v1"\n'
    )
    key = "very-private-value-123"
    played = play(
        tmp_path,
        "notes",
        calls(call("keep", {"key": "a", "value": f"the key is {key}"})),
        say(f"It was {key}."),
        environ={"LAB_API_KEY": key},
    )
    assert played.report.committed
    assert key not in json.dumps([row.data for row in played.rows.trace])
    assert key not in repr(settings_of(tmp_path, {"LAB_API_KEY": key}))


# --- abort and death -------------------------------------------------------------------------


def test_an_aborted_execution_commits_nothing_and_keeps_its_audit(tmp_path: Path) -> None:
    notes_package(tmp_path)

    async def main() -> tuple[Any, Recorder]:
        asked = asyncio.Event()

        async def silence(request: Any, on_delta: Any) -> ModelReply:
            asked.set()
            await asyncio.Event().wait()
            raise AssertionError

        observer = Recorder()
        async with opened(tmp_path, calls(call("keep", {"key": "a"})), silence) as host:
            running = asyncio.ensure_future(
                host.run(ManualRequest(target="notes", message="Hello."), observer=observer)
            )
            await asked.wait()
            running.cancel()
            with pytest.raises(asyncio.CancelledError):
                await running
            event = observer.events[-1]
            return rows_of(host.ports.store, event.session_id, event.turn_id, "notes"), observer

    rows, observer = asyncio.run(main())
    assert (rows.data, rows.messages, rows.session.revision) == ({}, [], 0)
    assert rows.turn.commit_status == "failed"
    assert rows.turn.failure["code"] == "aborted-by-player"
    assert [row.tool_name for row in rows.tool_calls] == ["keep"]
    assert observer.types[-2:] == ["runtime.failed", "execution.completed"]
    assert observer.events[-1].payload["abortReason"] == "aborted-by-player"
    assert "error" not in observer.events[-1].payload


def test_an_abort_that_comes_during_the_commit_finds_it_done(tmp_path: Path) -> None:
    story_package(tmp_path)

    class AbortsAtTheEnd(Recorder):
        running: asyncio.Future[Any] | None = None

        async def on_event(self, event: Any) -> None:
            await super().on_event(event)
            if event.type == "narrative.completed":
                assert self.running is not None
                self.running.cancel()
                await asyncio.sleep(0)

    async def main() -> tuple[Any, Recorder]:
        observer = AbortsAtTheEnd()
        async with opened(tmp_path, say("Rain.")) as host:
            observer.running = asyncio.ensure_future(
                host.run(ManualRequest(target="tale"), observer=observer)
            )
            with pytest.raises(asyncio.CancelledError):
                await observer.running
            event = observer.events[-1]
            return rows_of(host.ports.store, event.session_id, event.turn_id, "tale"), observer

    rows, observer = asyncio.run(main())
    assert rows.turn.commit_status == "committed"
    assert [message.content for message in rows.messages] == ["Rain."]
    assert observer.events[-1].payload["committed"] is True


KILLED = """
import asyncio, sys
from pathlib import Path
from covel_host.turn.admission import ManualRequest
from tests.support.hosts import opened
from tests.support.replies import call, calls

async def main():
    home = Path(sys.argv[1])
    replies = [calls(call("keep", {"key": "a", "value": 1}), call("block"))]
    async with opened(home, *replies) as host:
        await host.run(ManualRequest(target="blocker", message="Go."))

asyncio.run(main())
"""


def test_kill_9_between_tool_call_and_commit_leaves_no_half_turn(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "blocker",
        code=NOTES
        + """
@tool(name="block")
def block() -> object:
    '''Wait for ever.'''
    import sys
    print("blocked", flush=True)
    sys.stdin.readline()
""",
        tools=["keep", "recall", "roll", "block"],
    )
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "blocked\n"
    process.kill()
    process.communicate(timeout=30)

    async def main() -> tuple[Any, Played]:
        async with opened(tmp_path, calls(call("recall", {"key": "a"})), done()) as host:
            store = host.ports.store
            session = store.read_now(lambda reading: list_sessions(reading))[0]
            after_death = rows_of(store, session.session_id, "", "blocker")
            again = ManualRequest(target="blocker", session_id=session.session_id)
            return after_death, await played_on(host, again)

    after_death, played = asyncio.run(main())
    assert (after_death.messages, after_death.data, after_death.session.revision) == ([], {}, 0)
    assert played.report.revision == 1
    assert played.report.result.tool_calls[0].content == {"found": None}
    assert len(played.rows.tool_calls) == 2


def test_what_the_model_reads_is_fed_back(tmp_path: Path) -> None:
    notes_package(tmp_path)
    played = play(tmp_path, "notes", calls(call("keep", {"key": "a"})), done(), payload={"x": 1})
    first, second = played.requests
    assert any("<runtime-activation>" in message.text for message in first.messages)
    assert second.messages[: len(first.messages)] == first.messages
    answer = second.messages[-1]
    assert isinstance(answer, ToolMessage)
    assert (answer.call_id, answer.text) == ("call-1-1", played.envelopes[0])
    assert not any(isinstance(message, UserMessage) for message in second.messages[-2:])
