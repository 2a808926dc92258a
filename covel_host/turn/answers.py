"""Answers of players to committed questions: found, checked, stored together or not at all.

The order is that of spec/api.md 5.3. The turn that follows an answer is begun elsewhere; runs read
answers as `ctx.session.last_player_input` and `ctx.store.list_player_inputs()`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from covel_host.catalog.catalog import Catalog
from covel_host.proposals.at_once import NO_TURN
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.store.outside_inputs import begin_outside_input
from covel_host.store.player_inputs import append_player_input
from covel_host.store.records import OutsideInputRecord, PlayerInputRecord, SessionRecord
from covel_host.store.sessions import advance_session, require_session
from covel_host.store.snapshots import prune_unkept
from covel_host.store.transaction import Transaction
from covel_host.trace.events import SessionEvent
from covel_host.turn.announcer import Announcer
from covel_host.turn.answer_checks import AcceptedAnswer, Answer, AnswerChecks
from covel_host.turn.answer_errors import (
    ALREADY_SUBMITTED,
    FORM_REJECTED,
    PROVIDER_UNAVAILABLE,
    AnswerRefused,
)
from covel_host.turn.ports import TurnPorts
from plugin_sdk.errors import FieldProblem, ToolError, ToolErrorCode, ToolValidationError
from plugin_sdk.values import JsonObject, JsonValue

_TOOL_CODES: dict[str, ToolErrorCode] = {
    ALREADY_SUBMITTED: "conflict",
    PROVIDER_UNAVAILABLE: "unavailable",
}
"""What a refusal means to a package that stores an answer; any other is `invalid-input`."""


@dataclass(frozen=True, slots=True)
class TakenAnswers:
    """What was stored: the session's revision after it, and the answers in order."""

    revision: int
    stored: tuple[PlayerInputRecord, ...]


class AnswerTaker:
    """Takes answers in one session, whose locks the caller holds.

    `catalog` is leased for that time; its validators are asked. `only_of` is the package whose
    questions may be answered, None for any; `seat_id` is the seat that answers.
    """

    def __init__(
        self,
        session: SessionRecord,
        catalog: Catalog,
        ports: TurnPorts,
        announcer: Announcer,
        *,
        only_of: str | None = None,
        seat_id: str = DEFAULT_SEAT_ID,
    ) -> None:
        self._session = session
        self._ports = ports
        self._announcer = announcer
        self._checks = AnswerChecks(session, catalog, ports, only_of=only_of, seat_id=seat_id)

    async def take(
        self, answers: Sequence[Answer], *, audit: OutsideInputRecord | None = None
    ) -> TakenAnswers:
        """Check all of `answers`, then store them in one transaction.

        `audit` is what the request is remembered as, one row for each answer.

        Raises:
            AnswerRefused: one is not accepted; nothing was stored.
            RequestRefused: `approval-required`: the code that checks a form needs leave to run.
        """
        accepted = await self._checks.accepted(answers)
        # What is stored is told, also when nobody waits for it any more.
        return await self._ports.tasks.finish(
            self._kept(accepted, audit), name=f"answers of {self._session.session_id}"
        )

    async def _kept(
        self, accepted: Sequence[AcceptedAnswer], audit: OutsideInputRecord | None
    ) -> TakenAnswers:
        taken = await self._ports.store.transaction(
            lambda transaction: self._stored(transaction, accepted, audit)
        )
        await self._announcer.pass_on(_told(self._session, taken.stored))
        return taken

    async def take_one(self, turn_id: str, interaction_id: str, values: JsonObject) -> int:
        """Like `take` for a package's own question; the session's revision after it.

        Raises:
            ToolError: `invalid-input`, with each field's problem where it has one; `conflict` for
                a question that is answered already; `unavailable` without the code that checks it.
        """
        try:
            taken = await self.take([Answer(turn_id, interaction_id, values)])
        except AnswerRefused as refused:
            raise _tool_error(refused) from refused
        return taken.revision

    def _stored(
        self,
        transaction: Transaction,
        accepted: Sequence[AcceptedAnswer],
        audit: OutsideInputRecord | None,
    ) -> TakenAnswers:
        session = require_session(
            transaction, self._session.session_id, incarnation=self._session.incarnation
        )
        at = self._ports.clock.now()
        records = tuple(self._records(accepted, revision=session.revision + 1, at=at))
        for answer, record in zip(accepted, records, strict=True):
            append_player_input(transaction, record)
            if audit is not None:
                begin_outside_input(transaction, _audit_row(audit, answer, record))
        advanced = advance_session(transaction, session, turn_id=None, at=at)
        prune_unkept(transaction, advanced)
        return TakenAnswers(advanced.revision, records)

    def _records(
        self, accepted: Iterable[AcceptedAnswer], *, revision: int, at: datetime
    ) -> Iterator[PlayerInputRecord]:
        for answer in accepted:
            yield PlayerInputRecord(
                source=replace(answer.asked.source, revision=revision, created_at=at),
                input_id=self._ports.ids.new("input"),
                interaction_id=answer.asked.interaction_id,
                values=answer.values,
                narrative=answer.narrative,
            )


def _audit_row(
    audit: OutsideInputRecord, answer: AcceptedAnswer, record: PlayerInputRecord
) -> OutsideInputRecord:
    return replace(
        audit,
        input_id=record.input_id,
        plugin_id=answer.asked.source.plugin_id,
        target=record.interaction_id,
        payload=record.values,
        metadata={**audit.metadata, "turnId": record.source.turn_id, "kind": answer.kind},
        outcome="completed",
    )


def _told(session: SessionRecord, stored: Sequence[PlayerInputRecord]) -> Iterator[SessionEvent]:
    """One `interaction.submitted` per turn that was answered (spec/protocol.md 3.1)."""
    by_turn: dict[str, list[JsonValue]] = {}
    for record in stored:
        by_turn.setdefault(record.source.turn_id, []).append(
            {
                "submissionId": record.input_id,
                "interactionId": record.interaction_id,
                "values": record.values,
                "filledNarrative": record.narrative,
            }
        )
    for turn_id, results in by_turn.items():
        yield SessionEvent(
            type="interaction.submitted",
            session_id=session.session_id,
            turn_id=NO_TURN,
            payload={"interactionTurnId": turn_id, "results": results},
        )


def _tool_error(refused: AnswerRefused) -> ToolError:
    if refused.code == FORM_REJECTED:
        details = [FieldProblem(issue.field or "", issue.message) for issue in refused.issues]
        return ToolValidationError(refused.message, details=details)
    code = _TOOL_CODES.get(refused.code, "invalid-input")
    return ToolError(code, refused.message, hint=refused.hint)
