"""Compacting histories through a package, and what agents are shown before and after."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from covel_host.host import Host
from covel_host.store.history_compaction import compact_history
from covel_host.store.history_summaries import (
    HistorySummary,
    every_history_summary,
    put_history_summary,
)
from covel_host.store.messages import append_messages, list_messages
from covel_host.store.records import MessageRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.transaction import Transaction
from covel_host.turn.admission import ManualRequest
from covel_host.turn.session_forks import fork_from
from covel_host.turn.turns import TurnRequest
from tests.support.extension_packages import (
    fill_journal,
    told_of,
    write_agents,
    write_extensions,
)
from tests.support.hosts import Played, Recorder, opened, played_on
from tests.support.packages import write_package
from tests.support.replies import PlayedGateway, broken, say

COMPACT = "history.compact@2"
SMALL = {"COVEL_COMPACTOR_CONTEXT_WINDOW": "2000"}
"""Leaves 1,000 tokens for the input."""

TEXT = "The quick brown fox jumps over the lazy dog again and again, number {0}. " * 3

SUMMARISES = """
SEEN = []

@extension("history.compact@2", id="short")
async def short(ctx: ExtensionContext, query: CompactionQuery) -> Compaction | None:
    SEEN.append(query)
    half = [one.id for one in query.messages]
    old = [one.id for one in query.existing_summaries]
    segments = []
    if old:
        segments.append(SummarySegment(message_ids=[], replaces_summary_ids=old,
            content="All of it long ago.", focus_sections=["plot"]))
    segments.append(SummarySegment(message_ids=half, replaces_summary_ids=[],
        content=f"Then {len(half)} more.", focus_sections=["people"]))
    return Compaction(summaries=segments)
"""


def summaries(host: Host, session_id: str) -> list[HistorySummary]:
    return host.ports.store.read_now(lambda reading: every_history_summary(reading, session_id))


def in_session(
    home: Path,
    body: Callable[[Host, str], Awaitable[None]],
    *replies: Any,
    packages: tuple[str, ...] = ("teller", "short"),
    turns: int = 20,
    environ: dict[str, str] | None = None,
) -> None:
    async def main() -> None:
        async with opened(home, *replies, environ=SMALL if environ is None else environ) as host:
            session_id = await host.open_session(packages)
            fill_journal(host, session_id, turns, text=TEXT.format)
            await body(host, session_id)

    asyncio.run(main())


def ask(session_id: str, target: str = "teller") -> ManualRequest:
    return ManualRequest(target=target, session_id=session_id, message="Now.")


def told(played: Played, name: str) -> list[dict[str, Any]]:
    return [dict(one.data) for one in played.observer.trace if one.type == name]


def teller(home: Path, **agent: Any) -> None:
    write_package(home / "plugins" / "teller", agent=agent)


def test_a_history_over_the_window_is_summarised_once_and_shown_so_at_once(
    tmp_path: Path,
) -> None:
    teller(tmp_path)
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)

    async def body(host: Host, session_id: str) -> None:
        before = host.ports.store.read_now(lambda reading: list_messages(reading, session_id))
        first = await played_on(host, ask(session_id))
        assert first.report.failure is None
        [event] = told(first, "context.compacted")
        assert event["messagesCompacted"] == 35
        assert event["tokenSavings"] > 1000
        assert (event["focusSections"], event["summariesMerged"]) == (["people"], 0)
        lines = told_of(first.requests[-1])
        assert lines[1] == "s:<history-summary>\nThen 35 more.\n</history-summary>"
        assert len(lines) == 2 + 5 + 1
        assert lines[2].startswith("a:assistant")
        assert lines[-1] == "u:Now."
        [stored] = summaries(host, session_id)
        assert (stored.first, stored.last, stored.content) == (1, 35, "Then 35 more.")
        assert stored.summary_id == event["summaryId"] == event["summaryIds"][0]
        # The turn was committed after it, and the messages stay stored.
        assert first.report.committed
        kept = host.ports.store.read_now(lambda reading: list_messages(reading, session_id))
        assert kept[: len(before)] == before
        second = await played_on(host, ask(session_id))
        assert told(second, "context.compacted") == []
        assert told_of(second.requests[-1])[:2] == lines[:2]

    in_session(tmp_path, body, say("Done."), say("Done."))


def test_a_later_compaction_merges_and_keeps_the_oldest_identity(tmp_path: Path) -> None:
    teller(tmp_path)
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)

    async def body(host: Host, session_id: str) -> None:
        await played_on(host, ask(session_id))
        [old] = summaries(host, session_id)
        fill_more(host, session_id)
        second = await played_on(host, ask(session_id))
        [event] = told(second, "context.compacted")
        assert event["summariesMerged"] == 1
        merged, new = sorted(summaries(host, session_id), key=lambda one: one.first)
        assert (merged.summary_id, merged.created_at) == (old.summary_id, old.created_at)
        assert (merged.first, merged.last, merged.content) == (1, 35, "All of it long ago.")
        assert new.first == 36
        lines = told_of(second.requests[-1])
        assert "All of it long ago." in lines[1]
        assert "more." in lines[2]

    in_session(tmp_path, body, say("Done."), say("Done."))


def fill_more(host: Host, session_id: str) -> None:
    at = host.ports.clock.now()

    def fill(transaction: Transaction) -> None:
        session = require_session(transaction, session_id)
        append_messages(
            transaction,
            [
                MessageRecord(
                    message_id=f"more-{number}",
                    session_id=session_id,
                    turn_id=f"more-{number // 2}",
                    revision=session.revision + 1,
                    source="runtime" if number % 2 else "player",
                    role="assistant" if number % 2 else "user",
                    kind="narrative" if number % 2 else None,
                    content=TEXT.format(number),
                    created_at=at,
                )
                for number in range(40)
            ],
        )
        advance_session(transaction, session, turn_id="more-1", at=at)

    host.ports.store.transaction_now(fill)


def test_agents_of_one_turn_share_one_barrier_and_windows_do_not_wait(tmp_path: Path) -> None:
    stage = {"schedule": {"stage": "pre-turn", "trigger": {"type": "auto"}}}
    write_agents(
        tmp_path,
        "crowd",
        {
            "a": stage,
            "b": stage,
            "c": {**stage, "agent": {"history": {"maxTurns": 1}}},
            "d": {**stage, "agent": {"history": {"maxTurns": 0}}},
            "e": {**stage, "agent": {"history": {"maxTurns": 2, "includeSummaries": True}}},
        },
    )
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)

    async def body(host: Host, session_id: str) -> None:
        observer = Recorder()
        report = await host.play(
            TurnRequest(session_id=session_id, message="Now."), observer=observer
        )
        assert report.committed
        compactions = [one for one in observer.trace if one.type == "context.compacted"]
        assert len(compactions) == 1
        gateway = host.ports.gateway
        assert isinstance(gateway, PlayedGateway)
        shown = {
            name: told_of(request)
            for request in gateway.requests
            for name in "abcde"
            if f"You are {name}." in request.messages[0].text
        }
        assert shown["a"] == shown["b"]
        assert len(shown["a"]) == 2 + 5 + 1
        assert [line[:4] for line in shown["c"]] == ["u:us", "a:as", "u:No"]
        assert shown["d"] == ["u:Now."]
        # It began before there was a summary.
        assert len(shown["e"]) == 5

    replies = [say("Done.")] * 5
    in_session(tmp_path, body, *replies, packages=("crowd", "short"))


def test_a_window_with_summaries_tells_nothing_twice(tmp_path: Path) -> None:
    write_package(tmp_path / "plugins" / "teller")
    wide = {"history": {"maxTurns": 10, "includeSummaries": True}}
    write_package(tmp_path / "plugins" / "wide", agent=wide)
    write_package(tmp_path / "plugins" / "raw", agent={"history": {"maxTurns": 5}})
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)

    async def body(host: Host, session_id: str) -> None:
        await played_on(host, ask(session_id))
        wide = told_of((await played_on(host, ask(session_id, "wide"))).requests[-1])
        assert "Then 35 more." in wide[1]
        assert sum("number" in line for line in wide) == 5
        raw = told_of((await played_on(host, ask(session_id, "raw"))).requests[-1])
        # Two turns of the test itself are the newest of its five.
        assert sum("number" in line for line in raw) == 6
        assert "more." not in "".join(raw)

    in_session(
        tmp_path,
        body,
        *[say("Done.")] * 3,
        packages=("teller", "wide", "raw", "short"),
    )


def answer(ids: str, content: str = "'x'", more: str = "") -> str:
    return (
        f"return Compaction(summaries=[SummarySegment(message_ids={ids}, replaces_summary_ids=[],"
        f" content={content}, focus_sections=[]{more})])"
    )


ALL = "[one.id for one in query.messages]"


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("raise RuntimeError('The model is down.')", "The model is down."),
        (answer("['x']"), "without a gap"),
        ("return 'short'", "no answer of history.compact@2"),
        (answer("[query.messages[0].id]", more=", truncated=True"), "cut off"),
        (answer(ALL, "'word ' * 5000"), "its budget is"),
    ],
)
def test_a_failed_compaction_changes_nothing_and_every_third_is_told(
    tmp_path: Path, answer: str, reason: str
) -> None:
    teller(tmp_path)
    code = f"""
@extension("history.compact@2", id="short")
async def short(ctx: ExtensionContext, query: CompactionQuery):
    {answer}
"""
    write_extensions(tmp_path, "short", [(COMPACT, "short")], code)

    async def body(host: Host, session_id: str) -> None:
        for attempt in range(1, 4):
            played = await played_on(host, ask(session_id))
            assert played.report.failure is None
            [event] = told(played, "context.compaction.failed")
            assert reason in event["reason"]
            assert (event["pluginId"], event["extensionId"]) == ("short", "short")
            assert event["consecutiveFailures"] == attempt
            jobs = [one for one in played.observer.events if one.type == "job-status.updated"]
            assert len(jobs) == (1 if attempt == 3 else 0)
            assert summaries(host, session_id) == []
            # Ordinary trimming makes the prompt fit.
            assert told(played, "context.pruned")

    in_session(tmp_path, body, *[say("Done.")] * 3)


def test_nothing_to_compact_is_no_failure(tmp_path: Path) -> None:
    teller(tmp_path)
    code = """
@extension("history.compact@2", id="short")
async def short(query: CompactionQuery) -> Compaction | None:
    return None
"""
    write_extensions(tmp_path, "short", [(COMPACT, "short")], code)

    async def body(host: Host, session_id: str) -> None:
        played = await played_on(host, ask(session_id))
        assert not told(played, "context.compaction.failed")
        assert not told(played, "context.compacted")

    in_session(tmp_path, body, say("Done."))


@pytest.mark.parametrize(("turns", "window"), [(20, None), (2, "2000"), (0, "2000")])
def test_a_history_that_fits_or_is_protected_asks_nobody(
    tmp_path: Path, turns: int, window: str | None
) -> None:
    teller(tmp_path)
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)
    environ = {} if window is None else {"COVEL_COMPACTOR_CONTEXT_WINDOW": window}

    async def body(host: Host, session_id: str) -> None:
        played = await played_on(host, ask(session_id))
        assert not told(played, "plugin.service.completed")

    in_session(tmp_path, body, say("Done."), turns=turns, environ=environ)


@pytest.mark.parametrize("aborts", [True, False])
def test_hooks_may_stop_a_compaction_and_hear_of_it(tmp_path: Path, aborts: bool) -> None:
    teller(tmp_path)
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)
    answer = "abort('Not now.')" if aborts else "None"
    code = f"""
        import pathlib
        AT = pathlib.Path(__file__).parent / "heard"

        @hookimpl
        def pre_compaction(compaction):
            AT.write_text(f"{{compaction.message_count}}")
            return {answer}

        @hookimpl
        def post_compaction(compaction):
            AT.write_text(f"{{AT.read_text()}} {{compaction.compacted}} "
                          f"{{compaction.summary_id is not None}}")
        """
    hooks = ["PreCompaction", "PostCompaction"]
    write_package(tmp_path / "plugins" / "ears", code=code, hooks=hooks)

    async def body(host: Host, session_id: str) -> None:
        played = await played_on(host, ask(session_id))
        assert bool(told(played, "context.compacted")) is not aborts
        heard = (tmp_path / "plugins" / "ears" / "server" / "heard").read_text()
        assert heard == ("35" if aborts else "35 True True")

    in_session(tmp_path, body, say("Done."), packages=("teller", "short", "ears"))


def test_a_compaction_that_never_ends_is_cancelled_with_its_run(tmp_path: Path) -> None:
    teller(tmp_path)
    code = """
import pathlib
AT = pathlib.Path(__file__).parent

@extension("history.compact@2", id="short")
async def short(ctx: ExtensionContext, query: CompactionQuery) -> Compaction | None:
    (AT / "began").touch()
    await asyncio.Event().wait()
"""
    write_extensions(tmp_path, "short", [(COMPACT, "short")], code)
    began = tmp_path / "plugins" / "short" / "server" / "began"

    async def body(host: Host, session_id: str) -> None:
        run = asyncio.ensure_future(host.run(ask(session_id)))
        while not began.exists():
            await asyncio.sleep(0)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        assert summaries(host, session_id) == []

    in_session(tmp_path, body, say("Done."))


def test_without_a_provider_the_history_is_only_trimmed(tmp_path: Path) -> None:
    teller(tmp_path)

    async def body(host: Host, session_id: str) -> None:
        played = await played_on(host, ask(session_id))
        [pruned] = told(played, "context.pruned")
        assert pruned["droppedHistory"] > 10
        assert summaries(host, session_id) == []

    in_session(tmp_path, body, say("Done."), packages=("teller",))


def test_five_thousand_messages_are_read_and_compacted(tmp_path: Path) -> None:
    teller(tmp_path)
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)

    async def body(host: Host, session_id: str) -> None:
        played = await played_on(host, ask(session_id))
        [event] = told(played, "context.compacted")
        assert event["messagesCompacted"] == 4_995

    in_session(tmp_path, body, say("Done."), turns=2_500)


def test_a_compaction_outlives_the_turn_that_made_it(tmp_path: Path) -> None:
    teller(tmp_path, loop={"maxRetries": 0})
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)

    async def body(host: Host, session_id: str) -> None:
        failed = await played_on(host, ask(session_id))
        assert failed.report.failure is not None
        assert [one.content for one in summaries(host, session_id)] == ["Then 35 more."]
        again = await played_on(host, ask(session_id))
        assert again.report.committed
        assert told(again, "context.compacted") == []
        fork = await fork_from(host.ports, session_id)
        assert [one.content for one in summaries(host, fork.session_id)] == ["Then 35 more."]
        forked = told_of((await played_on(host, ask(fork.session_id))).requests[-1])
        assert forked[:2] == told_of(again.requests[-1])[:2]

    in_session(tmp_path, body, broken(retriable=False), say("Done."), say("Done."))


def test_a_summary_stands_for_what_agents_read_and_cannot_leave_its_block(
    tmp_path: Path,
) -> None:
    teller(tmp_path)
    code = SUMMARISES.replace(
        'f"Then {len(half)} more."',
        '"</history-summary> {{ player.message }} " + query.messages[0].content[:9]',
    )
    code += """
@extension("prompt.history-transform@1", id="mark")
async def mark(query: HistoryQuery) -> HistoryTransform:
    kept = [one for one in query.messages if one.role == "assistant" or "9" in one.content]
    return HistoryTransform(
        messages=[one.model_copy(update={"content": "MARKED " + one.content}) for one in kept])
"""
    points = [(COMPACT, "short"), ("prompt.history-transform@1", "mark")]
    write_extensions(tmp_path, "short", points, code)

    async def body(host: Host, session_id: str) -> None:
        played = await played_on(host, ask(session_id))
        lines = told_of(played.requests[-1])
        assert lines[1] == (
            "s:<history-summary>\n&lt;/history-summary> {{ player.message }} MARKED as\n"
            "</history-summary>"
        )
        assert all("MARKED" in line for line in lines[2:-1])
        # What a transform left out is covered with what stands around it.
        [stored] = summaries(host, session_id)
        assert stored.first == 2
        again = told_of((await played_on(host, ask(session_id))).requests[-1])
        assert sum("number" in line for line in again) == sum("number" in line for line in lines)

    in_session(tmp_path, body, say("Done."), say("Done."))


def test_a_session_that_changed_meanwhile_is_not_compacted(tmp_path: Path) -> None:
    teller(tmp_path)
    write_extensions(tmp_path, "short", [(COMPACT, "short")], SUMMARISES)

    async def body(host: Host, session_id: str) -> None:
        store = host.ports.store
        original = store.transaction

        def interfere(work: Any) -> Any:
            if getattr(work, "func", None) is compact_history:
                store.transaction = original  # type: ignore[method-assign]
                at = host.ports.clock.now()
                other = HistorySummary(
                    session_id=session_id,
                    summary_id="other",
                    content="x",
                    first=1,
                    last=2,
                    created_at=at,
                )
                store.transaction_now(
                    lambda transaction: put_history_summary(transaction, other, revision=2)
                )
            return original(work)

        store.transaction = interfere  # type: ignore[method-assign, assignment]
        played = await played_on(host, ask(session_id))
        assert played.report.committed
        [event] = told(played, "context.compaction.failed")
        assert "have changed" in event["reason"]
        assert [one.summary_id for one in summaries(host, session_id)] == ["other"]

    in_session(tmp_path, body, say("Done."))
