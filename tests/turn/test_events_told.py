"""What a subscription is told of turns: order, streamed text with resets, replay after a break."""

from pathlib import Path
from typing import Any

from covel_host.trace.event_payloads import EVENT_PAYLOADS
from covel_host.trace.events import SessionEvent
from tests.support.casts import Table, agent, at_table, cast, story
from tests.support.replies import call, calls, done, say

POST = {"stage": "post-turn"}
TOPICS: Any = ("runtime", "state", "game", "plugin", "session", "trace", "hooks")
NOTIFIES = {"agent": {"tools": {"builtin": ["create-notification"]}}}


def deltas(events: list[SessionEvent]) -> list[tuple[Any, Any]]:
    return [
        (event.payload["delta"], event.payload.get("reset"))
        for event in events
        if event.type == "narrative.delta"
    ]


async def heard_in(table: Table, after: str | None = None, turns: int = 1) -> list[SessionEvent]:
    with table.host.events.subscribe(table.session_id, after=after, topics=TOPICS) as events:
        for _ in range(turns):
            await table.play()
    return [event async for event in events]


def test_a_draft_is_taken_back_and_the_commit_has_the_final_text(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(**NOTIFIES), "track": agent(schedule=POST)})
    draft = say(
        "Let me see.",
        call("create-notification", {"level": "info", "title": "Hm", "message": "Hm."}),
    )
    events = at_table(tmp_path, heard_in, draft, say("Rain fell."), say("I noted that."))
    told = deltas(events)
    reset = told.index(("", True))
    assert "".join(text for text, _ in told[:reset]) == "Let me see."
    assert "".join(text for text, _ in told[reset + 1 :]) == "Rain fell."
    assert all(
        event.payload["runtimeId"] == "tale/told"
        for event in events
        if event.type == "narrative.delta"
    )
    [completed] = [event for event in events if event.type == "narrative.completed"]
    assert completed.payload["content"] == "Rain fell."
    types = [event.type for event in events]
    assert types.index("narrative.completed") > types.index("runtime.completed")
    assert types[-1] == "execution.completed"


def test_every_event_has_its_members_and_rising_numbers(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story(**NOTIFIES), "track": agent(schedule=POST)})
    replies = [
        calls(call("create-notification", {"level": "info", "title": "Hm", "message": "Hm."})),
        say("Rain."),
        done(),
    ]

    async def body(table: Table) -> list[SessionEvent]:
        return await heard_in(table, turns=2)

    events = at_table(tmp_path, body, *replies, *replies)
    for event in events:
        EVENT_PAYLOADS[event.type].model_validate(event.payload)
    numbers = [event.seq for event in events if event.seq is not None]
    assert numbers == list(range(1, len(numbers) + 1))
    told = {event.type for event in events}
    assert {"llm.calling", "tool.calling", "narrative.delta", "ui.rendered"} <= told


def test_after_a_break_what_was_missed_comes_once_more(tmp_path: Path) -> None:
    cast(tmp_path, "tale", {"told": story()})

    async def body(table: Table) -> tuple[list[str | None], list[str | None]]:
        first = await heard_in(table)
        middle = [event for event in first if event.event_id is not None][2]
        await table.play()
        again = table.host.events.subscribe(table.session_id, after=middle.event_id)
        again.close()
        rest = [event.event_id async for event in again]
        return [event.event_id for event in first if event.event_id], rest[1:]

    first, rest = at_table(tmp_path, body, say("Rain."), say("Sun."))
    epoch = str(first[0]).partition(":")[0]
    assert rest == [f"{epoch}:{number}" for number in range(4, 4 + len(rest))]
    assert rest[: len(first) - 3] == first[3:]
    assert len(rest) > len(first)
