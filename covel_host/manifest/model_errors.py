"""Errors of the models in our words: what is wrong, what was expected, what to do.

Errors that our own validators raise already carry the name of the diagnostic as their type and
complete "expected …" with their message.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from covel_host.diagnostics.codes import CODES_BY_NAME
from covel_host.diagnostics.diagnostic import dotted
from covel_host.diagnostics.values_shown import kind_in_words, shown
from covel_host.manifest.fields import BRANCHES
from covel_host.manifest.known_fields import fields_at
from covel_host.manifest.runtime_io import KERNEL_BRANCH
from covel_host.manifest.schedule import CONTRACT_BRANCH, RUNTIME_BRANCH
from covel_host.manifest.spellings import current_spelling, current_value, nearest
from covel_host.manifest.text_forms import FORMS

_KEY_MARK: Final = "[key]"
# Parts of an error's place that no file contains.
_NOT_WRITTEN: Final = BRANCHES | {RUNTIME_BRANCH, CONTRACT_BRANCH, KERNEL_BRANCH, _KEY_MARK}
# Longer lists of fields are no help in a hint.
_FEW_FIELDS: Final = 10


@dataclass(frozen=True, slots=True)
class ModelProblem:
    """One error of a model: which diagnostic, where in the fields, and the words.

    `at_key` says that the key itself is wrong, not its value. `missing` fields have no place of
    their own.
    """

    name: str
    path: tuple[str | int, ...]
    message: str
    hint: str | None = None
    at_key: bool = False


@dataclass(frozen=True, slots=True)
class _Error:
    """One pydantic error, its place cleaned of branch names."""

    model: type[BaseModel]
    place: tuple[str | int, ...]
    path: tuple[str | int, ...]
    at_key: bool
    type: str
    value: object
    said: str
    context: dict[str, Any]
    written: str | None

    @property
    def subject(self) -> str:
        """The field and its value as the start of a sentence: `` `kind` is 'x' ``."""
        if self.at_key:
            return f"The name {shown(self.path[-1])} under `{dotted(self.path[:-1])}`"
        return f"`{dotted(self.path)}` is {shown(self.value, written=self.written)}"


def field_path(place: Sequence[str | int], fields: object) -> tuple[str | int, ...]:
    """The path in `fields` of an error's `place`, which names branches too.

    A name of a branch that a file really uses as a key stays in the path.
    """
    path: list[str | int] = []
    found = fields
    for part in place:
        known = isinstance(found, dict) and part in found
        if part in _NOT_WRITTEN and not known:
            continue
        path.append(part)
        found = found[part] if known and isinstance(found, dict) else _item(found, part)
    return tuple(path)


def _item(found: object, index: str | int) -> object:
    if isinstance(found, list) and isinstance(index, int) and 0 <= index < len(found):
        return found[index]
    return None


def model_problem(
    model: type[BaseModel],
    error: Any,
    fields: object,
    written: Callable[[tuple[str | int, ...]], str | None],
) -> ModelProblem:
    """The problem in `fields` that one entry of `ValidationError.errors()` stands for.

    `written` gives the text a scalar was written with, so that `1.10` is not shown as `1.1`.
    """
    place: tuple[str | int, ...] = error["loc"]
    path = field_path(place, fields)
    kind: str = error["type"]
    seen = _Error(
        model=model,
        place=place,
        path=path,
        at_key=place[-1:] == (_KEY_MARK,) and path[-1:] != (_KEY_MARK,),
        type=kind,
        value=error.get("input"),
        said=error["msg"],
        context=dict(error.get("ctx") or {}),
        written=written(path),
    )
    return _WORDS.get(kind, _own_or_other)(seen)


def _unknown_field(error: _Error) -> ModelProblem:
    holder, field = error.path[:-1], str(error.path[-1])
    where = f"`{dotted(holder)}`" if holder else "The frontmatter"
    today = current_spelling(error.path)
    if today is not None:
        message = f"{where} has no field {shown(field)}; it is written as {today}."
        return ModelProblem("old-spelling", error.path, message, f"Write {today}.", at_key=True)
    known = fields_at(error.model, error.place[:-1])
    near = nearest(field, known)
    if near is not None:
        hint = f"The nearest field is {near!r}."
    elif 0 < len(known) <= _FEW_FIELDS:
        hint = f"The fields here are {_listed(known)}."
    else:
        hint = "Remove it; no field here has a similar name."
    message = f"{where} has no field {shown(field)}."
    return ModelProblem("unknown-field", error.path, message, hint, at_key=True)


def _missing(error: _Error) -> ModelProblem:
    holder = dotted(error.path[:-1])
    where = f"`{holder}`" if holder else "the frontmatter"
    message = f"`{dotted(error.path)}` is missing; {where} needs it."
    return ModelProblem("field-missing", error.path, message, f"Add {str(error.path[-1])!r}.")


def _wrong_type(expected: str) -> Callable[[_Error], ModelProblem]:
    def problem(error: _Error) -> ModelProblem:
        return _type_problem(error, expected)

    return problem


def _type_problem(error: _Error, expected: str) -> ModelProblem:
    value = error.value
    message = f"{error.subject}, {kind_in_words(value)}; expected {expected}."
    if value is None:
        message = f"`{dotted(error.path)}` has no value; expected {expected}."
    return ModelProblem("wrong-type", error.path, message, _type_hint(error, expected))


def _type_hint(error: _Error, expected: str) -> str | None:
    value = error.value
    if value is None:
        return "Write a value, or leave the field out."
    if expected.startswith("a text") and isinstance(value, bool | int | float):
        text = error.written if error.written is not None else shown(value)
        return f'Put it in quotes: "{text}".'
    if expected.startswith("true") and isinstance(value, str):
        means = {"no": "false", "off": "false", "yes": "true", "on": "true"}.get(value.lower())
        return f"Write {means}; YAML 1.2 reads {value} as a text." if means else None
    if expected.startswith(("a whole number", "a number")) and isinstance(value, str):
        return "Write the number without quotes."
    if expected == "a list" and isinstance(value, str):
        return f"Write a list with one item: [{value}]."
    return None


def _closed_set(error: _Error) -> ModelProblem:
    allowed = str(error.context.get("expected", "")).replace(" or ", ", ").split(", ")
    values = tuple(item.strip("'") for item in allowed)
    if allowed == ["True"]:
        allowed, values = ["true"], ("true",)
    expected = f"one of {', '.join(allowed)}" if len(allowed) > 1 else allowed[0]
    hint = None
    if isinstance(error.value, str):
        field = str(error.path[-1]) if error.path else ""
        near = current_value(field, error.value) or nearest(error.value, values)
        hint = f"The nearest value is {near!r}." if near is not None else None
    return ModelProblem(
        "value-not-allowed", error.path, f"{error.subject}; expected {expected}.", hint
    )


def _pattern(error: _Error) -> ModelProblem:
    form = FORMS.get(str(error.context.get("pattern")))
    expected = form.says if form is not None else "another form"
    name = form.name if form is not None else "text-malformed"
    verb = " is malformed" if error.at_key else ""
    message = f"{error.subject}{verb}; expected {expected}."
    return ModelProblem(name, error.path, message, at_key=error.at_key)


def _text_length(error: _Error) -> ModelProblem:
    length = len(str(error.value))
    if "max_length" in error.context:
        limit = f"at most {error.context['max_length']:,}"
    else:
        limit = f"at least {error.context.get('min_length', 1):,}"
    what = "The name" if error.at_key else f"`{dotted(error.path)}`"
    has = "is empty" if length == 0 else f"has {length:,} characters"
    message = f"{what} {has}; expected {limit} characters."
    if error.at_key:
        message = f"The name {shown(error.path[-1])} has {length:,} characters; expected {limit}."
    return ModelProblem("text-length", error.path, message, at_key=error.at_key)


def _range(error: _Error) -> ModelProblem:
    limits = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    context = error.context
    words = [f"{text} {context[key]:,}" for key, text in limits.items() if key in context]
    message = f"{error.subject}; expected {' and '.join(words)}."
    return ModelProblem("number-out-of-range", error.path, message)


def _item_count(error: _Error) -> ModelProblem:
    value = error.value
    count = len(value) if isinstance(value, list | tuple | dict) else 0
    noun = "item" if count == 1 else "items"
    if "max_length" in error.context:
        limit = f"at most {error.context['max_length']:,}"
    else:
        limit = f"at least {error.context.get('min_length', 1):,}"
    message = f"`{dotted(error.path)}` has {count:,} {noun}; expected {limit}."
    return ModelProblem("item-count", error.path, message)


def _duplicate(error: _Error) -> ModelProblem:
    index = error.context.get("index")
    path = (*error.path, index) if isinstance(index, int) else error.path
    message = f"`{dotted(error.path)}` lists {error.context.get('item')} twice."
    return ModelProblem("duplicate-item", path, message, "Remove one of the two.")


def _own_or_other(error: _Error) -> ModelProblem:
    """Errors of our own validators; and any error of pydantic that has no words here yet."""
    if error.type == "wrong-type":
        return _type_problem(error, error.said)
    if error.type == "one-form-of-several" and isinstance(error.value, dict):
        keys = _listed([str(key) for key in error.value]) or "nothing"
        message = f"`{dotted(error.path)}` is a map with {keys}; expected {error.said}."
        return ModelProblem(error.type, error.path, message)
    if error.type in CODES_BY_NAME:
        return ModelProblem(error.type, error.path, f"{error.subject}; expected {error.said}.")
    message = f"{error.subject}, which does not fit: {error.said}."
    return ModelProblem("wrong-type", error.path, message)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


_WORDS: Final[dict[str, Callable[[_Error], ModelProblem]]] = {
    "bool_type": _wrong_type("true or false"),
    "dict_type": _wrong_type("a map"),
    "duplicate-item": _duplicate,
    "extra_forbidden": _unknown_field,
    "float_type": _wrong_type("a number"),
    "greater_than": _range,
    "greater_than_equal": _range,
    "int_type": _wrong_type("a whole number"),
    "less_than": _range,
    "less_than_equal": _range,
    "literal_error": _closed_set,
    "missing": _missing,
    "model_type": _wrong_type("a map"),
    "string_pattern_mismatch": _pattern,
    "string_too_long": _text_length,
    "string_too_short": _text_length,
    "string_type": _wrong_type("a text"),
    "too_long": _item_count,
    "too_short": _item_count,
    "tuple_type": _wrong_type("a list"),
}
