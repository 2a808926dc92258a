"""Refusals of answers; nothing of their batch is stored (spec/manifest.md 10.2)."""

from dataclasses import dataclass
from typing import Final

from covel_host.turn.errors import RequestRefused

FORM_REJECTED: Final = "form_rejected"
ALREADY_SUBMITTED: Final = "interaction_already_submitted"
UNDECLARED_VALIDATOR: Final = "form_validator_undeclared"
FAILED_VALIDATOR: Final = "form_validator_failed"
PROVIDER_INACTIVE: Final = "form_provider_inactive"
PROVIDER_UNAVAILABLE: Final = "form_provider_unavailable"
INVALID_ACTION: Final = "invalid_action"
INVALID_SUBMISSION: Final = "invalid_interaction_submission"


@dataclass(frozen=True, slots=True)
class AnswerIssue:
    """One thing wrong with an answer, in the session's language.

    Without `field` it is said of the whole answer. `interaction_id` names the question.
    """

    interaction_id: str
    message: str
    field: str | None = None


class AnswerRefused(RequestRefused):
    """An answer that is not accepted; its code is one of this module's, as the seed spells them.

    `issues` are what the player can correct, with `form_rejected` only.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        hint: str | None = None,
        issues: tuple[AnswerIssue, ...] = (),
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.issues = issues
