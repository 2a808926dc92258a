"""Which job is claimed next: a pure rule."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from covel_host.store.jobs import ACTIVE, OPEN, TERMINAL, TRANSITIONS, JobRecord, JobState
from covel_host.turn.job_rules import end_of_overdue, is_overdue, next_job

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def job(session_id: str, sequence: int, runtime_id: str, state: JobState = "queued") -> JobRecord:
    return JobRecord(
        session_id=session_id,
        job_id=f"{session_id}-{sequence}",
        plugin_id="p",
        runtime_id=runtime_id,
        activation="stage",
        source_turn_id="t",
        created_at=NOW,
        facts={},
        input={},
        sequence=sequence,
        state=state,
    )


SESSIONS = ("a", "b", "c")
RUNTIMES = ("p/x", "p/y")
QUEUES = st.lists(st.tuples(st.sampled_from(SESSIONS), st.sampled_from(RUNTIMES)), max_size=30)


def queue(places: list[tuple[str, str]]) -> list[JobRecord]:
    numbered = [job(place[0], number, place[1]) for number, place in enumerate(places)]
    return sorted(numbered, key=lambda one: (one.session_id, one.sequence))


@given(places=QUEUES)
def test_all_jobs_are_claimed_once_and_those_of_a_runtime_in_order(
    places: list[tuple[str, str]],
) -> None:
    left, claims = queue(places), dict[str, datetime]()
    claimed: list[JobRecord] = []
    while (one := next_job(left, claims, now=NOW)) is not None:
        claims[one.session_id] = NOW + timedelta(seconds=len(claimed))
        claimed.append(one)
        left.remove(one)
    assert left == []
    assert len(claimed) == len(places)
    for session_id in SESSIONS:
        for runtime_id in RUNTIMES:
            order = [
                one.sequence
                for one in claimed
                if (one.session_id, one.runtime_id) == (session_id, runtime_id)
            ]
            assert order == sorted(order)


@given(places=QUEUES)
def test_no_session_waits_while_another_is_served_twice(places: list[tuple[str, str]]) -> None:
    left, claims = queue(places), dict[str, datetime]()
    served: list[str] = []
    while (one := next_job(left, claims, now=NOW)) is not None:
        waiting = {other.session_id for other in left} - {one.session_id}
        for session_id in waiting & set(served):
            # Since this session was served last, the others that wait were not served twice.
            since = served[len(served) - 1 - served[::-1].index(session_id) :]
            assert since.count(one.session_id) <= 1
        claims[one.session_id] = NOW + timedelta(seconds=len(served))
        served.append(one.session_id)
        left.remove(one)


@given(places=QUEUES, active=st.sampled_from(ACTIVE))
def test_of_one_runtime_of_a_session_one_job_is_active(
    places: list[tuple[str, str]], active: JobState
) -> None:
    jobs = [replace(one, state=active) if one.sequence == 0 else one for one in queue(places)]
    found = next_job(jobs, {}, now=NOW)
    first = next((one for one in jobs if one.sequence == 0), None)
    if found is not None and first is not None:
        assert (found.session_id, found.runtime_id) != (first.session_id, first.runtime_id)


def test_a_runtime_that_is_busy_here_is_left_out() -> None:
    jobs = [job("a", 1, "p/x"), job("b", 1, "p/y")]
    found = next_job(jobs, {}, now=NOW, busy=frozenset({"p/x"}))
    assert found == jobs[1]


def test_what_waited_too_long_is_not_claimed() -> None:
    late = replace(job("a", 1, "p/x"), queue_until=NOW - timedelta(seconds=1))
    assert next_job([late], {}, now=NOW) is None
    assert is_overdue(late, NOW)
    assert end_of_overdue(late) == "timed_out"


def test_a_job_whose_owner_is_silent_is_an_orphan() -> None:
    silent = replace(
        job("a", 1, "p/x", "running"), lease_owner="w", lease_until=NOW - timedelta(seconds=1)
    )
    assert is_overdue(silent, NOW)
    assert end_of_overdue(silent) == "orphaned"
    assert not is_overdue(replace(silent, lease_until=NOW), NOW)


def test_every_open_state_has_transitions_and_no_end_has() -> None:
    assert set(TRANSITIONS) == set(OPEN)
    assert all(after <= {*OPEN, *TERMINAL} for after in TRANSITIONS.values())
