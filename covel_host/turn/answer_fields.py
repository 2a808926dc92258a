"""What a player submitted to a question, in its stored form, or what is wrong with it.

Pure; the rules of single form fields are `plugin_sdk.rules.form_submission`'s (spec/api.md 5.3).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, assert_never

from plugin_sdk.interactions import ChoiceInteraction, ConfirmationInteraction, FormInteraction
from plugin_sdk.rules.form_submission import normalize_submission
from plugin_sdk.rules.forms import check_form_fields
from plugin_sdk.rules.narrative import fill_narrative_template
from plugin_sdk.values import JsonObject

Question: TypeAlias = FormInteraction | ChoiceInteraction | ConfirmationInteraction

_Text: TypeAlias = Literal["choice", "confirmation", "yes", "no"]


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer by the rules of its question's type.

    `values` are what is stored. `issues` are texts for the player by field. `unknown_fields` are
    names the question does not have: no mistake of a player, so the other two are empty then.
    """

    values: JsonObject
    issues: tuple[tuple[str, str], ...] = ()
    unknown_fields: tuple[str, ...] = ()


def read_answer(question: Question, submitted: JsonObject, *, locale: str) -> ReadAnswer:
    """What `submitted` says to the question; texts are in the language of `locale`."""
    match question:
        case FormInteraction():
            fields = check_form_fields([field.members() for field in question.fields])
            read = normalize_submission(fields, submitted, locale=locale)
            issues = tuple((issue.field, issue.message) for issue in read.issues)
            return ReadAnswer(read.values, issues, read.unknown_fields)
        case ChoiceInteraction():
            return _read_choice(question, submitted, locale)
        case ConfirmationInteraction():
            return _read_confirmation(submitted, locale)
        case _:
            assert_never(question)


def asked_fields(question: Question) -> list[str]:
    """What an answer to the question is made of, each with what it takes, for messages."""
    match question:
        case FormInteraction():
            return [
                f"{field.name} ({field.type}{', required' if field.required else ''})"
                for field in question.fields
            ]
        case ChoiceInteraction():
            options = ", ".join(repr(choice.id) for choice in question.choices)
            return [f"selectedId (one of {options})"]
        case ConfirmationInteraction():
            return ["confirmed (true or false)"]
        case _:
            assert_never(question)


def answer_narrative(question: Question, values: JsonObject, *, locale: str) -> str:
    """The sentence of the story that an accepted answer becomes."""
    if isinstance(question, ConfirmationInteraction):
        is_yes = values["confirmed"] is True
        label = question.confirm_label if is_yes else question.cancel_label
        values = {"confirmed": label or _text("yes" if is_yes else "no", locale)}
    return fill_narrative_template(question.narrative_template, values)


def action_kind(question: Question) -> str:
    """The kind of action that an answer counts as (spec/execution.md 1.2)."""
    default = "say" if isinstance(question, ChoiceInteraction) else "act"
    return question.action_kind or default


def _read_choice(question: ChoiceInteraction, submitted: JsonObject, locale: str) -> ReadAnswer:
    if unknown := _unknown(submitted, ("selectedId", "selectedLabel")):
        return ReadAnswer({}, unknown_fields=unknown)
    labels = {choice.id: choice.label for choice in question.choices}
    chosen = submitted.get("selectedId")
    if not isinstance(chosen, str) or chosen not in labels:
        return ReadAnswer({}, issues=(("selectedId", _text("choice", locale)),))
    # The client's label is never believed.
    return ReadAnswer({"selectedId": chosen, "selectedLabel": labels[chosen]})


def _read_confirmation(submitted: JsonObject, locale: str) -> ReadAnswer:
    if unknown := _unknown(submitted, ("confirmed",)):
        return ReadAnswer({}, unknown_fields=unknown)
    confirmed = submitted.get("confirmed")
    if not isinstance(confirmed, bool):
        return ReadAnswer({}, issues=(("confirmed", _text("confirmation", locale)),))
    return ReadAnswer({"confirmed": confirmed})


def _unknown(submitted: JsonObject, known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in submitted if name not in known)


_ENGLISH: Final[Mapping[_Text, str]] = {
    "choice": "One of the given options must be chosen.",
    "confirmation": "The question must be answered with yes or no.",
    "yes": "Confirm",
    "no": "Cancel",
}
_CHINESE: Final[Mapping[_Text, str]] = {
    "choice": "请选择给出的选项之一。",
    "confirmation": "请回答“确认”或“取消”。",
    "yes": "确认",
    "no": "取消",
}


def _text(name: _Text, locale: str) -> str:
    language = locale.replace("_", "-").lower().split("-")[0]
    return (_CHINESE if language == "zh" else _ENGLISH)[name]
