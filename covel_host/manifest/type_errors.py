"""Values of another type than their field, the habits of YAML 1.1 among them.

`yes`, `12:30` and dates are texts in YAML 1.2, and `1.10` is a number; YAML 1.1 had other ideas,
and many tools and habits still come from it.
"""

from functools import partial

from covel_host.diagnostics.diagnostic import dotted
from covel_host.diagnostics.values_shown import kind_in_words, shown
from covel_host.diagnostics.yaml_scalars import BASE_SIXTY, OLD_TRUTH, NumberRefused, plain_scalar
from covel_host.manifest.field_errors import FieldError, ModelProblem
from covel_host.manifest.repairs import as_list, quote, replace_plain, unquote


def type_problem(error: FieldError, expected: str) -> ModelProblem:
    """The problem of a value that is not `expected`."""
    value = error.value
    if value is None:
        message = f"`{dotted(error.path)}` has no value; expected {expected}."
        return ModelProblem(
            "wrong-type", error.path, message, "Write a value, or leave the field out."
        )
    if expected.startswith("a text") and isinstance(value, bool | int | float):
        return _not_quoted(error, expected)
    if expected.startswith("true") and isinstance(value, str):
        return _not_a_truth_value(error, value, expected)
    if expected.startswith(("a whole number", "a number")) and isinstance(value, str):
        return _not_a_number(error, value, expected)
    return _other(error, expected)


def _other(error: FieldError, expected: str) -> ModelProblem:
    value = error.value
    # Of lists and maps only the kind is shown, and once is enough.
    kind = "" if isinstance(value, list | tuple | dict) else f", {kind_in_words(value)}"
    message = f"{error.subject}{kind}; expected {expected}."
    if expected == "a list" and isinstance(value, str):
        hint = f"Write a list with one item: [{value}]."
        repair = partial(as_list, path=error.path)
        return ModelProblem("wrong-type", error.path, message, hint, repair=repair)
    return ModelProblem("wrong-type", error.path, message)


def _not_quoted(error: FieldError, expected: str) -> ModelProblem:
    """A number or truth value where a text is expected, such as `version: 1.10`."""
    value = error.value
    text = error.written if error.written is not None else shown(value)
    hint = f'Put it in quotes: "{text}".'
    repair = partial(quote, path=error.path)
    if isinstance(value, bool):
        message = f"{error.subject}, a truth value; expected {expected}."
        return ModelProblem("wrong-type", error.path, message, hint, repair=repair)
    read = str(value)
    as_read = f"the number {read}" if read != text else "a number"
    message = f"{error.subject}, which YAML reads as {as_read}; expected {expected}."
    return ModelProblem("yaml-unquoted-number", error.path, message, hint, repair=repair)


def _not_a_truth_value(error: FieldError, value: str, expected: str) -> ModelProblem:
    meant = OLD_TRUTH.get(value.lower())
    if meant is None or not error.plain:
        message = f"{error.subject}, a text; expected {expected}."
        if value not in ("true", "false"):
            return ModelProblem("wrong-type", error.path, message)
        repair = partial(unquote, path=error.path)
        hint = f"Write {value} without quotes."
        return ModelProblem("wrong-type", error.path, message, hint, repair=repair)
    return ModelProblem(
        "yaml-yes-no",
        error.path,
        f"`{dotted(error.path)}` is {value}, which YAML 1.2 reads as the text {value!r}; expected "
        f"{expected}.",
        f"Write {meant}.",
        repair=partial(replace_plain, path=error.path, new=meant),
    )


def _not_a_number(error: FieldError, value: str, expected: str) -> ModelProblem:
    if error.plain and BASE_SIXTY.fullmatch(value):
        return ModelProblem(
            "yaml-base-sixty",
            error.path,
            f"`{dotted(error.path)}` is {value}, which YAML 1.2 reads as the text {value!r} and "
            f"not as a number to base 60; expected {expected}.",
            "Write the number out.",
        )
    message = f"{error.subject}, a text; expected {expected}."
    if not _reads_as_number(value, whole=expected == "a whole number"):
        return ModelProblem("wrong-type", error.path, message)
    hint = "Write the number without quotes."
    repair = partial(unquote, path=error.path)
    return ModelProblem("wrong-type", error.path, message, hint, repair=repair)


def _reads_as_number(text: str, *, whole: bool) -> bool:
    try:
        value = plain_scalar(text)
    except NumberRefused:
        return False
    return isinstance(value, int if whole else int | float) and not isinstance(value, bool)
