"""What a character has witnessed: it speaks, it was delegated to, or its seat acted."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from covel_host.runtime.lived_history import lived_history
from covel_host.runtime.session_reads import SessionReads
from covel_host.runtime.witnessed import Witness
from covel_host.store.messages import append_messages
from covel_host.store.records import MessageRecord, SeatRecord, TurnRecord
from covel_host.store.turns import put_turn
from plugin_sdk.errors import ToolError
from tests.runtime.conftest import BenchMaker
from tests.support.runs import AT, RunBench
from tests.support.worlds import world_of

MARA: Any = {"id": "npc-mara", "name": "Mara", "aliases": ["The Keeper"], "type": "npc"}
SEAT = SeatRecord(session_id="s1", seat_id="seat-1", label="Seat 1", character_id="npc-mara")


def told(bench: RunBench, turn: str, *segments: dict[str, str], said: str | None = None) -> None:
    """One committed turn: what a player said, and what was told."""
    rows: list[Any] = []
    if said is not None:
        rows.append(("player", "user", None, said, {}))
    story = " ".join(segment["text"] for segment in segments) or f"{turn} was told."
    rows.append(("runtime", "assistant", "narrative", story, {"segments": [*segments]}))
    messages = [
        MessageRecord(
            message_id=f"{turn}-{position}",
            session_id="s1",
            turn_id=turn,
            revision=0,
            source=source,
            role=role,
            kind=kind,
            content=content,
            data=data,
            created_at=AT + timedelta(seconds=position),
        )
        for position, (source, role, kind, content, data) in enumerate(rows)
    ]
    bench.store.transaction_now(lambda transaction: append_messages(transaction, messages))


def delegated(bench: RunBench, turn: str, status: str = "success") -> None:
    record = TurnRecord(
        session_id="s1",
        turn_id=turn,
        origin="player",
        logical_turn_id=turn,
        logical_turn=1,
        commit_status="committed",
        revision=0,
        results=[{"status": "success"}, {"status": status, "characterId": "npc-mara"}],
        started_at=AT,
        finished_at=AT,
    )
    bench.store.transaction_now(lambda transaction: put_turn(transaction, record))


def lived(bench: RunBench, *seats: SeatRecord, limit: int = 100) -> list[str]:
    reads = SessionReads(bench.store, bench.session)
    found = asyncio.run(reads.witnessed(Witness(MARA, seats), limit=limit))
    return [message.content for message in found]


def test_a_turn_in_which_it_speaks_is_lived_through(bench: BenchMaker) -> None:
    made = bench()
    told(made, "t1", {"text": "Aye.", "speaker": "the keeper"}, said="Hello?")
    told(made, "t2", {"text": "No.", "speaker": "Odd"}, said="And you?")
    told(made, "t3", {"text": "Gone.", "speaker": "npc-mara"})
    assert lived(made) == ["Hello?", "Aye.", "Gone."]
    assert lived(made, limit=2) == ["Aye.", "Gone."]


def test_a_turn_in_which_it_was_delegated_to_is_too(bench: BenchMaker) -> None:
    made = bench()
    for turn in ("t1", "t2", "t3"):
        told(made, turn)
    delegated(made, "t2")
    delegated(made, "t3", status="failed")
    assert lived(made) == ["t2 was told."]


def test_turns_in_which_its_seat_acted_are_too(bench: BenchMaker) -> None:
    made = bench()
    told(made, "t1", said="I knock.")
    told(made, "t2")
    assert lived(made, SEAT) == ["I knock.", "t1 was told."]
    assert lived(made) == []


def test_a_long_story_is_read_page_by_page(bench: BenchMaker) -> None:
    made = bench()
    for number in range(600):
        told(
            made, f"t{number}", {"text": f"{number}", "speaker": "Mara" if number % 3 == 0 else "O"}
        )
    assert lived(made, limit=500) == [str(number) for number in range(0, 600, 3)]
    assert lived(made, limit=3) == ["591", "594", "597"]


@pytest.mark.parametrize("limit", [0, 501, True, "5"])
def test_a_limit_is_a_number_in_its_bounds(bench: BenchMaker, limit: Any) -> None:
    made = bench()

    async def main() -> object:
        run = made.run(staging=made.staging(world=world_of([MARA])))
        return await lived_history(run, "npc-mara", limit=limit)

    with pytest.raises(ToolError, match="limit"):
        asyncio.run(main())
