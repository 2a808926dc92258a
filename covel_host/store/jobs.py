"""The durable queue of jobs: rows, claims and transitions by compare-and-set.

A job is owned by whoever holds its lease. Every transition names the state and the owner that it
starts from, so of several processes one alone makes it (spec/execution.md 9.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias, get_args

from sqlalchemy import and_, bindparam, delete, func, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from covel_host.base.json_text import dump_json
from covel_host.store._job_tables import JOBS
from covel_host.store.limits import DEFAULT_LIMIT, checked_limit
from covel_host.store.statements import Parameters, Statement
from covel_host.store.transaction import Reading, Row, Transaction
from covel_host.store.values import (
    json_text_or_null,
    parsed_object,
    parsed_time,
    parsed_time_or_null,
    time_text,
    time_text_or_null,
)
from plugin_sdk.values import JsonObject

JobActivation: TypeAlias = Literal["stage", "manual", "event"]
JobState: TypeAlias = Literal[
    "queued",
    "claimed",
    "running",
    "committing",
    "succeeded",
    "failed",
    "timed_out",
    "cancelled",
    "stale",
    "orphaned",
]
TERMINAL: Final[tuple[JobState, ...]] = get_args(JobState)[4:]
ACTIVE: Final[tuple[JobState, ...]] = ("claimed", "running", "committing")
OPEN: Final[tuple[JobState, ...]] = ("queued", *ACTIVE)

TRANSITIONS: Final[Mapping[JobState, frozenset[JobState]]] = {
    "queued": frozenset({"claimed", "timed_out", "cancelled"}),
    "claimed": frozenset({"running", "stale", "cancelled", "orphaned"}),
    "running": frozenset({"committing", "failed", "timed_out", "cancelled", "stale", "orphaned"}),
    "committing": frozenset({"succeeded", "failed", "timed_out", "stale", "cancelled", "orphaned"}),
}
"""What each state that is no end may become; every other state is an end."""

KEPT_TERMINAL: Final = 20
"""Jobs of one runtime of a session that are kept once they have ended."""

_OF_SESSION = JOBS.c.session_id == bindparam("session_id")
_JOB = and_(_OF_SESSION, JOBS.c.job_id == bindparam("job_id"))
_COLUMNS = [column.name for column in JOBS.c]
_NEXT = select(
    *[
        func.coalesce(func.max(JOBS.c.sequence), 0) + 1
        if name == "sequence"
        else bindparam(name, type_=JOBS.c[name].type)
        for name in _COLUMNS
    ]
).where(_OF_SESSION)
_INSERT = Statement(insert(JOBS).from_select(_COLUMNS, _NEXT))
_GET = Statement(select(JOBS).where(_JOB))
_LIST = Statement(
    select(JOBS).where(_OF_SESSION).order_by(JOBS.c.sequence.desc()).limit(bindparam("limit"))
)
_IS_OPEN = JOBS.c.finished_at.is_(None)
_OPEN_ROWS = select(JOBS).where(_IS_OPEN)
_OPEN = Statement(_OPEN_ROWS.order_by(JOBS.c.session_id, JOBS.c.sequence))
_OPEN_OF = Statement(_OPEN_ROWS.where(_OF_SESSION).order_by(JOBS.c.sequence))
_LAST_CLAIMS = Statement(
    select(JOBS.c.session_id, func.max(JOBS.c.claimed_at))
    .where(JOBS.c.session_id.in_(select(JOBS.c.session_id).where(_IS_OPEN)))
    .group_by(JOBS.c.session_id)
)
_MOVE = Statement(
    update(JOBS)
    .where(
        JOBS.c.session_id == bindparam("of_session"),
        JOBS.c.job_id == bindparam("of_job"),
        JOBS.c.state == bindparam("from_state"),
        JOBS.c.lease_owner.is_not_distinct_from(bindparam("from_owner")),
    )
    .values(
        state=bindparam("state"),
        lease_owner=bindparam("lease_owner"),
        lease_until=bindparam("lease_until"),
        claimed_at=func.coalesce(bindparam("claimed_at"), JOBS.c.claimed_at),
        finished_at=bindparam("finished_at"),
        turn_id=func.coalesce(bindparam("turn_id"), JOBS.c.turn_id),
        failure=bindparam("failure"),
    )
)
_RENEW = Statement(
    update(JOBS)
    .where(
        JOBS.c.session_id == bindparam("of_session"),
        JOBS.c.job_id == bindparam("of_job"),
        JOBS.c.lease_owner == bindparam("owner"),
        JOBS.c.finished_at.is_(None),
    )
    .values(lease_until=bindparam("until"))
)
_OVERDUE = Statement(
    _OPEN_ROWS.where(
        or_(
            and_(JOBS.c.state == "queued", JOBS.c.queue_until < bindparam("now")),
            and_(JOBS.c.state != "queued", JOBS.c.lease_until < bindparam("now")),
        )
    ).order_by(JOBS.c.session_id, JOBS.c.sequence)
)
_OF_RUNTIME = (
    _OF_SESSION,
    JOBS.c.runtime_id == bindparam("runtime_id"),
    JOBS.c.finished_at.is_not(None),
)
_PRUNE = Statement(
    delete(JOBS).where(
        *_OF_RUNTIME,
        JOBS.c.sequence.not_in(
            select(JOBS.c.sequence)
            .where(*_OF_RUNTIME)
            .order_by(JOBS.c.finished_at.desc(), JOBS.c.sequence.desc())
            .limit(bindparam("kept"))
        ),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """One run that is done apart; `sequence` orders the jobs of a session by their source turns.

    `facts` are what the host checks and limits it by, `input` what it runs with, as it was frozen.
    `queue_until` is when it must have been claimed, `lease_until` how long its owner may go without
    a word. `turn_id` is the execution that ran it; `failure` has `code` and `message`.
    """

    session_id: str
    job_id: str
    plugin_id: str
    runtime_id: str
    activation: JobActivation
    source_turn_id: str
    created_at: datetime
    facts: JsonObject
    input: JsonObject
    sequence: int = 0
    state: JobState = "queued"
    queue_until: datetime | None = None
    claimed_at: datetime | None = None
    finished_at: datetime | None = None
    lease_owner: str | None = None
    lease_until: datetime | None = None
    turn_id: str | None = None
    failure: JsonObject | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobMove:
    """One transition: to `state`, made `at`, by whoever holds or takes the lease as `owner`."""

    state: JobState
    at: datetime
    owner: str | None = None
    lease_until: datetime | None = None
    turn_id: str | None = None
    failure: JsonObject | None = None


def enqueue_job(transaction: Transaction, record: JobRecord) -> None:
    """Add a job at the end of its session's queue.

    Raises:
        RowConflictError: the session does not exist.
    """
    transaction.run(
        _INSERT,
        {
            "session_id": record.session_id,
            "job_id": record.job_id,
            "plugin_id": record.plugin_id,
            "runtime_id": record.runtime_id,
            "activation": record.activation,
            "state": record.state,
            "source_turn_id": record.source_turn_id,
            "created_at": time_text(record.created_at),
            "queue_until": time_text_or_null(record.queue_until),
            "claimed_at": None,
            "finished_at": None,
            "lease_owner": None,
            "lease_until": None,
            "turn_id": None,
            "facts": dump_json(record.facts),
            "input": dump_json(record.input),
            "failure": None,
        },
    )


def get_job(reading: Reading, session_id: str, job_id: str) -> JobRecord | None:
    """The job, or None."""
    row = reading.row(_GET, {"session_id": session_id, "job_id": job_id})
    return None if row is None else _record(row)


def list_jobs(reading: Reading, session_id: str, *, limit: int = DEFAULT_LIMIT) -> list[JobRecord]:
    """At most `limit` jobs of a session, newest first."""
    rows = reading.rows(_LIST, {"session_id": session_id, "limit": checked_limit(limit)})
    return [_record(row) for row in rows]


def open_jobs(reading: Reading, session_id: str | None = None) -> list[JobRecord]:
    """The jobs that have not ended, by session and in the order of their queues."""
    if session_id is None:
        return [_record(row) for row in reading.rows(_OPEN, {})]
    return [_record(row) for row in reading.rows(_OPEN_OF, {"session_id": session_id})]


def last_claims(reading: Reading) -> dict[str, datetime]:
    """When a job of each session with open jobs was claimed last."""
    return {
        str(row[0]): parsed_time(row[1])
        for row in reading.rows(_LAST_CLAIMS, {})
        if row[1] is not None
    }


def overdue_jobs(reading: Reading, *, now: datetime) -> list[JobRecord]:
    """Jobs that waited too long to be claimed, and those whose owner has gone without a word."""
    return [_record(row) for row in reading.rows(_OVERDUE, {"now": time_text(now)})]


def move_job(transaction: Transaction, job: JobRecord, move: JobMove) -> bool:
    """Make a transition from the state and owner that `job` has; False where these have changed.

    A job that ends so makes room: of its runtime the newest `KEPT_TERMINAL` ended ones are kept.
    """
    assert move.state in TRANSITIONS[job.state], f"{job.state} never becomes {move.state}"
    is_end = move.state in TERMINAL
    parameters: Parameters = {
        "of_session": job.session_id,
        "of_job": job.job_id,
        "from_state": job.state,
        "from_owner": job.lease_owner,
        "state": move.state,
        "lease_owner": None if is_end else move.owner,
        "lease_until": None if is_end else time_text_or_null(move.lease_until),
        "claimed_at": time_text(move.at) if move.state == "claimed" else None,
        "finished_at": time_text(move.at) if is_end else None,
        "turn_id": move.turn_id,
        "failure": json_text_or_null(move.failure),
    }
    if transaction.run(_MOVE, parameters) == 0:
        return False
    if is_end:
        transaction.run(
            _PRUNE,
            {
                "session_id": job.session_id,
                "runtime_id": job.runtime_id,
                "kept": KEPT_TERMINAL,
            },
        )
    return True


def renew_lease(transaction: Transaction, job: JobRecord, *, until: datetime) -> bool:
    """Hold the lease of `job` longer; False where it is held no more."""
    parameters: Parameters = {
        "of_session": job.session_id,
        "of_job": job.job_id,
        "owner": job.lease_owner,
        "until": time_text(until),
    }
    return transaction.run(_RENEW, parameters) > 0


def _record(row: Row) -> JobRecord:
    given = dict(zip(_COLUMNS, row, strict=True))
    failure = given["failure"]
    return JobRecord(
        session_id=given["session_id"],
        sequence=given["sequence"],
        job_id=given["job_id"],
        plugin_id=given["plugin_id"],
        runtime_id=given["runtime_id"],
        activation=given["activation"],
        state=given["state"],
        source_turn_id=given["source_turn_id"],
        created_at=parsed_time(given["created_at"]),
        queue_until=parsed_time_or_null(given["queue_until"]),
        claimed_at=parsed_time_or_null(given["claimed_at"]),
        finished_at=parsed_time_or_null(given["finished_at"]),
        lease_owner=given["lease_owner"],
        lease_until=parsed_time_or_null(given["lease_until"]),
        turn_id=given["turn_id"],
        facts=parsed_object(given["facts"]),
        input=parsed_object(given["input"]),
        failure=None if failure is None else parsed_object(failure),
    )
