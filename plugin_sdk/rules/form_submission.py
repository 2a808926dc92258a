"""A player's answers to a form: normalised, or refused with one text per field.

Seed: create-form (字段的取值规则, 提交可能得到的回应). The texts are for players and written in the
session's language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from plugin_sdk.rules._json import JsonObject, is_number
from plugin_sdk.rules.forms import FormField, number_fault
from plugin_sdk.values import JsonValue

_Fault: TypeAlias = Literal[
    "required", "number", "boolean", "text", "option", "below", "above", "step"
]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# Beyond this a float no longer holds every whole number, and int() grows slow on long digits.
_MAX_INTEGER_DIGITS = 15


@dataclass(frozen=True, slots=True)
class FieldIssue:
    """What is wrong with the answer to the field of this name, for the player to read."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class Submission:
    """A normalised answer.

    `values` holds the accepted fields by name: text, number or boolean, and null for a number that
    the player cleared; an optional field without answer and default is absent. `issues` has one
    item per field that was refused (`form_rejected`). `unknown_fields` are names that the form does
    not have: a bad request and no `form_rejected`, so the other two are empty then.
    """

    values: dict[str, JsonValue]
    issues: tuple[FieldIssue, ...]
    unknown_fields: tuple[str, ...]

    @property
    def is_accepted(self) -> bool:
        """Whether the answer may be stored."""
        return not self.issues and not self.unknown_fields


def normalize_submission(
    fields: Sequence[FormField], submitted: JsonObject, *, locale: str
) -> Submission:
    """The answer `submitted` to a form, or what is wrong with it.

    Numbers may come as text. What was not submitted takes the default, and so does an empty text or
    choice; a cleared number does not. Normalising `values` again gives the same values.

    Args:
        fields: The checked fields of the committed form.
        submitted: One value per field name.
        locale: The session's language: Chinese and Russian have texts of their own, any other
            language gets English.
    """
    names = {field.name for field in fields}
    if unknown := tuple(name for name in submitted if name not in names):
        return Submission({}, (), unknown)
    values: dict[str, JsonValue] = {}
    issues = []
    texts = _texts(locale)
    for field in fields:
        answer = _answer(field, submitted)
        fault = _fault(field, answer)
        if fault is not None:
            issues.append(FieldIssue(field.name, _message(texts[fault], field)))
        elif answer is not _ABSENT:
            values[field.name] = answer  # type: ignore[assignment]  # _ABSENT is out
    return Submission(values, tuple(issues), ())


class _Absent:
    """Nothing was submitted and there is no default."""


_ABSENT = _Absent()


def _answer(field: FormField, submitted: JsonObject) -> JsonValue | _Absent:
    """The submitted value in its stored form, or the default where that stands in."""
    default: JsonValue | _Absent = _ABSENT if field.default is None else field.default
    if field.name not in submitted:
        return default
    value = submitted[field.name]
    if field.type == "number":
        return _number(value)
    if value is None:
        return default
    if value == "" and field.type != "checkbox" and "" not in field.options:
        return value if field.default is None else default
    return value


def _number(value: JsonValue) -> JsonValue:
    """A number for numeric text, None for a cleared field, anything else as it is."""
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        if _NUMBER.fullmatch(text) is None:
            return value
        value = float(text)
        if text.lstrip("+-").isdecimal() and len(text) <= _MAX_INTEGER_DIGITS:
            return int(text)
    if isinstance(value, float) and value.is_integer() and abs(value) < 10**_MAX_INTEGER_DIGITS:
        return int(value)
    return value


def _fault(field: FormField, answer: JsonValue | _Absent) -> _Fault | None:
    if answer is _ABSENT or answer is None:
        return "required" if field.required else None
    if field.type == "number":
        return number_fault(answer, field) if is_number(answer) else "number"
    if field.type == "checkbox":
        return None if isinstance(answer, bool) else "boolean"
    if not isinstance(answer, str):
        return "option" if field.type == "select" else "text"
    if field.type == "select" and answer in field.options:
        return None
    if not answer.strip() and (field.required or not answer):
        return "required" if field.required else None
    return "option" if field.type == "select" else None


def _message(template: str, field: FormField) -> str:
    facts = {
        "label": field.label,
        "min": field.minimum,
        "max": field.maximum,
        "step": field.step,
        "start": field.minimum or 0,
    }
    return template.format_map(facts)


_ENGLISH: Mapping[_Fault, str] = {
    "required": "“{label}” must be filled in.",
    "number": "“{label}” must be a number.",
    "boolean": "“{label}” must be ticked or left empty.",
    "text": "“{label}” must be text.",
    "option": "“{label}” must be one of the given options.",
    "below": "“{label}” must be at least {min}.",
    "above": "“{label}” must be at most {max}.",
    "step": "“{label}” must be a whole number of steps of {step} from {start}.",
}
_CHINESE: Mapping[_Fault, str] = {
    "required": "请填写“{label}”。",
    "number": "“{label}”必须是数字。",
    "boolean": "“{label}”只能勾选或不勾选。",
    "text": "“{label}”必须是文字。",
    "option": "“{label}”必须是给出的选项之一。",
    "below": "“{label}”不能小于 {min}。",
    "above": "“{label}”不能大于 {max}。",
    "step": "“{label}”必须从 {start} 起按 {step} 递增。",
}
_TRADITIONAL_CHINESE: Mapping[_Fault, str] = {
    "required": "請填寫「{label}」。",
    "number": "「{label}」必須是數字。",
    "boolean": "「{label}」只能勾選或不勾選。",
    "text": "「{label}」必須是文字。",
    "option": "「{label}」必須是給出的選項之一。",
    "below": "「{label}」不能小於 {min}。",
    "above": "「{label}」不能大於 {max}。",
    "step": "「{label}」必須從 {start} 起按 {step} 遞增。",
}
_RUSSIAN: Mapping[_Fault, str] = {
    "required": "Заполните поле «{label}».",
    "number": "В поле «{label}» должно быть число.",
    "boolean": "Поле «{label}» можно только отметить или оставить пустым.",
    "text": "В поле «{label}» должен быть текст.",
    "option": "В поле «{label}» нужно выбрать один из вариантов.",
    "below": "Значение поля «{label}» должно быть не меньше {min}.",
    "above": "Значение поля «{label}» должно быть не больше {max}.",
    "step": "Значение поля «{label}» должно идти от {start} с шагом {step}.",
}


def _texts(locale: str) -> Mapping[_Fault, str]:
    parts = locale.replace("_", "-").lower().split("-")
    if parts[0] == "zh":
        traditional = not {"hant", "tw", "hk", "mo"}.isdisjoint(parts)
        return _TRADITIONAL_CHINESE if traditional else _CHINESE
    return _RUSSIAN if parts[0] == "ru" else _ENGLISH
