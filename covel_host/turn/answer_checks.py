"""Whether answers are accepted, all of a batch before anything is stored (spec/api.md 5.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.catalog.catalog import Catalog
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.store.interactions import find_interaction
from covel_host.store.player_inputs import find_player_input
from covel_host.store.records import InteractionRecord, SessionRecord
from covel_host.store.seats import get_seat
from covel_host.store.transaction import Reading
from covel_host.turn.admission import loaded_generation
from covel_host.turn.answer_errors import (
    ALREADY_SUBMITTED,
    FORM_REJECTED,
    INVALID_ACTION,
    INVALID_SUBMISSION,
    PROVIDER_INACTIVE,
    PROVIDER_UNAVAILABLE,
    AnswerIssue,
    AnswerRefused,
)
from covel_host.turn.answer_fields import (
    Question,
    action_kind,
    answer_narrative,
    asked_fields,
    read_answer,
)
from covel_host.turn.errors import RequestRefused
from covel_host.turn.form_validators import validator_issues
from covel_host.turn.ports import TurnPorts
from plugin_sdk.interactions import FormInteraction, Interaction
from plugin_sdk.values import JsonObject

MAX_ANSWERS: Final = 20
"""Answers in one batch (spec/api.md 1.2)."""

_QUESTION: Final[TypeAdapter[Question]] = TypeAdapter(Interaction)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player says to one question; `turn_id` is the turn that asked it.

    `type` and `kind` are what the client takes the question and its answer for; where given, they
    have to be what the stored question says.
    """

    turn_id: str
    interaction_id: str
    fields: JsonObject
    type: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class AcceptedAnswer:
    """An answer that passed every check; `kind` is the kind of action it counts as."""

    asked: InteractionRecord
    values: JsonObject
    narrative: str
    kind: str


class AnswerChecks:
    """The checks of one session's answers.

    `only_of` names the package that may be answered, None for any; `seat_id` the seat that answers.
    """

    def __init__(
        self,
        session: SessionRecord,
        catalog: Catalog,
        ports: TurnPorts,
        *,
        only_of: str | None,
        seat_id: str = DEFAULT_SEAT_ID,
    ) -> None:
        self._session = session
        self._catalog = catalog
        self._ports = ports
        self._only_of = only_of
        self._seat_id = seat_id

    async def accepted(self, answers: Sequence[Answer]) -> tuple[AcceptedAnswer, ...]:
        """The answers in their stored form.

        Raises:
            AnswerRefused: the first that a client should not have sent, or `form_rejected` with
                the issues of all.
            RequestRefused: `approval-required`.
        """
        _check_count(answers)
        asked = await self._ports.store.read(lambda reading: self._all_asked(reading, answers))
        _check_once(answers)
        accepted: list[AcceptedAnswer] = []
        issues: list[AnswerIssue] = []
        for answer, record in zip(answers, asked, strict=True):
            found = await self._check(answer, record)
            if isinstance(found, AcceptedAnswer):
                accepted.append(found)
            else:
                issues += found
        if issues:
            raise _rejected(issues)
        return tuple(accepted)

    def _all_asked(self, reading: Reading, answers: Sequence[Answer]) -> list[InteractionRecord]:
        self._check_seat(reading)
        return [self._asked(reading, answer) for answer in answers]

    def _check_seat(self, reading: Reading) -> None:
        """Whoever answers sits at the table (spec/execution.md 1.2); any seat may say and act."""
        session_id, seat_id = self._session.session_id, self._seat_id
        # The default seat is there before a player character is bound to it.
        if seat_id != DEFAULT_SEAT_ID and get_seat(reading, session_id, seat_id) is None:
            raise AnswerRefused(
                f"The session has no seat {seat_id!r}.",
                code=INVALID_ACTION,
                hint=f"See: covel sessions seat {session_id}",
            )

    def _asked(self, reading: Reading, answer: Answer) -> InteractionRecord:
        """The committed question, which nobody has answered yet."""
        place = (self._session.session_id, answer.turn_id, answer.interaction_id)
        record = find_interaction(reading, *place)
        if record is None or self._only_of not in (None, record.source.plugin_id):
            raise AnswerRefused(
                f"The turn {answer.turn_id!r} asks no question {answer.interaction_id!r} here.",
                code=INVALID_SUBMISSION,
            )
        if find_player_input(reading, *place) is not None:
            raise _answered(answer)
        return record

    async def _check(
        self, answer: Answer, asked: InteractionRecord
    ) -> AcceptedAnswer | tuple[AnswerIssue, ...]:
        question = _QUESTION.validate_python(asked.interaction)
        self._check_source(asked)
        _check_type(answer, question)
        locale = self._session.locale
        read = read_answer(question, _copied(answer), locale=locale)
        if read.unknown_fields:
            names = ", ".join(repr(name) for name in read.unknown_fields)
            raise AnswerRefused(
                f"The question {answer.interaction_id!r} has no field {names}.",
                code=INVALID_SUBMISSION,
                hint=f"It has: {', '.join(asked_fields(question))}.",
            )
        if read.issues:
            return tuple(
                AnswerIssue(answer.interaction_id, message, field) for field, message in read.issues
            )
        if isinstance(question, FormInteraction) and question.validation is not None:
            issues = await self._validated(question, read.values, asked)
            if issues:
                return issues
        return AcceptedAnswer(
            asked,
            read.values,
            answer_narrative(question, read.values, locale=locale),
            action_kind(question),
        )

    def _check_source(self, asked: InteractionRecord) -> None:
        """The package that asked, as the stored question names it, still takes part."""
        plugin_id = asked.source.plugin_id
        if plugin_id not in self._session.active_packages:
            raise AnswerRefused(
                f"The package {plugin_id!r}, which asks {asked.interaction_id!r}, is not active in "
                "this session any more.",
                code=PROVIDER_INACTIVE,
            )

    async def _validated(
        self, form: FormInteraction, values: JsonObject, asked: InteractionRecord
    ) -> tuple[AnswerIssue, ...]:
        try:
            generation = loaded_generation(asked.source.plugin_id, self._catalog)
        except RequestRefused as refused:
            if refused.code == "approval-required":
                raise
            raise AnswerRefused(
                f"The form {form.interaction_id!r} cannot be checked: {refused.message}",
                code=PROVIDER_UNAVAILABLE,
                hint=refused.hint,
            ) from refused
        return await validator_issues(
            form, values, generation, locale=self._session.locale, tasks=self._ports.tasks
        )


def _check_count(answers: Sequence[Answer]) -> None:
    if not 1 <= len(answers) <= MAX_ANSWERS:
        raise AnswerRefused(
            f"{len(answers)} answers were sent; one request takes from 1 to {MAX_ANSWERS}.",
            code=INVALID_SUBMISSION,
        )


def _check_once(answers: Sequence[Answer]) -> None:
    seen = set()
    for answer in answers:
        place = (answer.turn_id, answer.interaction_id)
        if place in seen:
            raise _answered(answer)
        seen.add(place)


def _check_type(answer: Answer, question: Question) -> None:
    if answer.type not in (None, question.type):
        raise AnswerRefused(
            f"{answer.interaction_id!r} is a {question.type}, not a {answer.type}.",
            code=INVALID_SUBMISSION,
        )
    kind = action_kind(question)
    if answer.kind not in (None, kind):
        raise AnswerRefused(
            f"An answer to {answer.interaction_id!r} counts as {kind!r}, not as {answer.kind!r}.",
            code=INVALID_ACTION,
        )


def _copied(answer: Answer) -> JsonObject:
    try:
        fields = json_copy(answer.fields)
    except JsonValueError as error:
        raise AnswerRefused(
            f"The answer to {answer.interaction_id!r} is not JSON: {error}.",
            code=INVALID_SUBMISSION,
        ) from error
    if not isinstance(fields, dict):
        raise AnswerRefused(
            f"The answer to {answer.interaction_id!r} is no object of values by field.",
            code=INVALID_SUBMISSION,
        )
    return fields


def _answered(answer: Answer) -> AnswerRefused:
    return AnswerRefused(
        f"The question {answer.interaction_id!r} of turn {answer.turn_id!r} is answered already.",
        code=ALREADY_SUBMITTED,
    )


def _rejected(issues: Sequence[AnswerIssue]) -> AnswerRefused:
    told = [
        issue.message if issue.field is None else f"{issue.field}: {issue.message}"
        for issue in issues
    ]
    return AnswerRefused(
        f"The answer was not accepted. {' '.join(told)}",
        code=FORM_REJECTED,
        issues=tuple(issues),
    )
