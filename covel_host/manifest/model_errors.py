"""Errors of the models in our words: what is wrong, what was expected, what to do.

Errors that our own validators raise already carry the name of the diagnostic as their type and
complete "expected …" with their message.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from pydantic import BaseModel

from covel_host.diagnostics.codes import CODES_BY_NAME
from covel_host.diagnostics.diagnostic import dotted
from covel_host.diagnostics.near_names import nearest, same_but_for_marks
from covel_host.diagnostics.values_shown import shown
from covel_host.manifest.field_errors import FieldError, ModelProblem
from covel_host.manifest.fields import BRANCHES
from covel_host.manifest.frontmatter import Frontmatter
from covel_host.manifest.repairs import is_plain, remove_item, replace_plain
from covel_host.manifest.runtime_io import KERNEL_BRANCH
from covel_host.manifest.schedule import CONTRACT_BRANCH, RUNTIME_BRANCH
from covel_host.manifest.spellings import current_value
from covel_host.manifest.text_forms import FORMS
from covel_host.manifest.type_errors import type_problem
from covel_host.manifest.unknown_fields import listed, unknown_field

_KEY_MARK: Final = "[key]"
# Parts of an error's place that no file contains.
_NOT_WRITTEN: Final = BRANCHES | {RUNTIME_BRANCH, CONTRACT_BRANCH, KERNEL_BRANCH, _KEY_MARK}

# Fields that take a word or something else: what is told beside the words.
_OTHER_FORMS: Final = {
    "defer": ", or a list of tool names",
    "position": ", or a map with 'depth'",
    "toolChoice": ", or a map with 'name'",
}


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
    model: type[BaseModel], error: Any, fields: object, frontmatter: Frontmatter
) -> ModelProblem:
    """The problem in `fields` that one entry of `ValidationError.errors()` stands for.

    `frontmatter` is the file that the fields were read from.
    """
    place: tuple[str | int, ...] = error["loc"]
    path = field_path(place, fields)
    kind: str = error["type"]
    node = frontmatter.document.node(path)
    seen = FieldError(
        model=model,
        place=place,
        path=path,
        at_key=place[-1:] == (_KEY_MARK,) and path[-1:] != (_KEY_MARK,),
        type=kind,
        value=error.get("input"),
        said=error["msg"],
        context=dict(error.get("ctx") or {}),
        written=None if node is None else node.text,
        plain=is_plain(frontmatter, path),
    )
    return _WORDS.get(kind, _own_or_other)(seen)


def _missing(error: FieldError) -> ModelProblem:
    holder = dotted(error.path[:-1])
    where = f"`{holder}`" if holder else "the frontmatter"
    message = f"`{dotted(error.path)}` is missing; {where} needs it."
    return ModelProblem("field-missing", error.path, message, f"Add {str(error.path[-1])!r}.")


def _wrong_type(expected: str) -> Callable[[FieldError], ModelProblem]:
    def problem(error: FieldError) -> ModelProblem:
        return type_problem(error, expected)

    return problem


def _closed_set(error: FieldError) -> ModelProblem:
    allowed = str(error.context.get("expected", "")).replace(" or ", ", ").split(", ")
    values = tuple(item.strip("'") for item in allowed)
    if allowed == ["True"]:
        allowed, values = ["true"], ("true",)
    expected = f"one of {', '.join(allowed)}" if len(allowed) > 1 else allowed[0]
    field = str(error.path[-1]) if error.path else ""
    if error.place[-1] in BRANCHES:
        expected += _OTHER_FORMS.get(field, "")
    message = f"{error.subject}; expected {expected}."
    if not isinstance(error.value, str):
        return ModelProblem("value-not-allowed", error.path, message)
    same = current_value(field, error.value) or same_but_for_marks(error.value, values)
    near = same or nearest(error.value, values)
    hint = f"The nearest value is {near!r}." if near is not None else None
    repair = None if same is None else partial(replace_plain, path=error.path, new=same)
    return ModelProblem("value-not-allowed", error.path, message, hint, repair=repair)


def _pattern(error: FieldError) -> ModelProblem:
    form = FORMS.get(str(error.context.get("pattern")))
    expected = form.says if form is not None else "another form"
    name = form.name if form is not None else "text-malformed"
    verb = " is malformed" if error.at_key else ""
    message = f"{error.subject}{verb}; expected {expected}."
    return ModelProblem(name, error.path, message, at_key=error.at_key)


def _text_length(error: FieldError) -> ModelProblem:
    length = len(str(error.value))
    what = f"The name {shown(error.path[-1])}" if error.at_key else f"`{dotted(error.path)}`"
    has = "is empty" if length == 0 else f"has {length:,} characters"
    message = f"{what} {has}; expected {_length_limit(error)}."
    return ModelProblem("text-length", error.path, message, at_key=error.at_key)


def _length_limit(error: FieldError) -> str:
    longest, shortest = error.context.get("max_length"), error.context.get("min_length", 1)
    if longest is not None:
        return f"at most {longest:,}"
    return "at least one character" if shortest == 1 else f"at least {shortest:,}"


def _range(error: FieldError) -> ModelProblem:
    limits = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    context = error.context
    words = [f"{text} {context[key]:,}" for key, text in limits.items() if key in context]
    message = f"{error.subject}; expected {' and '.join(words)}."
    return ModelProblem("number-out-of-range", error.path, message)


def _item_count(error: FieldError) -> ModelProblem:
    value = error.value
    count = len(value) if isinstance(value, list | tuple | dict) else 0
    noun = "item" if count == 1 else "items"
    if "max_length" in error.context:
        limit = f"at most {error.context['max_length']:,}"
    else:
        limit = f"at least {error.context.get('min_length', 1):,}"
    message = f"`{dotted(error.path)}` has {count:,} {noun}; expected {limit}."
    return ModelProblem("item-count", error.path, message)


def _duplicate(error: FieldError) -> ModelProblem:
    index = error.context.get("index")
    path = (*error.path, index) if isinstance(index, int) else error.path
    message = f"`{dotted(error.path)}` lists {error.context.get('item')} twice."
    repair = partial(remove_item, path=path)
    return ModelProblem("duplicate-item", path, message, "Remove one of the two.", repair=repair)


def _own_or_other(error: FieldError) -> ModelProblem:
    """Errors of our own validators; and any error of pydantic that has no words here yet."""
    if error.type == "wrong-type":
        return type_problem(error, error.said)
    if error.type == "one-form-of-several" and isinstance(error.value, dict):
        keys = listed([str(key) for key in error.value]) or "nothing"
        message = f"`{dotted(error.path)}` is a map with {keys}; expected {error.said}."
        return ModelProblem(error.type, error.path, message)
    if error.type in CODES_BY_NAME:
        return ModelProblem(error.type, error.path, f"{error.subject}; expected {error.said}.")
    message = f"{error.subject}, which does not fit: {error.said}."
    return ModelProblem("wrong-type", error.path, message)


_WORDS: Final[dict[str, Callable[[FieldError], ModelProblem]]] = {
    "bool_type": _wrong_type("true or false"),
    "dict_type": _wrong_type("a map"),
    "duplicate-item": _duplicate,
    "extra_forbidden": unknown_field,
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
