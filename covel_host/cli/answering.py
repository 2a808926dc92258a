"""Questions of a session and their answers, from the command line."""

from collections.abc import Sequence
from typing import Final, TextIO

import click
from pydantic import TypeAdapter

from covel_host.base.json_text import dump_json
from covel_host.cli.failures import DetailedError, output_lost
from covel_host.cli.in_session import play, read_packages, read_store, stored_session
from covel_host.cli.output import note, one_line, safe_text, table
from covel_host.cli.run_request import given_value
from covel_host.cli.streams import give_up
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.settings import Settings
from covel_host.store.interactions import list_interactions
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.records import InteractionRecord, SessionRecord
from covel_host.store.transaction import Reading
from covel_host.turn.answer_checks import Answer
from covel_host.turn.answer_errors import INVALID_SUBMISSION, AnswerRefused
from covel_host.turn.answer_fields import Question, asked_fields
from covel_host.turn.answering import AnswersReport, AnswersRequest
from covel_host.turn.open_questions import open_interactions
from plugin_sdk.interactions import Interaction
from plugin_sdk.values import JsonObject

_HEAD = ("INTERACTION", "TYPE", "TURN", "PACKAGE", "QUESTION")
_SHOWN = 60
_QUESTION: Final[TypeAdapter[Question]] = TypeAdapter(Interaction)


def list_questions(session_id: str, settings: Settings, *, output: TextIO, as_json: bool) -> int:
    """Print the questions that nobody has answered yet, oldest first."""
    session = stored_session(settings, session_id)
    questions = read_store(settings, lambda reading: open_interactions(reading, session.session_id))
    if as_json:
        shown = dump_json({"questions": [_question_json(each) for each in questions]})
    elif questions:
        shown = table([_HEAD, *(_row(each) for each in questions)]).rstrip("\n")
    else:
        shown = "No question is open."
    _echo(shown, output)
    return 0


def values_missing(
    session_id: str, interaction_id: str, settings: Settings, *, turn_id: str | None
) -> click.UsageError:
    """The error for an answer without values: it says which ones the question takes.

    Raises:
        HostError: there is no such session or question.
    """
    session = stored_session(settings, session_id)
    asked = read_store(
        settings, lambda reading: _asked(reading, session, interaction_id, turn_id=turn_id)
    )
    fields = asked_fields(_QUESTION.validate_python(asked.interaction))
    return click.UsageError(
        f"The answer is missing: --values gives it by field. They are {', '.join(fields)}."
    )


def given_answers(
    settings: Settings, session_id: str, written: Sequence[str]
) -> tuple[Answer, ...]:
    """Answers written as `INTERACTION={"field": value}`, each to the newest question of that ID.

    Raises:
        click.UsageError: one is written otherwise.
        HostError: there is no such session or question.
    """
    if not written:
        return ()
    session = stored_session(settings, session_id)
    return tuple(_given_answer(settings, session, text) for text in written)


def _given_answer(settings: Settings, session: SessionRecord, text: str) -> Answer:
    interaction_id, sign, values = text.partition("=")
    if not sign:
        raise click.UsageError(f"--answer is {text!r}; expected INTERACTION={{...}}.")
    fields = given_value(values, option="--answer")
    if not isinstance(fields, dict):
        raise click.UsageError(f"--answer {interaction_id}: expected values by field.")
    asked = read_store(
        settings, lambda reading: _asked(reading, session, interaction_id, turn_id=None)
    )
    return Answer(asked.source.turn_id, asked.interaction_id, fields)


def send_answer(
    session_id: str,
    interaction_id: str,
    values: JsonObject,
    settings: Settings,
    *,
    turn_id: str | None,
    seat_id: str | None,
    output: TextIO,
    as_json: bool,
) -> int:
    """Store one answer and print it; without `turn_id` to the newest question of that ID.

    Without `seat_id` the default seat answers.

    Raises:
        HostError: it was not accepted; what a player can correct is shown by field.
    """
    session = stored_session(settings, session_id)
    asked = read_store(
        settings, lambda reading: _asked(reading, session, interaction_id, turn_id=turn_id)
    )
    # A package that is gone is the refusal's to tell.
    catalog = read_packages(settings, (), [asked.source.plugin_id])
    answer = Answer(asked.source.turn_id, asked.interaction_id, values)
    request = AnswersRequest(
        session_id=session_id,
        answers=(answer,),
        seat_id=DEFAULT_SEAT_ID if seat_id is None else seat_id,
    )
    try:
        report = play(settings, catalog, lambda host: host.answer(request), may_ask=not as_json)
    except AnswerRefused as refused:
        raise _shown(refused) from refused
    _echo(dump_json(_report_json(report)) if as_json else report.stored[0].narrative, output)
    if not as_json:
        note(f"Stored as revision {report.revision} of session {session_id}.")
    return 0


def _asked(
    reading: Reading, session: SessionRecord, interaction_id: str, *, turn_id: str | None
) -> InteractionRecord:
    found = [
        record
        for record in list_interactions(reading, session.session_id, limit=MAX_LIMIT)
        if record.interaction_id == interaction_id and turn_id in (None, record.source.turn_id)
    ]
    if found:
        return found[-1]
    where = "" if turn_id is None else f" in turn {turn_id!r}"
    raise AnswerRefused(
        f"Nobody asked {interaction_id!r}{where} in session {session.session_id!r}.",
        code=INVALID_SUBMISSION,
        hint=f"See the open questions: covel answer {session.session_id}",
    )


def _row(record: InteractionRecord) -> tuple[str, ...]:
    asked = record.interaction
    text = asked.get("title") or asked.get("prompt") or ""
    return (
        record.interaction_id,
        str(asked["type"]),
        record.source.turn_id,
        record.source.plugin_id,
        one_line(str(text), limit=_SHOWN),
    )


def _question_json(record: InteractionRecord) -> dict[str, object]:
    return {
        "interactionId": record.interaction_id,
        "turnId": record.source.turn_id,
        "pluginId": record.source.plugin_id,
        "interaction": record.interaction,
    }


def _report_json(report: AnswersReport) -> dict[str, object]:
    return {
        "status": "ok",
        "sessionId": report.session_id,
        "revision": report.revision,
        "results": [
            {
                "submissionId": record.input_id,
                "turnId": record.source.turn_id,
                "interactionId": record.interaction_id,
                "values": record.values,
                "filledNarrative": record.narrative,
            }
            for record in report.stored
        ],
    }


def _shown(refused: AnswerRefused) -> AnswerRefused | DetailedError:
    if not refused.issues:
        return refused
    issues = [
        {"field": issue.field, "message": issue.message}
        if issue.field is not None
        else {"message": issue.message}
        for issue in refused.issues
    ]
    lines = [
        f"  {issue.message}" if issue.field is None else f"  {issue.field}: {issue.message}"
        for issue in refused.issues
    ]
    return DetailedError(
        "The answer was not accepted, and nothing was stored.",
        code=refused.code,
        text=safe_text("\n".join(lines)),
        members={"details": {"issues": issues}},
    )


def _echo(text: str, output: TextIO) -> None:
    try:
        click.echo(safe_text(text), file=output)
    except BrokenPipeError:
        give_up(output)
    except OSError as error:
        output_lost(error, output)
