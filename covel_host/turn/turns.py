"""A turn of a player: what is asked for, and the executions that come of it.

Spec/execution.md 1.3, 2.3.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.base.unicode_text import shows_something
from covel_host.catalog.catalog import Catalog
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.runtime.result import RunFailure
from covel_host.store.records import SessionRecord
from covel_host.turn.answer_checks import Answer
from covel_host.turn.answering import AnswersRequest, take_answers
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution import Execution
from covel_host.turn.execution_facts import execution_facts
from covel_host.turn.execution_report import ExecutionReport, is_continued
from covel_host.turn.facts import ExecutionFacts, PlayerInput
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.recording import recorded
from covel_host.turn.session_jobs import settled_session
from covel_host.turn.sessions import active_session

_ANSWERED: Final = "…"
"""The message of answers that become no sentence."""

MAX_MESSAGE: Final = 100_000
"""Characters of the longest message of a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """What a player does: says `message`, or with `start` lets the session begin.

    A start runs setup runtimes that are unfinished and records no message; in a session that needs
    none and in which nothing has happened yet it plays the opening. Under `message_id` the message
    may have been posted before. `seat_id` is the seat that acts, None for the default one; `slot`
    the model slot for every runtime in place of its own. `answers` are stored before the turn, all
    or none; the sentences that they become are the message, after one that is said beside them
    (seed: 交互协议). With `record` what the executions take from outside is recorded
    (docs/replay.md).
    """

    session_id: str
    message: str | None = None
    start: bool = False
    answers: tuple[Answer, ...] = ()
    message_id: str | None = None
    seat_id: str | None = None
    slot: str | None = None
    record: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReport:
    """The executions of a turn: one, or the end of the setup and the opening after it."""

    session_id: str
    executions: tuple[ExecutionReport, ...]

    @property
    def committed(self) -> bool:
        """Whether the last execution was committed; an earlier one always was."""
        return self.executions[-1].committed

    @property
    def failure(self) -> RunFailure | None:
        """Why the last execution was not committed."""
        return self.executions[-1].failure


async def play_turn(request: TurnRequest, ports: TurnPorts, observer: Observer) -> TurnReport:
    """Play a turn of the session: its setup or its main loop, and the opening after a setup.

    The catalog is leased and the session locked to the end of the last execution.

    Raises:
        RequestRefused: nothing was started: `turn-invalid`, `session-not-found`,
            `session-not-active`, `seat-not-found`, `setup-blocked`, `nothing-to-start`. Answers
            that were accepted before are kept.
        AnswerRefused: an answer was not accepted; nothing was stored, and no turn began.
        ExecutionLockTakenError: another process is executing on this database.
        asyncio.CancelledError: the turn was aborted; see `Execution.run`.
    """
    given = _checked(request)
    session = await active_session(ports.store, request.session_id)
    await ports.catalogs.need(session.active_packages)
    with ports.catalogs.lease() as lease:
        async with settled_session(ports, request.session_id) as unsettled:
            session = await active_session(ports.store, request.session_id)
            if request.answers:
                given = await _answered(request, given, session, lease.catalog, ports, observer)
                session = await active_session(ports.store, request.session_id)
            facts = await _first_facts(request, given, session, lease.catalog, ports)
            facts = replace(facts, unsettled=unsettled)
            return await _played(facts, ports, observer, record=request.record)


async def _answered(
    request: TurnRequest,
    given: PlayerInput,
    session: SessionRecord,
    catalog: Catalog,
    ports: TurnPorts,
    observer: Observer,
) -> PlayerInput:
    """What the player says, with the sentences that the answers become."""
    asked = AnswersRequest(
        session_id=session.session_id,
        answers=request.answers,
        seat_id=request.seat_id or DEFAULT_SEAT_ID,
    )
    report = await take_answers(asked, session, catalog, ports, observer)
    texts = [] if given.message is None else [given.message]
    texts += [record.narrative for record in report.stored if record.narrative.strip()]
    return replace(given, message="\n\n".join(texts) or _ANSWERED)


async def _played(
    facts: ExecutionFacts, ports: TurnPorts, observer: Observer, *, record: bool
) -> TurnReport:
    async with recorded(facts, ports, is_wanted=record) as taped:
        execution = Execution(facts, taped, observer)
        first = await execution.run()
    reports = [first]
    if is_continued(facts, first):
        assert first.session is not None
        try:
            opening = await execution_facts(
                ports,
                facts.catalog,
                first.session,
                origin="continuation",
                given=PlayerInput(),
                slot=facts.slot,
                parent_turn_id=facts.turn_id,
            )
        except BaseException:
            await execution.tell_end()
            raise
        async with recorded(opening, ports, is_wanted=record) as taped:
            reports.append(await Execution(opening, taped, observer).run())
    return TurnReport(session_id=facts.session.session_id, executions=tuple(reports))


async def _first_facts(
    request: TurnRequest,
    given: PlayerInput,
    session: SessionRecord,
    catalog: Catalog,
    ports: TurnPorts,
) -> ExecutionFacts:
    facts = await execution_facts(
        ports, catalog, session, origin="player", given=given, slot=request.slot
    )
    _check_seat(facts)
    states = facts.clock.setup_states
    pending = [name for name, state in states.items() if state == "pending"]
    if not pending and (request.start or session.phase == "setup"):
        _refuse_blocked(session, [name for name, state in states.items() if state == "blocked"])
    if not request.start:
        return facts
    if pending or session.phase == "setup":
        return replace(facts, is_start=True)
    if not facts.frozen.journal.is_empty or session.completed_player_turns:
        raise RequestRefused(
            f"The session {session.session_id!r} has begun; there is nothing to start.",
            code="nothing-to-start",
            hint="Say something instead.",
        )
    return replace(facts, origin="continuation")


def _checked(request: TurnRequest) -> PlayerInput:
    """What the player sends along; refuses at once what could not be stored after the turn."""
    speaks = request.message is not None or bool(request.answers)
    if request.start == speaks:
        raise RequestRefused(
            "A turn needs a message, answers, or the start, which goes with neither.",
            code="turn-invalid",
        )
    message = request.message
    if message is not None and not (len(message) <= MAX_MESSAGE and shows_something(message)):
        raise RequestRefused(
            f"The message has {len(message)} characters; expected 1 to {MAX_MESSAGE}, and not "
            "only spaces and invisible ones.",
            code="turn-invalid",
        )
    try:
        json_copy([message, request.message_id, request.seat_id])
    except JsonValueError as error:
        raise RequestRefused(
            f"The request cannot be stored as JSON: {error}.", code="turn-invalid"
        ) from error
    return PlayerInput(message=message, message_id=request.message_id, seat_id=request.seat_id)


def _check_seat(facts: ExecutionFacts) -> None:
    seat_id = facts.input.seat_id
    known = {DEFAULT_SEAT_ID, *(seat.seat_id for seat in facts.frozen.world.seats)}
    if seat_id is not None and seat_id not in known:
        raise RequestRefused(
            f"The session {facts.session.session_id!r} has no seat {seat_id!r}.",
            code="seat-not-found",
            hint=f"Its seats: {', '.join(sorted(known))}.",
        )


def _refuse_blocked(session: SessionRecord, blocked: Sequence[str]) -> None:
    if blocked:
        first = blocked[0]
        raise RequestRefused(
            f"The setup of {session.session_id!r} is held up by {', '.join(map(repr, blocked))}.",
            code="setup-blocked",
            hint=f"covel sessions setup {session.session_id} {first} retry (or waive)",
        )
