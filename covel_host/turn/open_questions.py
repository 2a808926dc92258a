"""The questions of a session that nobody has answered yet, as something to show and to answer."""

from dataclasses import dataclass
from typing import Final

from pydantic import TypeAdapter

from covel_host.store.interactions import list_interactions
from covel_host.store.limits import MAX_LIMIT
from covel_host.store.player_inputs import list_player_inputs
from covel_host.store.records import InteractionRecord
from covel_host.store.transaction import Reading
from covel_host.turn.answer_checks import Answer
from covel_host.turn.answer_fields import Question
from plugin_sdk.interactions import FormInteraction, Interaction
from plugin_sdk.values import JsonObject

_QUESTION: Final[TypeAdapter[Question]] = TypeAdapter(Interaction)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """One committed question; `question` is a form, a choice or a confirmation."""

    turn_id: str
    plugin_id: str
    question: Question

    @property
    def interaction_id(self) -> str:
        """What the question is called in its turn."""
        return self.question.interaction_id

    @property
    def text(self) -> str:
        """What the player is asked, in a line or two."""
        asked = self.question
        return asked.title if isinstance(asked, FormInteraction) else asked.prompt

    def answer(self, fields: JsonObject) -> Answer:
        """The answer with those fields."""
        return Answer(self.turn_id, self.interaction_id, fields)


def open_question(record: InteractionRecord) -> OpenQuestion:
    """A stored question as something to answer."""
    asked = _QUESTION.validate_python(record.interaction)
    return OpenQuestion(record.source.turn_id, record.source.plugin_id, asked)


def open_interactions(reading: Reading, session_id: str) -> list[InteractionRecord]:
    """The stored questions without an answer, oldest first.

    Asked again in its turn, the later question counts. Only the newest `MAX_LIMIT` are looked at.
    """
    answered = {
        (record.source.turn_id, record.interaction_id)
        for record in list_player_inputs(reading, session_id, limit=MAX_LIMIT)
    }
    newest = {
        (record.source.turn_id, record.interaction_id): record
        for record in list_interactions(reading, session_id, limit=MAX_LIMIT)
    }
    return [record for place, record in newest.items() if place not in answered]


def open_questions(reading: Reading, session_id: str) -> list[OpenQuestion]:
    """The questions without an answer, oldest first; see `open_interactions`."""
    return [open_question(record) for record in open_interactions(reading, session_id)]
