"""What is open in a game: runs that wait for an answer, and questions, until left for later."""

from dataclasses import dataclass, field
from typing import Any

from covel_host.base.errors import HostError
from covel_host.cli.output import one_line
from covel_host.cli.play_questions import AskedLater, Asker
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.store.store import Store
from covel_host.store.suspensions import SuspensionRecord
from covel_host.turn.answer_checks import MAX_ANSWERS, Answer
from covel_host.turn.answer_errors import AnswerRefused
from covel_host.turn.open_questions import OpenQuestion, open_questions
from covel_host.turn.resuming import ResumeRequest
from covel_host.turn.suspension_listing import list_suspensions
from covel_host.turn.turns import TurnRequest
from plugin_sdk.values import JsonObject

INVALID_RESUME_DATA = "invalid-resume-data"
_REASON = 400


@dataclass
class _Refused:
    """An answer of which some was not accepted; without `wrong` it was what came beside it."""

    fields: JsonObject
    wrong: set[str | None] = field(default_factory=set)


class OpenEnds:
    """Asks what is open in a session, and makes requests of the answers."""

    def __init__(
        self, store: Store, session_id: str, asker: Asker, *, seat_id: str | None, record: bool
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._asker = asker
        self._seat_id = seat_id
        self._record = record
        self._left: set[str] = set()
        self._refused: dict[str, _Refused] = {}

    async def request(self) -> TurnRequest | ResumeRequest | None:
        """What the player answers to what is open; None when all of it is left for later."""
        for waiting in await self.waiting():
            if waiting.suspension_id not in self._left:
                request = await self._resumption(waiting)
                if request is not None:
                    return request
        answers = [
            answer
            for question in await self._unasked()
            if (answer := await self._answer(question)) is not None
        ]
        self._refused.clear()
        if not answers:
            return None
        return TurnRequest(
            session_id=self._session_id,
            answers=tuple(answers),
            seat_id=self._seat_id,
            record=self._record,
        )

    async def waiting(self) -> list[SuspensionRecord]:
        """The runs that wait."""
        return await list_suspensions(self._store, self._session_id)

    async def questions(self) -> list[OpenQuestion]:
        """The questions without an answer."""
        return await self._store.read(lambda reading: open_questions(reading, self._session_id))

    def ask_again(self) -> None:
        """Ask what was left for later, too."""
        self._left.clear()

    def refuse(self, error: HostError, request: TurnRequest | ResumeRequest) -> bool:
        """Take note of why the request was refused; whether asking again can help.

        What cannot be corrected by the player is left for later.
        """
        if isinstance(request, ResumeRequest):
            if error.code != INVALID_RESUME_DATA:
                self._left.add(request.suspension_id)
            return error.code == INVALID_RESUME_DATA
        if not isinstance(error, AnswerRefused) or not error.issues:
            self._left.update(map(_key, request.answers))
            return False
        for answer in request.answers:
            wrong = {
                one.field for one in error.issues if one.interaction_id == answer.interaction_id
            }
            self._refused[_key(answer)] = _Refused(answer.fields, wrong)
        return True

    async def _unasked(self) -> list[OpenQuestion]:
        found = [one for one in await self.questions() if _key(one) not in self._left]
        return found[:MAX_ANSWERS]

    async def _answer(self, question: OpenQuestion) -> Answer | None:
        refused = self._refused.get(_key(question))
        if refused is not None and not refused.wrong:
            return question.answer(refused.fields)
        before, wrong = (None, ()) if refused is None else (refused.fields, refused.wrong)
        try:
            fields = await self._asker.answer(question.question, before=before, wrong=wrong)
        except AskedLater:
            self._left.add(_key(question))
            return None
        return question.answer(fields)

    async def _resumption(self, waiting: SuspensionRecord) -> ResumeRequest | None:
        facts: Any = waiting.facts
        try:
            data = await self._asker.resume_data(
                facts["resumeSchema"], reason=one_line(str(facts["reason"]), limit=_REASON)
            )
        except AskedLater:
            self._left.add(waiting.suspension_id)
            return None
        return ResumeRequest(
            session_id=self._session_id,
            suspension_id=waiting.suspension_id,
            data=data,
            seat_id=self._seat_id or DEFAULT_SEAT_ID,
            record=self._record,
        )


def _key(asked: OpenQuestion | Answer) -> str:
    return f"{asked.turn_id}/{asked.interaction_id}"
