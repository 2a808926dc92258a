"""A story of ten turns: what stands in the store afterwards, turn by turn."""

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest

from covel_host.store.characters import every_character
from covel_host.store.messages import list_messages
from covel_host.store.plugin_data import list_data
from covel_host.store.records import MessageRecord, SessionRecord, TraceRecord, TurnRecord
from covel_host.store.session_clock import SessionClock, read_clock
from covel_host.store.sessions import require_session
from covel_host.store.traces import list_trace
from covel_host.store.transaction import Reading
from covel_host.store.turns import list_turns
from covel_host.trace.events import SessionEvent
from covel_host.turn.turns import TurnReport
from tests.support.hosts import Recorder
from tests.support.stories import COST, USAGE, StoryTable, story_table, story_turns

ALWAYS = ["tide-clock", "narrator", "chronicle/deeds"]
BELL = (3, 9)
NAMED = (2, 3, 4, 8)


@dataclass
class Story:
    """The reports of the ten turns, what was told of each, and the rows they left."""

    reports: list[TurnReport]
    events: list[list[SessionEvent]]
    session: SessionRecord
    messages: list[MessageRecord]
    turns: list[TurnRecord]
    traces: list[list[TraceRecord]]
    clock: SessionClock
    data: dict[str, dict[str, Any]]
    characters: list[Any]
    requests: list[str]

    def runs(self, number: int) -> dict[str, str]:
        """The status of each runtime of turn `number`."""
        results = self.reports[number - 1].executions[0].results
        return {one.runtime_id: one.status for one in results}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    async def main() -> Story:
        async with story_table(tmp_path_factory.mktemp("home")) as table:
            reports, events = [], []
            for turn in story_turns():
                observer = Recorder()
                reports.append(await table.play(turn, observer=observer))
                events.append(observer.events)
            return _read(table, reports, events)

    return asyncio.run(main())


def _read(table: StoryTable, reports: list[TurnReport], events: list[list[SessionEvent]]) -> Story:
    session_id = table.session_id
    namespaces = {
        "clock": "tide-clock",
        "bells": "harbour",
        "people": "chronicle",
        "deeds": "chronicle",
    }

    def rows(reading: Reading) -> Story:
        turn_ids = [report.executions[0].turn_id for report in reports]
        by_id = {turn.turn_id: turn for turn in list_turns(reading, session_id)}
        return Story(
            reports=reports,
            events=events,
            session=require_session(reading, session_id),
            messages=list_messages(reading, session_id),
            turns=[by_id[turn_id] for turn_id in turn_ids],
            traces=[list_trace(reading, session_id, turn_id) for turn_id in turn_ids],
            clock=read_clock(reading, session_id),
            data={
                name: {row.key: row.value for row in list_data(reading, session_id, owner, name)}
                for name, owner in namespaces.items()
            },
            characters=list(every_character(reading, session_id)),
            requests=[
                "\n".join(message.text for message in one.messages) for one in table.model.requests
            ],
        )

    return table.host.ports.store.read_now(rows)


def test_every_turn_is_committed_and_counts(story: Story) -> None:
    assert all(report.committed for report in story.reports)
    assert [turn.logical_turn for turn in story.turns] == [*range(1, 11)]
    assert (story.session.completed_player_turns, story.session.phase) == (10, "playing")


def test_the_journal_is_what_the_player_said_and_the_narrator_told(story: Story) -> None:
    assert [(one.source, one.content) for one in story.messages] == [
        line
        for turn in story_turns()
        for line in (("player", turn["say"]), ("runtime", turn["narrator"][-1]["text"]))
    ]


def test_a_message_stands_under_the_seat_that_said_it(story: Story) -> None:
    said = [one for one in story.messages if one.source == "player"]
    assert [one.data.get("seatId") for one in said] == [turn.get("seat") for turn in story_turns()]


def test_each_turn_runs_what_it_is_for(story: Story) -> None:
    for number in range(1, 11):
        runs = story.runs(number)
        assert all(runs[name] == "success" for name in ALWAYS), number
        assert ("harbour/watch" in runs) == (number in BELL)
        assert (runs["chronicle/people"] == "success") == (number in NAMED)
        assert ("seer" in runs) == (number == 3)


def test_a_guard_that_names_a_reason_to_skip_costs_no_model_call(story: Story) -> None:
    skipped = [one for one in story.reports[0].executions[0].results if one.status == "skipped"]
    assert [(one.runtime_id, one.output, one.model_use.calls) for one in skipped] == [
        ("chronicle/people", {"people": 0}, 0)
    ]


def test_the_trackers_data_is_there_for_each_turn(story: Story) -> None:
    deeds = story.data["deeds"]
    assert set(deeds) == {f"turn-{number}" for number in range(1, 11)}
    for number, turn in enumerate(story_turns(), start=1):
        words = len(turn["narrator"][-1]["text"].split())
        assert deeds[f"turn-{number}"] == {"said": turn["say"], "words": words}
    assert set(story.data["people"]) == {"hanne", "joss"}
    assert story.data["clock"]["current"]["hour"] == (17 + 10) % 24


def test_what_the_sub_agent_said_is_in_the_record_that_asked_for_it(story: Story) -> None:
    omen = "Somebody who crosses tonight does not come back the same."
    assert story.data["people"]["hanne"]["omen"] == omen
    results = story.turns[2].results
    assert isinstance(results, list)
    [nested] = [one for one in results if isinstance(one, dict) and one.get("origin")]
    assert (nested["runtimeId"], nested["origin"]) == ("seer", "subagent")


def test_an_event_of_the_narrator_starts_its_follower_in_the_same_turn(story: Story) -> None:
    assert story.data["bells"] == {
        "turn-3": {"by": "Hanne", "strokes": 3},
        "turn-9": {"by": "a boy", "strokes": 1},
    }
    order = [one.runtime_id for one in story.reports[2].executions[0].results]
    assert order.index("narrator") < order.index("harbour/watch") < order.index("chronicle/deeds")


def test_the_people_that_were_met_are_characters(story: Story) -> None:
    [hanne] = story.characters
    assert (hanne["name"], hanne["type"]) == ("Hanne", "npc")


def test_the_ledger_counts_the_runs_that_were_committed(story: Story) -> None:
    runs = {row.runtime_id: (row.runs, row.last_turn) for row in story.clock.triggers.values()}
    assert runs == {
        "tide-clock": (10, 10),
        "narrator": (10, 10),
        "chronicle/deeds": (10, 10),
        "chronicle/people": (4, 8),
        "harbour/watch": (2, 9),
    }


def test_each_turn_tells_its_clients_its_beginning_and_its_commit(story: Story) -> None:
    for events in story.events:
        types = [event.type for event in events]
        assert (types[0], types[-1]) == ("execution.started", "execution.completed")
        assert events[-1].payload["committed"] is True
        assert types.count("runtime.started") == types.count("runtime.completed")


def test_tokens_and_costs_are_those_of_the_models_replies(story: Story) -> None:
    for number, turn in enumerate(story_turns(), start=1):
        replies = sum(len(turn.get(name, ())) for name in ("narrator", "people", "seer"))
        results = story.reports[number - 1].executions[0].results
        assert sum(one.model_use.calls for one in results) == replies, number
        assert sum(one.model_use.input_tokens for one in results) == replies * USAGE.input_tokens
        told = [row for row in story.traces[number - 1] if row.type == "llm.responded"]
        assert len(told) == replies
        assert [row.data["cost"]["amount"] for row in told] == [COST.amount] * replies


def test_the_narrator_is_told_the_hour_and_who_is_there(story: Story) -> None:
    asked = next(one for one in story.requests if "I push off." in one)
    assert '"summary":"It is 00:00; the tide: flood."' in asked
    assert '{"name":"Hanne","type":"npc","description":"Keeps the toll house' in asked
