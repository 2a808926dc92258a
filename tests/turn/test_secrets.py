"""Configured keys and header-like values reach no trace, event, report, terminal line or log."""

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from covel_host.cli.run_report import report_json
from covel_host.cli.session_facts import read_session
from covel_host.cli.session_json import session_json
from covel_host.cli.session_text import session_text
from covel_host.cli.trace_facts import read_trace
from covel_host.cli.trace_json import prompt_json, trace_json
from covel_host.cli.trace_text import call_text, prompt_text, trace_text
from covel_host.trace.event_log import EventLog
from covel_host.turn.admission import ManualRequest
from tests.support.casts import agent, cast, function
from tests.support.hosts import Recorder, opened, settings_of
from tests.support.replies import call, calls, say

KEY = "local-key-of-a-server"
BEARER = "Bearer abcdefghijklmnop"
HEADER = "x-api-key: qwertyuiopasdf"
SECRETS = (KEY, "abcdefghijklmnop", "qwertyuiopasdf")
MANUAL = {"trigger": {"type": "manual"}}
TEXT = f"{KEY}, Authorization: {BEARER}, {HEADER}"

Told = dict[str, str]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    home = tmp_path_factory.mktemp("home")
    records: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append(logging.Formatter().format(record))

    cast(
        home,
        "leaky",
        {
            "raises": function(f'raise ValueError("{TEXT}")', schedule=MANUAL),
            "refuses": function(f'raise ToolError("refused", "{TEXT}")', schedule=MANUAL),
            "fails": function(f'return failed("{TEXT}")', schedule=MANUAL),
            "skips": function(f'return skipped("{TEXT}")', schedule=MANUAL),
            "emits": function(
                f'return success(effects=Effects(events=[Event("bell.rung", {{"a": "{KEY}"}})]))',
                schedule=MANUAL,
            ),
            "asks": agent(schedule=MANUAL),
        },
        contributes={
            "events": [{"topic": "bell.rung", "schema": "./any.json", "description": "It rang."}]
        },
    )
    handler = Keep()
    logging.getLogger().addHandler(handler)
    try:
        yield asyncio.run(_play(home, records))
    finally:
        logging.getLogger().removeHandler(handler)


async def _play(home: Path, records: list[str]) -> Told:
    observer, reports = Recorder(), []
    replies = [calls(call("runtime-done", {"reason": TEXT}), call("nothing", {"apiKey": "x" * 9}))]
    async with opened(home, *replies, say(TEXT)) as host:
        events = EventLog(clock=host.ports.clock, new_epoch=lambda: "e", secrets=(KEY,))
        host.ports = replace(host.ports, secrets=(KEY,), events=events)
        session_id = await host.open_session(["leaky"])
        topics: Any = ("runtime", "state", "game", "plugin", "trace", "hooks")
        with host.events.subscribe(session_id, topics=topics) as heard:
            for name in ("raises", "refuses", "fails", "skips", "emits", "asks"):
                request = ManualRequest(
                    target=f"leaky/{name}", session_id=session_id, payload={"say": TEXT}
                )
                reports.append(await host.run(request, observer=observer))
        events_heard = [event.payload async for event in heard]
    settings = settings_of(home)
    turns = [one.turn_id for one in reports]
    views = [read_session(settings, session_id, turn_id=turn_id) for turn_id in (None, *turns)]
    traces = [read_trace(settings, session_id, turn_id, prompt=None) for turn_id in turns]
    prompt = read_trace(settings, session_id, turns[-1], prompt=1)
    assert prompt.prompt is not None
    return {
        "observer": str([event.payload for event in observer.events]),
        "subscription": str(events_heard),
        "live trace": str([event.data for event in observer.trace]),
        "reports": str([report_json(report) for report in reports[:5]]),
        "sessions show": "".join(session_text(one) for one in views[:-1]),
        "sessions show --json": str([session_json(one)["turns"] for one in views[:-1]]),
        "trace": "".join(trace_text(one) + str(trace_json(one)) for one in traces),
        "trace --call": call_text(prompt, 1),
        "trace --prompt": prompt_text(prompt.prompt) + str(prompt_json(prompt.prompt)),
    }


@pytest.mark.parametrize(
    "place",
    [
        "observer",
        "subscription",
        "live trace",
        "reports",
        "sessions show",
        "sessions show --json",
        "trace",
        "trace --call",
        "trace --prompt",
    ],
)
@pytest.mark.parametrize("secret", SECRETS)
def test_no_credential_is_told(told: Told, place: str, secret: str) -> None:
    assert told[place]
    assert secret not in told[place]


def test_what_is_told_says_that_something_was_taken_out(told: Told) -> None:
    assert "[redacted]" in told["live trace"]
    assert "[redacted]" in told["trace --prompt"]
