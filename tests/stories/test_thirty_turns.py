"""A game of thirty turns at a pseudo-terminal: what stands in the store afterwards."""

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from covel_host.store.jobs import JobRecord, list_jobs
from covel_host.store.messages import list_messages
from covel_host.store.options import StoreOptions
from covel_host.store.player_inputs import list_player_inputs
from covel_host.store.plugin_data import DataKey, get_data
from covel_host.store.reader import StoreReader
from covel_host.store.records import MessageRecord, PlayerInputRecord, SessionRecord, TurnRecord
from covel_host.store.sessions import list_sessions
from covel_host.store.suspensions import pending_suspensions
from covel_host.store.transaction import Reading
from covel_host.store.turns import list_turns

SCRIPT = Path(__file__).parents[2] / "scripts" / "play_game.py"
TURNS = 30


@dataclass
class Game:
    """What was seen, and the rows that are there."""

    seen: str
    session: SessionRecord
    messages: list[MessageRecord]
    inputs: list[PlayerInputRecord]
    turns: list[TurnRecord]
    jobs: list[JobRecord]
    waiting: int
    data: dict[str, Any]


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Game:
    home = tmp_path_factory.mktemp("game")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--home", str(home)],
        capture_output=True,
        text=True,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr + done.stdout[-3000:]
    reader = StoreReader.open(StoreOptions(path=home / "covel.db"))
    try:
        return reader.read_now(lambda reading: _read(reading, done.stdout))
    finally:
        reader.close()


def _read(reading: Reading, seen: str) -> Game:
    (session,) = list_sessions(reading)
    session_id = session.session_id

    def value(plugin_id: str, namespace: str, key: str) -> Any:
        place = DataKey(session_id=session_id, plugin_id=plugin_id, namespace=namespace, key=key)
        found = get_data(reading, place)
        return None if found is None else found.value

    return Game(
        seen=seen,
        session=session,
        messages=list_messages(reading, session_id, limit=200),
        inputs=list_player_inputs(reading, session_id),
        turns=list_turns(reading, session_id, limit=200),
        jobs=list_jobs(reading, session_id, limit=200),
        waiting=len(pending_suspensions(reading, session_id)),
        data={
            "toll": value("harbour-office", "tolls", "night"),
            "counted": value("ledger", "counts", "turns"),
        },
    )


def test_all_turns_are_told_in_order_and_the_aborted_one_left_nothing(game: Game) -> None:
    assert game.session.completed_player_turns == TURNS
    told = [one.content for one in game.messages if one.source == "runtime"]
    assert told == [
        "The ferry puts in at the quay of Salthaven, an hour late.",
        *(f"It is told what comes of turn {number}." for number in range(1, TURNS + 1)),
    ]
    said = [one.content for one in game.messages if one.source == "player"]
    assert len(said) == TURNS
    assert not any("think better" in text for text in said)
    assert "Aborted: nothing was committed." in game.seen
    (lost,) = [turn for turn in game.turns if turn.commit_status == "failed"]
    assert lost.failure is not None
    assert lost.failure["code"] == "aborted-by-player"


def test_answers_are_stored_and_said(game: Game) -> None:
    values = {one.interaction_id: one.values for one in game.inputs}
    assert values == {
        "papers": {"name": "Wren", "nights": 3},
        "berth": {"selectedId": "hold", "selectedLabel": "The dry hold"},
        "sign": {"confirmed": True},
    }
    said = {one.content for one in game.messages if one.source == "player"}
    assert {
        "I hand over my papers: Wren, for 3 nights.",
        "I take The dry hold.",
        "Asked to sign: Confirm.",
    } <= said
    assert "“Nights” must be at most 9." in game.seen


def test_the_run_that_waited_went_on_in_another_process(game: Game) -> None:
    assert game.waiting == 0
    assert game.data["toll"] == {"toll": "paid"}
    (resumed,) = [turn for turn in game.turns if turn.origin == "resume"]
    assert resumed.logical_turn == 14


def test_a_sub_agent_answered_in_every_ninth_turn(game: Game) -> None:
    runs = Counter(
        one["runtimeId"]
        for turn in game.turns
        if isinstance(turn.results, list)
        for one in turn.results
        if isinstance(one, dict) and one["status"] == "success"
    )
    assert (runs["omens"], runs["seer"]) == (3, 3)


def test_a_job_counted_every_turn_once(game: Game) -> None:
    # The opening is a turn of the main loop, too.
    assert game.data["counted"] == {"count": TURNS + 1}
    assert {job.state for job in game.jobs} == {"succeeded"}
    background = [turn for turn in game.turns if turn.origin == "background"]
    assert len(background) == TURNS + 1
