"""What concealed runtimes see and say, in every place where something of a turn is told.

A new place in which turns are shown belongs into `PLACES`.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from covel_host.base.json_text import dump_json
from covel_host.cli.run_report import report_json
from covel_host.cli.session_facts import read_session
from covel_host.cli.session_json import session_json
from covel_host.cli.session_text import session_text, write_trace
from covel_host.cli.trace_facts import read_trace
from covel_host.cli.trace_json import prompt_json, trace_json
from covel_host.cli.trace_text import trace_text
from covel_host.cli.turn_playing import turn_json
from covel_host.host import Host
from covel_host.settings import Settings
from covel_host.trace.events import SessionEvent
from covel_host.turn.admission import ManualRequest
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.session_export import export_session
from covel_host.turn.turns import TurnReport
from tests.support.casts import Table, agent, cast, function, story
from tests.support.hosts import Recorder, opened, rows_of, settings_of
from tests.support.replies import call, calls, say

SECRET = "the butler did it in the library"
HIDDEN: dict[str, Any] = {"io": {"concealed": True}}
MANUAL = {"trigger": {"type": "manual"}}
PRE = {"stage": "pre-turn"}


@dataclass
class Seen:
    """Everything that was told of a session's turns."""

    settings: Settings
    session_id: str
    turns: list[TurnReport]
    runs: list[ExecutionReport]
    observer: Recorder
    heard: list[SessionEvent]
    log: str
    parts: list[str]
    rows: str


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Seen]:
    home = tmp_path_factory.mktemp("home")
    cast(
        home,
        "mystery",
        {
            "scheme": function(
                f'return success({{"plan": "{SECRET}"}})',
                schedule=PRE,
                **HIDDEN,
            ),
            "think": agent(schedule=PRE, **HIDDEN),
            "told": story(
                io={
                    "visibility": "story",
                    "inputs": {"plan": {"from": {"runtime": "mystery/scheme"}}},
                }
            ),
            "fails": function(f'raise ValueError("{SECRET}")', schedule=MANUAL, **HIDDEN),
            "refuses": function(
                f'raise ToolError("refused", "{SECRET}")', schedule=MANUAL, **HIDDEN
            ),
            "skips": function(f'return skipped("{SECRET}")', schedule=MANUAL, **HIDDEN),
            "guarded": function(
                "return success()",
                guard=f'return skip(reason="{SECRET}")',
                schedule=MANUAL,
                **HIDDEN,
            ),
            "says": agent(schedule=MANUAL, **HIDDEN),
            "starts": function(
                f'return await ctx.recursive_call("mystery/open", payload="{SECRET}")',
                schedule=MANUAL,
                **HIDDEN,
            ),
            "open": function("return success({'got': ctx.manual_payload})", schedule=MANUAL),
            "asks": function(
                'try:\n    await ctx.recursive_call("mystery/fails")\n'
                'except ToolError as error:\n    return success({"why": error.message})',
                schedule=MANUAL,
            ),
        },
    )
    records: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(logging.Formatter().format(record))

    handler = Keep()
    logging.getLogger().addHandler(handler)
    try:
        yield asyncio.run(_play(home, records))
    finally:
        logging.getLogger().removeHandler(handler)


async def _play(home: Path, records: list[str]) -> Seen:
    think = [calls(call("runtime-done", {"reason": SECRET}))]
    replies = [*think, say("It rained."), say(SECRET)]
    observer = Recorder()
    async with opened(home, *replies) as host:
        session_id = await host.open_session(["mystery"])
        for state in host.catalog.packages.values():
            assert state.generation is not None, state.diagnostics
        with host.events.subscribe(session_id, topics=EVERY_TOPIC) as heard:
            table = Table(host, session_id, "mystery")
            turn = await table.play("Who was it?")
            reports = [
                await _run(host, session_id, name, observer)
                for name in ("fails", "refuses", "skips", "guarded", "says", "starts", "asks")
            ]
        told = [event async for event in heard]
        parts = _parts(host)
        rows = _rows(host, session_id, turn.report.executions[-1].turn_id)
    observer.events += turn.observer.events
    observer.trace += turn.observer.trace
    observer.texts += turn.observer.texts
    return Seen(
        settings=settings_of(home),
        session_id=session_id,
        turns=[turn.report],
        runs=reports,
        observer=observer,
        heard=told,
        log="\n".join(records),
        parts=parts,
        rows=rows,
    )


EVERY_TOPIC: Any = ("runtime", "state", "game", "plugin", "session", "trace", "hooks", "job")


async def _run(host: Host, session_id: str, name: str, observer: Recorder) -> ExecutionReport:
    request = ManualRequest(target=f"mystery/{name}", session_id=session_id)
    return await host.run(request, observer=observer)


def _parts(host: Host) -> list[str]:
    from sqlalchemy import select

    from covel_host.store.statements import Statement
    from covel_host.store.tables import PROMPT_PARTS

    every = Statement(select(PROMPT_PARTS.c.content))
    return host.ports.store.read_now(lambda reading: [row[0] for row in reading.rows(every)])


def _rows(host: Host, session_id: str, turn_id: str) -> str:
    rows = rows_of(host.ports.store, session_id, turn_id, "mystery")
    assert rows.turn is not None
    return dump_json(rows.turn.results)


def _turn_ids(seen: Seen) -> list[str]:
    played = [one.turn_id for turn in seen.turns for one in turn.executions]
    return [*played, *(run.turn_id for run in seen.runs)]


def _traces(seen: Seen) -> str:
    facts = [
        read_trace(seen.settings, seen.session_id, turn_id, prompt=None)
        for turn_id in _turn_ids(seen)
    ]
    return "".join(trace_text(one) + dump_json(trace_json(one)) for one in facts)


def _prompts(seen: Seen) -> str:
    turn_id = seen.turns[0].executions[-1].turn_id
    prompts = [
        read_trace(seen.settings, seen.session_id, turn_id, prompt=number).prompt
        for number in (1, 2)
    ]
    return "".join(dump_json(prompt_json(one)) for one in prompts if one is not None)


def _export(seen: Seen) -> str:
    from covel_host.cli.in_session import read_store

    document = read_store(seen.settings, lambda reading: export_session(reading, seen.session_id))
    return str(document)


def _session(seen: Seen) -> str:
    facts = [
        read_session(seen.settings, seen.session_id, turn_id=turn_id)
        for turn_id in (None, *_turn_ids(seen))
    ]
    return "".join(session_text(one) + str(session_json(one)) for one in facts)


PLACES: dict[str, Callable[[Seen], str]] = {
    "events of the observer": lambda seen: str([event.payload for event in seen.observer.events]),
    "texts of the observer": lambda seen: str(seen.observer.texts),
    "live trace": lambda seen: str([event.data for event in seen.observer.trace]),
    "events of a subscription": lambda seen: str([event.payload for event in seen.heard]),
    "reports of the host": lambda seen: str(
        [asdict(result) for run in seen.runs[:-1] for result in run.results if result.is_concealed]
    ),
    "failures of the host": lambda seen: str([run.failure for run in seen.runs]),
    "JSON of covel run": lambda seen: str([report_json(run) for run in seen.runs[:5]]),
    "JSON of covel turn": lambda seen: str([turn_json(turn) for turn in seen.turns]),
    "covel sessions show": _session,
    "covel sessions export": _export,
    "covel trace": _traces,
    "covel trace --prompt": _prompts,
    "stored parts of prompts": lambda seen: str(seen.parts),
    "log": lambda seen: seen.log,
}


@pytest.mark.parametrize("place", PLACES)
def test_nothing_of_a_concealed_run_is_told(seen: Seen, place: str) -> None:
    told = PLACES[place](seen)
    assert told
    assert SECRET not in told


def test_the_runs_went_as_they_should(seen: Seen) -> None:
    (turn,) = seen.turns
    assert turn.committed
    assert [run.result.status for run in seen.runs] == [
        "failed", "failed", "skipped", "skipped", "success", "success", "success",
    ]  # fmt: skip
    assert [run.result.failure is not None for run in seen.runs[:2]] == [True, True]


def test_what_a_concealed_run_starts_is_concealed_too(seen: Seen) -> None:
    starts = seen.runs[5]
    assert [result.is_concealed for result in starts.results] == [True, True]


def test_that_it_ran_and_what_it_took_is_told(seen: Seen) -> None:
    ended = [event for event in seen.observer.events if event.payload.get("concealed")]
    assert {"runtime.completed", "runtime.failed", "runtime.skipped"} <= {one.type for one in ended}
    assert all("durationMs" in one.payload for one in ended)
    responded = [one for one in seen.observer.trace if one.type == "llm.responded"]
    concealed = [one.data for one in responded if one.data.get("concealed")]
    assert all(data["usage"] == {"inputTokens": 10, "outputTokens": 5} for data in concealed)
    assert len(concealed) == 2


def test_the_turns_own_row_keeps_everything(seen: Seen) -> None:
    assert SECRET in seen.rows


def test_a_reader_of_the_value_gets_it_in_full(seen: Seen) -> None:
    told = _prompts(seen)
    assert "[redacted]" in told
    assert "".join(text or "" for text in seen.observer.texts) == "It rained."


def test_the_trace_of_the_terminal_shows_no_content(
    seen: Seen, capsys: pytest.CaptureFixture[str]
) -> None:
    for turn_id in _turn_ids(seen):
        facts = read_session(seen.settings, seen.session_id, turn_id=turn_id)
        assert facts.traced is not None
        write_trace(facts.traced)
    printed = capsys.readouterr().out
    assert "llm.responded" in printed
    assert SECRET not in printed
