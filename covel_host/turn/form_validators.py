"""A package's own check of a submitted form: a pure function, called within a limit."""

import logging
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from covel_host.base.author_calls import AuthorCall, AuthorLate, AuthorRaised
from covel_host.base.error_texts import cut_text, error_text
from covel_host.base.json_text import json_copy
from covel_host.base.own_texts import own_messages
from covel_host.base.tasks import TaskTracker
from covel_host.base.unicode_text import storable_text
from covel_host.catalog.generation import Generation
from covel_host.proposals.frozen_json import freeze
from covel_host.turn.answer_errors import (
    FAILED_VALIDATOR,
    UNDECLARED_VALIDATOR,
    AnswerIssue,
    AnswerRefused,
)
from plugin_sdk.forms import FormIssue, FormValidator
from plugin_sdk.interactions import FormInteraction
from plugin_sdk.values import JsonObject

VALIDATOR_LIMIT_S: Final = 5.0
"""How long a validator may take; it is pure, so it needs no more than its own reckoning."""

MAX_ISSUES: Final = 50
MAX_ISSUE_CHARACTERS: Final = 1_000

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FormLanguages:
    """The `FormContext` of one check."""

    locale: str
    messages: MappingProxyType[str, str]


async def validator_issues(
    form: FormInteraction,
    values: JsonObject,
    generation: Generation,
    *,
    locale: str,
    tasks: TaskTracker,
) -> tuple[AnswerIssue, ...]:
    """What the validator that `form` names has against normalised `values`; empty without one.

    Raises:
        AnswerRefused: `form_validator_undeclared`: the package does not bring it (any more);
            `form_validator_failed`: it raised, took too long, or gave no verdict.
    """
    if form.validation is None:
        return ()
    validator = generation.forms.get(form.validation.name)
    if validator is None:
        raise AnswerRefused(
            f"The form {form.interaction_id!r} names the check {form.validation.name!r}, which the "
            f"package {generation.plugin_id!r} does not declare.",
            code=UNDECLARED_VALIDATOR,
            hint="The form has to be made anew: run the package's runtime again.",
        )
    messages = own_messages(generation.translations, locale)
    context = FormLanguages(locale, MappingProxyType(messages))
    given = MappingProxyType(_frozen(values))
    data = freeze(json_copy(form.validation.data))
    call = AuthorCall(
        lambda: validator.issues(context, given, data),
        name=f"form validator {validator.name} of {generation.plugin_id}",
        is_async=False,
        tasks=tasks,
    )
    try:
        found: tuple[FormIssue, ...] = await call.returned(limit_s=VALIDATOR_LIMIT_S)
    except AuthorRaised as raised:
        raise _failed(validator, generation, error_text(raised.error), raised.error) from raised
    except AuthorLate as late:
        reason = f"it took longer than {VALIDATOR_LIMIT_S:g} s"
        raise _failed(validator, generation, reason, late) from late
    return tuple(_issue(form, issue) for issue in found[:MAX_ISSUES])


def _frozen(values: JsonObject) -> dict[str, object]:
    return {name: freeze(value) for name, value in values.items()}


def _issue(form: FormInteraction, issue: FormIssue) -> AnswerIssue:
    """An unknown field counts as the whole form (seed: 自定义校验)."""
    message = cut_text(storable_text(str(issue.message)), MAX_ISSUE_CHARACTERS)
    names = {field.name for field in form.fields}
    field = issue.field if issue.field in names else None
    return AnswerIssue(form.interaction_id, message, field)


def _failed(
    validator: FormValidator, generation: Generation, reason: str, error: BaseException
) -> AnswerRefused:
    _LOG.error(
        "The form validator %r of %r failed: %s",
        validator.name,
        generation.plugin_id,
        reason,
        exc_info=error,
    )
    # The text is fixed: a player can do nothing about the check's own mistakes.
    return AnswerRefused(
        "The form could not be checked, so the answer was not accepted.",
        code=FAILED_VALIDATOR,
        hint=f"Tell the author of {generation.plugin_id!r}; the log has the details.",
    )
