"""Form fields: what an author or a model may ask a player for (seed: create-form, suspend).

A field is a JSON object `{type, name, label, placeholder?, options?, required?, defaultValue?,
min?, max?, step?}`; an optional member that is null counts as left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

from plugin_sdk.errors import (
    FIX_FIELDS_HINT,
    FieldProblem,
    ToolValidationError,
    problems_message,
)
from plugin_sdk.rules._json import JsonObject, is_array, is_number, is_object, json_text, shorten
from plugin_sdk.values import JsonValue

FieldType: TypeAlias = Literal["text", "textarea", "select", "checkbox", "number"]
NumberFault: TypeAlias = Literal["below", "above", "step"]
"""Why a number does not fit its field."""

# A step of a float that a browser added up is off by far less than this share of the step.
_STEP_TOLERANCE = Fraction(1, 10**9)
_SHOWN_VALUE_LENGTH = 60


@dataclass(frozen=True, slots=True)
class FormField:
    """One checked field; `options` holds the values of a select in order.

    `default` is None when there is none: no type has null for a value.
    """

    type: FieldType
    name: str
    label: str
    required: bool = False
    default: str | bool | int | float | None = None
    options: tuple[str, ...] = ()
    minimum: int | float | None = None
    maximum: int | float | None = None
    step: int | float | None = None


def check_form_fields(fields: Sequence[JsonObject]) -> tuple[FormField, ...]:
    """The fields of a form, checked.

    Names are not empty and unique; a select has an option; a default has the type of its field,
    is one of the options of a select, and fits the bounds and the step of a number.

    Raises:
        ToolValidationError: `details` names every problem by its place, such as `fields.0.step`.
    """
    if not is_array(fields):
        raise ToolValidationError("fields is not an array of fields.", hint=FIX_FIELDS_HINT)
    problems = [
        FieldProblem(f"fields.{index}{path}", message)
        for index, field in enumerate(fields)
        for path, message in _field_problems(field)
    ]
    problems += _repeated_names(fields)
    if problems:
        raise ToolValidationError(
            problems_message(problems), hint=FIX_FIELDS_HINT, details=problems
        )
    return tuple(_read(field) for field in fields if is_object(field))


def number_fault(value: int | float, field: FormField) -> NumberFault | None:
    """Why `value` does not fit the number field, None when it does.

    Steps are counted from `min`, or from 0 (seed: 字段的取值规则). They are counted on the decimal
    texts, so that 0.3 is three steps of 0.1.
    """
    if field.minimum is not None and value < field.minimum:
        return "below"
    if field.maximum is not None and value > field.maximum:
        return "above"
    if field.step is None:
        return None
    steps = (_exact(value) - _exact(field.minimum or 0)) / _exact(field.step)
    return None if abs(steps - round(steps)) <= _STEP_TOLERANCE else "step"


def _exact(number: int | float) -> Fraction:
    return Fraction(repr(number)) if isinstance(number, float) else Fraction(number)


def _field_problems(field: JsonValue) -> Iterator[tuple[str, str]]:
    """Each problem of one field as its member (`.name`, or nothing) and a sentence."""
    if not is_object(field):
        yield "", "The field is not an object."
        return
    name, kind = field.get("name"), field.get("type")
    if not isinstance(name, str) or not name:
        yield ".name", "Every field needs a name as text; an id does not stand in for it."
    if not isinstance(field.get("label"), str):
        yield ".label", "Every field needs a label as text."
    if not isinstance(field.get("required"), (bool, type(None))):
        yield ".required", _expected("true or false", field["required"])
    if not isinstance(field.get("placeholder"), (str, type(None))):
        yield ".placeholder", _expected("text", field["placeholder"])
    if kind not in get_args(FieldType):
        yield ".type", _expected(f"one of {', '.join(get_args(FieldType))}", kind)
    elif bad := [*_shape_problems(field)]:
        yield from bad
    elif field.get("defaultValue") is not None:
        yield from _default_problems(field, field["defaultValue"])


def _shape_problems(field: JsonObject) -> Iterator[tuple[str, str]]:
    """What is wrong with the members that only a select or a number has."""
    if field["type"] == "select":
        yield from _option_problems(field.get("options"))
    if field["type"] != "number":
        return
    for member in ("min", "max", "step"):
        if field.get(member) is not None and not is_number(field[member]):
            yield f".{member}", _expected("a finite number", field[member])
    low, high, step = field.get("min"), field.get("max"), field.get("step")
    if is_number(low) and is_number(high) and low > high:
        yield ".min", f"min {low} is greater than max {high}."
    if is_number(step) and step <= 0:
        yield ".step", _expected("a number greater than 0", step)


def _option_problems(options: JsonValue) -> Iterator[tuple[str, str]]:
    if not is_array(options) or not options:
        yield ".options", "A select needs at least one option."
        return
    for index, option in enumerate(options):
        if not (
            is_object(option)
            and isinstance(option.get("value"), str)
            and isinstance(option.get("label", ""), str)
        ):
            yield f".options.{index}", _expected("an object with value and label as texts", option)


def _default_problems(field: JsonObject, default: JsonValue) -> Iterator[tuple[str, str]]:
    place = ".defaultValue"
    match field["type"]:
        case "checkbox" if not isinstance(default, bool):
            yield place, _expected("true or false", default)
        case "number" if not is_number(default):
            yield place, _expected("a finite number", default)
        case "number":
            checked = _read({**field, "name": "", "label": ""})
            if is_number(default) and (fault := number_fault(default, checked)) is not None:
                yield place, f"{default} does not fit the field's {_FAULT_MEMBERS[fault]}."
        case "select" if default not in _values(field):
            options = ", ".join(_values(field))
            yield place, _expected(f"the value of an option ({options})", default)
        case "text" | "textarea" if not isinstance(default, str):
            yield place, _expected("text", default)


_FAULT_MEMBERS = {"below": "min", "above": "max", "step": "step"}


def _repeated_names(fields: Sequence[JsonValue]) -> Iterator[FieldProblem]:
    seen: set[JsonValue] = set()
    for index, field in enumerate(fields):
        name = field.get("name") if is_object(field) else None
        if isinstance(name, str) and name in seen:
            yield FieldProblem(f"fields.{index}.name", f"{name!r} names another field already.")
        if isinstance(name, str):
            seen.add(name)


def _read(field: JsonObject) -> FormField:
    return FormField(
        type=field["type"],  # type: ignore[arg-type]  # checked before
        name=str(field["name"]),
        label=str(field["label"]),
        required=field.get("required") is True,
        default=field.get("defaultValue"),  # type: ignore[arg-type]  # checked before
        options=tuple(_values(field)) if field["type"] == "select" else (),
        minimum=_number(field, "min"),
        maximum=_number(field, "max"),
        step=_number(field, "step"),
    )


def _number(field: JsonObject, name: str) -> int | float | None:
    value = field.get(name)
    return value if field["type"] == "number" and is_number(value) else None


def _values(field: JsonObject) -> list[str]:
    options = field.get("options")
    listed = options if is_array(options) else []
    return [str(option["value"]) for option in listed if is_object(option)]


def _expected(what: str, value: JsonValue) -> str:
    return f"Expected {what}, got {shorten(json_text(value), _SHOWN_VALUE_LENGTH)}."
