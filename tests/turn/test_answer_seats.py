"""Who answers: a seat of the session, the default one when none is named."""

from pathlib import Path
from typing import Any

import pytest

from covel_host.store.outside_inputs import list_outside_inputs
from covel_host.store.records import SeatRecord
from covel_host.store.seats import put_seat
from covel_host.turn.answer_errors import AnswerRefused
from covel_host.turn.answering import AnswersRequest
from tests.support.actions import Table, at_table
from tests.turn.test_answers import FORM, ask, sheet, write_home


async def answered_by(table: Table, seat_id: str | None, turn_id: str) -> None:
    named: dict[str, Any] = {} if seat_id is None else {"seat_id": seat_id}
    answers = (sheet(turn_id, name="Wren"),)
    await table.host.answer(AnswersRequest(session_id=table.session_id, answers=answers, **named))


def seated(table: Table, seat_id: str) -> None:
    seat = SeatRecord(session_id=table.session_id, seat_id=seat_id, label="Two")
    table.host.ports.store.transaction_now(
        lambda transaction: put_seat(transaction, seat, revision=1)
    )


@pytest.mark.parametrize("seat_id", [None, "seat-1", "seat-2"])
def test_a_seat_of_the_session_answers_and_is_remembered(
    tmp_path: Path, seat_id: str | None
) -> None:
    async def body(table: Table) -> None:
        seated(table, "seat-2")
        await answered_by(table, seat_id, await ask(table, FORM))
        [*_, audit] = table.host.ports.store.read_now(
            lambda reading: list_outside_inputs(reading, table.session_id)
        )
        assert audit.metadata["seatId"] == (seat_id or "seat-1")
        assert audit.metadata["kind"] == "act"

    at_table(write_home(tmp_path), body)


@pytest.mark.parametrize("seat_id", ["seat-2", "", "SEAT-1"])
def test_nobody_answers_from_a_seat_that_is_not_there(tmp_path: Path, seat_id: str) -> None:
    async def body(table: Table) -> None:
        turn_id = await ask(table, FORM)
        with pytest.raises(AnswerRefused) as refused:
            await answered_by(table, seat_id, turn_id)
        assert refused.value.code == "invalid_action"
        assert table.inputs() == []

    at_table(write_home(tmp_path), body)
