"""A session changes between turns: one commit each, under the locks, and never after its end."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from covel_host.base.errors import HostError
from covel_host.cli.session_desk import Desk
from covel_host.store.characters import put_character
from covel_host.store.errors import SessionNotFoundError
from covel_host.store.execution_lock import ExecutionLockTakenError
from covel_host.store.records import SeatRecord
from covel_host.store.seats import every_seat
from covel_host.store.session_choices import read_model_overrides
from covel_host.store.session_clock import read_clock, write_clock
from covel_host.store.sessions import insert_session, require_session
from covel_host.store.setup_states import SetupBlocked, SetupDone, SetupPending, SetupState
from covel_host.store.snapshots import session_at_revision
from covel_host.store.store import Store
from covel_host.turn.errors import RequestRefused
from covel_host.turn.schedule_setup_records import SetupNotBlockedError
from covel_host.turn.session_changes import (
    Changed,
    change_session,
    end_session,
    pause_session,
    resume_session,
)
from covel_host.turn.session_forks import drop_taken, fork_from, take_snapshot
from covel_host.turn.session_models import (
    MAX_MODEL_OVERRIDES,
    set_model_override,
    unset_model_override,
)
from covel_host.turn.session_seats import MAX_SEATS, NOBODY, set_seat
from covel_host.turn.session_setup import WAIVED_WARNING, retry_setup, waive_setup
from covel_host.turn.session_state import read_session_state
from tests.store.builders import at, options, session
from tests.support.session_desks import at_desk, desk_on

SLOTS = ("default", "fast")
BLOCKED = SetupBlocked(
    plugin_version="1.0.0", reason="attempts-used-up", blocked_at=at(), generation=2, attempts=3
)


def test_pause_and_resume_are_commits_and_repeat_without_one(tmp_path: Path) -> None:
    async def body(desk: Desk) -> list[Changed]:
        changes = (pause_session, pause_session, resume_session, resume_session)
        return [await change(desk, "s1") for change in changes]

    outcomes, after = at_desk(tmp_path, body)
    assert [one.has_changed for one in outcomes] == [True, False, True, False]
    assert [one.session.status for one in outcomes] == ["paused", "paused", "active", "active"]
    assert after is not None
    assert after.revision == 2


def test_an_older_snapshot_keeps_the_status_it_had(tmp_path: Path) -> None:
    async def body(desk: Desk) -> str:
        taken = await take_snapshot(desk, "s1")
        await end_session(desk, "s1")
        now = await desk.store.read(
            lambda reading: session_at_revision(reading, "s1", taken.revision)
        )
        return now.status

    status, after = at_desk(tmp_path, body)
    assert status == "active"
    assert after is not None
    assert after.status == "ended"


async def set_fast(desk: Desk, session_id: str) -> Changed:
    return await set_model_override(desk, session_id, "a/b", "fast", runtimes=("a/b",), slots=SLOTS)


async def unset(desk: Desk, session_id: str) -> Changed:
    return await unset_model_override(desk, session_id, "a/b")


async def retry(desk: Desk, session_id: str) -> Changed:
    return await retry_setup(desk, session_id, "a/b", setup_runtimes=("a/b",))


async def seat(desk: Desk, session_id: str) -> Changed:
    return await set_seat(desk, session_id, "seat-2", label="Guest")


CHANGES = (pause_session, resume_session, end_session, set_fast, unset, retry, seat)


@pytest.mark.parametrize("change", CHANGES)
def test_an_ended_session_never_changes_again(tmp_path: Path, change: Any) -> None:
    async def body(desk: Desk) -> str:
        with pytest.raises(RequestRefused) as refused:
            await change(desk, "s1")
        return refused.value.code

    code, after = at_desk(tmp_path, body, status="ended")
    assert code == "session-ended"
    assert after == session(status="ended")


@pytest.mark.parametrize("change", CHANGES)
def test_a_session_whose_deletion_has_begun_changes_no_more(tmp_path: Path, change: Any) -> None:
    async def body(desk: Desk) -> str:
        with pytest.raises(RequestRefused) as refused:
            await change(desk, "s1")
        return refused.value.code

    code, _ = at_desk(tmp_path, body, status="paused", metadata={"deleting": True})
    assert code == "session-deleting"


@pytest.mark.parametrize("change", [*CHANGES, fork_from, take_snapshot])
@pytest.mark.parametrize("session_id", ["nobody", "", "s1\x00", "../s1", "\udcff", "x" * 5000])
def test_a_session_that_is_not_there_is_told(tmp_path: Path, change: Any, session_id: str) -> None:
    async def body(desk: Desk) -> bool:
        with pytest.raises(HostError) as refused:
            await change(desk, session_id)
        return isinstance(refused.value, SessionNotFoundError) or session_id == "\udcff"

    is_told, after = at_desk(tmp_path, body)
    assert is_told
    assert after == session()


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_waits_for_what_runs_in_the_session(tmp_path: Path, change: Any) -> None:
    async def body(desk: Desk) -> bool:
        async with desk.session_locks.held("s1"):
            changing = asyncio.ensure_future(change(desk, "s1"))
            await asyncio.sleep(0)
            found = await desk.store.read(lambda reading: require_session(reading, "s1"))
            waited = not changing.done() and found == session()
        await changing
        return waited

    waited, _ = at_desk(tmp_path, body)
    assert waited


@pytest.mark.parametrize("change", [*CHANGES, fork_from, take_snapshot])
def test_another_process_that_executes_keeps_changes_away(tmp_path: Path, change: Any) -> None:
    async def body(desk: Desk) -> None:
        other = desk_on(desk.store, limit_ms=1)
        async with desk.lock.held():
            with pytest.raises(ExecutionLockTakenError):
                await change(other, "s1")

    _, after = at_desk(tmp_path, body)
    assert after == session()


def test_changes_at_once_all_count(tmp_path: Path) -> None:
    runtimes = [f"a/r{number}" for number in range(20)]

    async def body(desk: Desk) -> dict[str, str]:
        await asyncio.gather(
            *(
                set_model_override(desk, "s1", one, "fast", runtimes=runtimes, slots=SLOTS)
                for one in runtimes
            ),
            pause_session(desk, "s1"),
        )
        return await desk.store.read(lambda reading: read_model_overrides(reading, "s1"))

    slots, after = at_desk(tmp_path, body)
    assert slots == dict.fromkeys(runtimes, "fast")
    assert after is not None
    assert (after.status, after.revision) == ("paused", 21)


def test_a_slot_is_chosen_changed_and_taken_back(tmp_path: Path) -> None:
    async def body(desk: Desk) -> list[tuple[bool, dict[str, str]]]:
        steps = []
        for slot in ("fast", "fast", "default", None, None):
            if slot is None:
                changed = await unset_model_override(desk, "s1", "a/b")
            else:
                changed = await set_model_override(
                    desk, "s1", "a/b", slot, runtimes=("a/b",), slots=SLOTS
                )
            now = await desk.store.read(lambda reading: read_model_overrides(reading, "s1"))
            steps.append((changed.has_changed, now))
        return steps

    steps, _ = at_desk(tmp_path, body)
    assert steps == [
        (True, {"a/b": "fast"}),
        (False, {"a/b": "fast"}),
        (True, {"a/b": "default"}),
        (True, {}),
        (False, {}),
    ]


@pytest.mark.parametrize(
    ("runtime_id", "slot", "code", "hint"),
    [
        ("a/c", "fast", "runtime-not-found", "a/b"),
        ("a/b", "fats", "slot-not-found", "fast"),
        ("", "", "runtime-not-found", "a/b"),
    ],
)
def test_only_runtimes_and_slots_that_exist_go_together(
    tmp_path: Path, runtime_id: str, slot: str, code: str, hint: str
) -> None:
    async def body(desk: Desk) -> RequestRefused:
        with pytest.raises(RequestRefused) as refused:
            await set_model_override(desk, "s1", runtime_id, slot, runtimes=("a/b",), slots=SLOTS)
        return refused.value

    refusal, after = at_desk(tmp_path, body)
    assert refusal.code == code
    assert hint in (refusal.hint or "")
    assert after == session()


def test_a_session_has_at_most_64_model_overrides(tmp_path: Path) -> None:
    runtimes = [f"a/r{number}" for number in range(MAX_MODEL_OVERRIDES + 1)]

    async def body(desk: Desk) -> str:
        for one in runtimes[:-1]:
            await set_model_override(desk, "s1", one, "fast", runtimes=runtimes, slots=SLOTS)
        with pytest.raises(RequestRefused) as refused:
            await set_model_override(
                desk, "s1", runtimes[-1], "fast", runtimes=runtimes, slots=SLOTS
            )
        await set_model_override(desk, "s1", runtimes[0], "default", runtimes=runtimes, slots=SLOTS)
        return refused.value.code

    code, _ = at_desk(tmp_path, body)
    assert code == "too-many-overrides"


def decided(
    folder: Path, decision: Any, state: SetupState | None, *, runtime_id: str = "a/s"
) -> SetupState | HostError | None:
    """What becomes of the setup runtime `a/s` that has that state."""

    async def body(desk: Desk) -> SetupState | HostError | None:
        if state is not None:
            await desk.store.transaction(
                lambda transaction: write_clock(
                    transaction, "s1", setup={"a/s": state}, revision=0, at=at()
                )
            )
        try:
            await decision(desk, "s1", runtime_id, setup_runtimes=("a/s",))
        except HostError as error:
            return error
        clock = await desk.store.read(lambda reading: read_clock(reading, "s1"))
        assert clock.phase == "setup"
        return clock.setup.get("a/s")

    found, _ = at_desk(folder, body, phase="setup")
    return found


def test_a_retry_makes_a_blocked_setup_pending_in_the_next_generation(tmp_path: Path) -> None:
    assert decided(tmp_path, retry_setup, BLOCKED) == SetupPending(
        plugin_version="1.0.0", generation=3
    )


def test_a_waiver_makes_a_blocked_setup_done_with_a_warning(tmp_path: Path) -> None:
    done = decided(tmp_path, waive_setup, BLOCKED)
    assert isinstance(done, SetupDone)
    assert (done.resolution, done.warning) == ("waived", WAIVED_WARNING)
    assert (done.generation, done.attempts) == (2, 3)


@pytest.mark.parametrize("state", [None, SetupPending(plugin_version="1.0.0", attempts=1)])
def test_a_retry_of_a_pending_setup_changes_nothing(
    tmp_path: Path, state: SetupState | None
) -> None:
    assert decided(tmp_path, retry_setup, state) == state


@pytest.mark.parametrize(
    ("decision", "state"),
    [
        (waive_setup, None),
        (waive_setup, SetupPending(plugin_version="1.0.0")),
        (waive_setup, SetupDone(plugin_version="1.0.0", completed_at=at())),
        (retry_setup, SetupDone(plugin_version="1.0.0", completed_at=at())),
    ],
)
def test_what_is_not_blocked_is_not_decided_about(
    tmp_path: Path, decision: Any, state: SetupState | None
) -> None:
    assert isinstance(decided(tmp_path, decision, state), SetupNotBlockedError)


def test_a_setup_runtime_that_is_not_there_is_told(tmp_path: Path) -> None:
    refused = decided(tmp_path, retry_setup, BLOCKED, runtime_id="a/x")
    assert isinstance(refused, RequestRefused)
    assert refused.code == "setup-runtime-not-found"
    assert "'a/s'" in refused.message


def test_a_blocked_setup_of_a_package_that_is_gone_can_be_waived(tmp_path: Path) -> None:
    async def body(desk: Desk) -> str:
        await desk.store.transaction(
            lambda transaction: write_clock(
                transaction, "s1", setup={"gone/s": BLOCKED}, revision=0, at=at()
            )
        )
        await waive_setup(desk, "s1", "gone/s", setup_runtimes=())
        clock = await desk.store.read(lambda reading: read_clock(reading, "s1"))
        return clock.setup["gone/s"].state

    state, _ = at_desk(tmp_path, body)
    assert state == "done"


def test_seats_are_added_renamed_and_given_characters(tmp_path: Path) -> None:
    async def body(desk: Desk) -> list[SeatRecord]:
        for record in (
            {"id": "ada", "name": "Ada", "type": "player", "version": 1},
            {"id": "lin", "name": "Lin", "type": "npc", "version": 1},
        ):
            await desk.store.transaction(
                lambda transaction, record=record: put_character(  # type: ignore[misc]
                    transaction, "s1", record, revision=0
                )
            )
        await set_seat(desk, "s1", "seat-2", character_id="ada")
        await set_seat(desk, "s1", "seat-2", label="Guest")
        await set_seat(desk, "s1", "seat-3", label="Empty")
        again = await set_seat(desk, "s1", "seat-3", character_id=NOBODY)
        assert not again.has_changed
        for wrong in ("lin", "nobody"):
            with pytest.raises(RequestRefused, match=f"no player character '{wrong}'"):
                await set_seat(desk, "s1", "seat-2", character_id=wrong)
        return await desk.store.read(lambda reading: every_seat(reading, "s1"))

    seats, _ = at_desk(tmp_path, body)
    assert seats == [
        SeatRecord(session_id="s1", seat_id="seat-2", label="Guest", character_id="ada"),
        SeatRecord(session_id="s1", seat_id="seat-3", label="Empty"),
    ]


@pytest.mark.parametrize("seat_id", ["", "  ", "x" * 101])
def test_a_seat_needs_a_name_of_some_length(tmp_path: Path, seat_id: str) -> None:
    async def body(desk: Desk) -> str:
        with pytest.raises(RequestRefused) as refused:
            await set_seat(desk, "s1", seat_id)
        return refused.value.code

    assert at_desk(tmp_path, body)[0] == "seat-invalid"


def test_a_session_has_a_bounded_number_of_seats(tmp_path: Path) -> None:
    async def body(desk: Desk) -> int:
        for number in range(MAX_SEATS):
            await set_seat(desk, "s1", f"seat-{number}")
        with pytest.raises(RequestRefused, match="most there can be"):
            await set_seat(desk, "s1", "one-more")
        await set_seat(desk, "s1", "seat-0", label="Still")
        return len(await desk.store.read(lambda reading: every_seat(reading, "s1")))

    assert at_desk(tmp_path, body)[0] == MAX_SEATS


def test_a_fork_goes_on_from_an_ended_session_and_from_a_fork(tmp_path: Path) -> None:
    async def body(desk: Desk) -> list[tuple[str, int]]:
        await set_fast(desk, "s1")
        await end_session(desk, "s1")
        first = await fork_from(desk, "s1")
        second = await fork_from(desk, first.session_id)
        await resume_session(desk, second.session_id)
        state = await desk.store.read(
            lambda reading: read_session_state(reading, second.session_id)
        )
        assert state.model_slots == {"a/b": "fast"}
        return [(first.status, first.revision), (state.session.status, state.session.revision)]

    statuses, _ = at_desk(tmp_path, body)
    assert statuses == [("paused", 2), ("active", 3)]


def test_a_fork_begins_at_the_snapshot_that_is_named(tmp_path: Path) -> None:
    async def body(desk: Desk) -> tuple[dict[str, str], str]:
        taken = await take_snapshot(desk, "s1")
        await set_fast(desk, "s1")
        forked = await fork_from(desk, "s1", snapshot_id=taken.snapshot_id)
        await drop_taken(desk, "s1", taken.snapshot_id)
        with pytest.raises(RequestRefused) as refused:
            await fork_from(desk, "s1", snapshot_id=taken.snapshot_id)
        slots = await desk.store.read(
            lambda reading: read_model_overrides(reading, forked.session_id)
        )
        return dict(slots), refused.value.code

    assert at_desk(tmp_path, body)[0] == ({}, "snapshot-not-found")


def test_a_snapshot_of_another_session_is_none_of_this_one(tmp_path: Path) -> None:
    async def body(desk: Desk) -> list[str]:
        other = await fork_from(desk, "s1")
        taken = await take_snapshot(desk, other.session_id)
        codes = []
        for asked in (
            fork_from(desk, "s1", snapshot_id=taken.snapshot_id),
            drop_taken(desk, "s1", taken.snapshot_id),
        ):
            with pytest.raises(RequestRefused) as refused:
                await asked
            codes.append(refused.value.code)
        return codes

    assert at_desk(tmp_path, body)[0] == ["snapshot-not-found"] * 2


def test_a_body_that_fails_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    store = Store.open(options(tmp_path))
    store.transaction_now(lambda transaction: insert_session(transaction, session()))
    desk = desk_on(store)

    async def main() -> None:
        def change(transaction: Any, place: Any) -> Any:
            put_character(transaction, "s1", {"id": "x"}, revision=place.revision)
            raise RuntimeError("no")

        with pytest.raises(RuntimeError):
            await change_session(desk, "s1", change)
        await pause_session(desk, "s1")

    asyncio.run(main())
    found = store.read_now(lambda reading: require_session(reading, "s1"))
    store.close()
    assert found.revision == 1
