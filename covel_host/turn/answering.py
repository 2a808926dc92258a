"""A request that answers questions of a session (spec/api.md 5.3)."""

from dataclasses import dataclass

from covel_host.catalog.catalog import Catalog
from covel_host.proposals.at_once import NO_TURN
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.store.interactions import find_interaction
from covel_host.store.records import (
    OutsideInputChannel,
    OutsideInputRecord,
    OutsideInputSource,
    PlayerInputRecord,
    SessionRecord,
)
from covel_host.turn.announcer import Announcer
from covel_host.turn.answer_checks import Answer
from covel_host.turn.answers import AnswerTaker
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.session_jobs import settled_session
from covel_host.turn.sessions import active_session


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersRequest:
    """A batch of answers from one seat, accepted together or not at all."""

    session_id: str
    answers: tuple[Answer, ...]
    seat_id: str = DEFAULT_SEAT_ID
    source: OutsideInputSource = "player"
    channel: OutsideInputChannel = "cli"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswersReport:
    """What was stored, as revision `revision` of the session."""

    session_id: str
    revision: int
    stored: tuple[PlayerInputRecord, ...]


async def answer_questions(
    request: AnswersRequest, ports: TurnPorts, observer: Observer
) -> AnswersReport:
    """Check a batch and store it, under the session's lock.

    Raises:
        AnswerRefused: see there; nothing was stored.
        RequestRefused: `session-not-found`, `session-not-active`, `approval-required`.
        ExecutionLockTakenError: another process is executing on this database.
    """
    await active_session(ports.store, request.session_id)
    await ports.catalogs.need(await _askers(request, ports))
    with ports.catalogs.lease() as lease:
        async with settled_session(ports, request.session_id):
            session = await active_session(ports.store, request.session_id)
            return await take_answers(request, session, lease.catalog, ports, observer)


async def take_answers(
    request: AnswersRequest,
    session: SessionRecord,
    catalog: Catalog,
    ports: TurnPorts,
    observer: Observer,
) -> AnswersReport:
    """Check a batch and store it, for somebody who holds the session's locks.

    Raises:
        AnswerRefused: see there; nothing was stored.
        RequestRefused: `approval-required`.
    """
    announcer = Announcer(observer, ports.events, session_id=session.session_id, turn_id=NO_TURN)
    taker = AnswerTaker(session, catalog, ports, announcer, seat_id=request.seat_id)
    taken = await taker.take(request.answers, audit=_audit(request, ports))
    return AnswersReport(
        session_id=session.session_id, revision=taken.revision, stored=taken.stored
    )


async def _askers(request: AnswersRequest, ports: TurnPorts) -> list[str]:
    """The packages whose forms name a check, as the stored questions say."""
    session_id = request.session_id
    found = await ports.store.read(
        lambda reading: [
            find_interaction(reading, session_id, answer.turn_id, answer.interaction_id)
            for answer in request.answers
        ]
    )
    return [
        record.source.plugin_id
        for record in found
        if record is not None and record.interaction.get("validation") is not None
    ]


def _audit(request: AnswersRequest, ports: TurnPorts) -> OutsideInputRecord:
    """What is alike in the rows of all answers."""
    return OutsideInputRecord(
        session_id=request.session_id,
        input_id="",
        type="form-submit",
        source=request.source,
        channel=request.channel,
        target="",
        payload=None,
        metadata={"seatId": request.seat_id},
        started_at=ports.clock.now(),
    )
