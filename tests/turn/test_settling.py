"""The end of an execution: what is told after a commit, and what a store that fails leaves."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from covel_host.host import Host
from covel_host.models.messages import ModelReply
from covel_host.models.selector import UseOffline
from covel_host.store.errors import ScopeConflictError, StoreError
from covel_host.store.posted_messages import get_posted, post_message
from covel_host.store.records import PostedMessage
from covel_host.store.snapshots import list_snapshots
from covel_host.trace.events import SessionEvent
from covel_host.turn.admission import ManualRequest
from covel_host.turn.sessions import session_for
from tests.support.hosts import Recorder, opened, play, rows_of, settings_of
from tests.support.packages import write_package
from tests.support.replies import call, calls, done, say
from tests.turn.test_execution import notes_package, story_package


class Broken(Recorder):
    """An observer to whom some events cannot be sent."""

    def __init__(self, *types: str) -> None:
        super().__init__()
        self._refused = types

    async def on_event(self, event: SessionEvent) -> None:
        if event.type in self._refused:
            raise BrokenPipeError(f"cannot send {event.type}")
        await super().on_event(event)


def test_an_event_that_cannot_be_sent_undoes_nothing_and_asks_for_a_reset(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    notes_package(tmp_path)
    observer = Broken("plugin-data.changed")

    async def main() -> Any:
        replies = [calls(*[call("keep", {"key": key, "value": 1}) for key in "ab"]), done()]
        async with opened(tmp_path, *replies) as host:
            report = await host.run(ManualRequest(target="notes"), observer=observer)
            return report, rows_of(host.ports.store, report.session_id, report.turn_id, "notes")

    report, rows = asyncio.run(main())
    assert (report.committed, report.failure) == (True, None)
    assert set(rows.data) == {("notes", "a"), ("notes", "b")}
    assert observer.types[-2:] == ["system.reset", "execution.completed"]
    assert observer.events[-2].payload["reason"] == "publish-failed"
    ended = observer.events[-1].payload
    assert (ended["committed"], ended["resync"]) == (True, True)
    [failed] = [event for event in rows.trace if event.type == "commit.fanout.failed"]
    assert (failed.data["failedCount"], failed.data["totalCount"]) == (2, 2)
    assert failed.data["errors"][0] == (
        "plugin-data.changed: BrokenPipeError: cannot send plugin-data.changed"
    )
    assert "was not sent" in caplog.text


def test_events_after_one_that_failed_are_still_sent(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "tale",
        io={"visibility": "story"},
        tools=["keep"],
        code="""
        @tool(name="keep")
        async def keep() -> object:
            '''Keep.'''
            return with_pending_proposals({}, [PluginData(namespace="notes", key="a", value=1)])
        """,
    )
    observer = Broken("plugin-data.changed")

    async def main() -> bool:
        async with opened(tmp_path, calls(call("keep")), say("Rain.")) as host:
            return (await host.run(ManualRequest(target="tale"), observer=observer)).committed

    assert asyncio.run(main())
    assert observer.types[-3:] == ["narrative.completed", "system.reset", "execution.completed"]


def test_without_a_failure_nothing_is_reset(tmp_path: Path) -> None:
    story_package(tmp_path)
    played = play(tmp_path, "tale", say("Rain."))
    assert "resync" not in played.observer.events[-1].payload
    assert "system.reset" not in played.observer.types


def test_a_store_that_fails_in_the_commit_leaves_a_failed_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    story_package(tmp_path)

    def broken(*_: object) -> None:
        raise StoreError("The disk is full.", code="store-failed")

    monkeypatch.setattr("covel_host.turn.settling.commit_execution", broken)
    played = play(tmp_path, "tale", say("Rain."))
    assert played.report.failure is not None
    assert (played.report.committed, played.report.failure.code) == (False, "store-failed")
    assert played.rows.turn is not None
    assert played.rows.turn.commit_status == "failed"
    assert played.rows.turn.failure == {"code": "store-failed", "message": "The disk is full."}
    assert played.rows.messages == []
    assert played.observer.types[-1] == "execution.completed"
    assert played.observer.events[-1].payload["error"] == played.rows.turn.failure


def test_a_store_that_keeps_not_even_the_failure_still_ends_the_execution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    story_package(tmp_path)

    def broken(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.", code="store-failed")

    monkeypatch.setattr("covel_host.turn.settling.commit_execution", broken)
    monkeypatch.setattr("covel_host.turn.settling.record_failure", broken)
    played = play(tmp_path, "tale", say("Rain."))
    assert (played.report.committed, played.rows.turn) == (False, None)
    assert "could not be kept" in caplog.text


def test_a_run_that_failed_is_told_also_when_its_turn_cannot_be_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    story_package(tmp_path)

    def broken_store(*_: object, **__: object) -> None:
        raise StoreError("The disk is full.", code="store-failed")

    monkeypatch.setattr("covel_host.turn.settling.record_failure", broken_store)
    played = play(tmp_path, "tale", say("  "), say("  "))
    assert played.report.failure is not None
    assert played.report.failure.code == "story_without_prose"
    assert played.observer.events[-1].payload["error"]["code"] == "story_without_prose"
    assert "could not be kept" in caplog.text


# --- posted messages -------------------------------------------------------------------------


def test_the_turn_adopts_what_the_player_posted(tmp_path: Path) -> None:
    story_package(tmp_path)

    async def main() -> Any:
        async with opened(tmp_path, say("Rain."), say("Snow.")) as host:
            ports = host.ports
            session = await session_for(ports, None, packages=["tale"])
            posted = PostedMessage(
                message_id="m1",
                session_id=session.session_id,
                content="Begin.",
                created_at=ports.clock.now(),
            )
            await ports.store.transaction(lambda transaction: post_message(transaction, posted))
            request = ManualRequest(
                target="tale",
                session_id=session.session_id,
                message="Begin.",
                input_message_id="m1",
            )
            first = await host.run(request)
            again = await host.run(request)
            rows = rows_of(ports.store, session.session_id, again.turn_id, "tale")
            waiting = await ports.store.read(lambda reading: get_posted(reading, "m1"))
            return first, again, rows, waiting

    first, again, rows, waiting = asyncio.run(main())
    assert (first.committed, again.committed, waiting) == (True, False, None)
    begun, _told = rows.messages
    assert (begun.message_id, begun.content) == ("m1", "Begin.")
    assert again.failure.code == "message-exists"
    assert rows.turn.commit_status == "failed"
    assert issubclass(ScopeConflictError, StoreError)


# --- snapshots, leases, policies -------------------------------------------------------------


def test_only_as_many_automatic_snapshots_are_kept_as_the_setting_says(tmp_path: Path) -> None:
    story_package(tmp_path)

    async def main() -> int:
        environ = {"COVEL_AUTO_SNAPSHOT_RETENTION": "3"}
        async with opened(tmp_path, say("Rain."), environ=environ) as host:
            report = await host.run(ManualRequest(target="tale"))
            store = host.ports.store
            kept = await store.read(lambda reading: list_snapshots(reading, report.session_id))
            assert host.ports.auto_snapshots_kept == 3
            return len(kept)

    assert asyncio.run(main()) == 1


def test_a_reload_while_a_run_goes_on_changes_nothing_for_it(tmp_path: Path) -> None:
    def package(answer: str) -> None:
        write_package(
            tmp_path / "plugins" / "demo",
            tools=["which"],
            code=f"""
            @tool(name="which", read_only=True)
            async def which() -> object:
                '''Say which one it is.'''
                return {{"which": {answer!r}}}
            """,
        )

    package("old")

    async def main() -> list[Any]:
        async with opened(tmp_path, calls(call("which"))) as host:

            async def edited(request: Any, on_delta: Any) -> ModelReply:
                package("new")
                outcome = await host.ports.catalogs.reload("demo")
                assert outcome.is_swapped
                return calls(call("which"))

            gateway: Any = host.ports.gateway
            gateway._replies.extend([edited, done(), calls(call("which")), done()])
            reports = [await host.run(ManualRequest(target="demo")) for _ in range(2)]
            return [
                [json.loads(made.envelope) for made in report.result.tool_calls[:-1]]
                for report in reports
            ]

    first, second = asyncio.run(main())
    assert first == [{"data": {"which": "old"}}, {"data": {"which": "old"}}]
    assert second == [{"data": {"which": "new"}}]


def test_a_package_that_was_not_loaded_yet_is_loaded_for_its_first_run(tmp_path: Path) -> None:
    notes_package(tmp_path)

    async def main() -> bool:
        host = await Host.open(settings_of(tmp_path), load=[], selector=UseOffline())
        assert host.catalog.packages["notes"].generation is None
        report = await host.run(ManualRequest(target="notes"))
        await host.close()
        return report.result.status in ("success", "failed")

    assert asyncio.run(main())


def test_a_data_sets_policy_holds_for_every_write_of_its_package(tmp_path: Path) -> None:
    write_package(
        tmp_path / "plugins" / "quests",
        tools=["cheat"],
        datasets={"items": {"schema": "./item.schema.json", "ops": ["set"]}},
        files={"item.schema.json": '{"type": "object", "required": ["title"]}'},
        code="""
        @tool(name="cheat")
        async def cheat(value: object = None) -> object:
            '''Write past the tools of the data set.'''
            return with_pending_proposals({}, [PluginData(namespace="items", key="a", value=value)])
        """,
    )
    replies = [
        calls(call("cheat", {"value": {"no": "title"}})),
        calls(call("cheat", {"value": {"title": "Lamp"}})),
        done(),
    ]
    played = play(tmp_path, "quests", *replies)
    assert played.rows.data == {("items", "a"): {"title": "Lamp"}}
    assert "error" in json.loads(played.envelopes[0])
