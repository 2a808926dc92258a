"""What does not fit the models of a pack, in words and at its place."""

from collections.abc import Iterator
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from covel_host.diagnostics.diagnostic import Diagnostic, dotted
from covel_host.diagnostics.known_fields import fields_at
from covel_host.diagnostics.near_names import nearest
from covel_host.diagnostics.values_shown import kind_in_words, shown
from covel_host.diagnostics.yaml_nodes import Path
from covel_host.worlds.models import FORMS, is_locale
from covel_host.worlds.pack_file import PackFile

Model = TypeVar("Model", bound=BaseModel)

MAX_PROBLEMS: Final = 100

_TYPES: Final = {
    "string_type": "a text",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
    "dict_type": "a map",
    "model_type": "a map",
    "tuple_type": "a list",
}
_FEW_FIELDS: Final = 12


def read_value(
    model: type[Model], value: object, file: PackFile, path: Path
) -> tuple[Model | None, list[Diagnostic]]:
    """`value`, which stands at `path` of `file`, as a model; `None` with the problems it has."""
    try:
        return model.model_validate(value), []
    except ValidationError as failure:
        return None, list(model_problems(model, failure, value, file, path))


def model_problems(
    model: type[BaseModel], failure: ValidationError, value: object, file: PackFile, base: Path
) -> Iterator[Diagnostic]:
    """Each problem of `failure`, one per place; `value` stands at `base` of `file`."""
    told: set[tuple[Path, bool]] = set()
    for error in failure.errors(include_url=False)[:MAX_PROBLEMS]:
        place: Path = tuple(error["loc"])
        path, at_key = written_path(place, value)
        if (path, at_key) not in told:
            told.add((path, at_key))
            yield _problem(model, error, place, (*base, *path), at_key, file)


def written_path(place: Path, value: object) -> tuple[Path, bool]:
    """The part of an error's place that the file has, and whether its key is what is wrong."""
    path: list[str | int] = []
    found: Any = value
    for index, part in enumerate(place):
        if part == "[key]":
            return tuple(path), True
        if isinstance(found, dict):
            path.append(part)
            found = found.get(part)
        elif isinstance(found, list) and isinstance(part, int):
            path.append(part)
            found = found[part] if part < len(found) else None
        elif index == 0:
            path.append(part)
    return tuple(path), False


def _problem(
    model: type[BaseModel],
    error: Any,
    place: Path,
    path: Path,
    at_key: bool,
    file: PackFile,
) -> Diagnostic:
    kind: str = error["type"]
    context: dict[str, Any] = error.get("ctx") or {}
    name, value = dotted(path), error.get("input")
    if kind == "extra_forbidden":
        return _unknown_field(model, place, path, file)
    if kind == "missing":
        holder = f"`{dotted(path[:-1])}`" if path[:-1] else file.file
        message = f"`{name}` is missing; {holder} needs it."
        return file.report("field-missing", message, path=path, hint=f"Add {str(path[-1])!r}.")
    if kind == "string_type" and _is_locale_map(value):
        return inline_locale_map(file, path)
    if kind in _TYPES:
        return _wrong_type(_TYPES[kind], value, path, file)
    subject = f"The name {shown(path[-1])}" if at_key else f"`{name}` is {shown(value)}"
    code, expected = _expected(kind, context, str(error["msg"]))
    hint = None
    if kind == "literal_error" and isinstance(value, str):
        allowed = [word.strip("' ") for word in expected.replace(" or ", ", ").split(",")]
        near = nearest(value, [word.removeprefix("one of ").strip("'") for word in allowed])
        hint = f"The nearest value is {near!r}." if near else None
    verb = "; expected" if not at_key else " is malformed; expected"
    message = f"{subject}{verb} {expected}."
    return file.report(code, message, path=path, of_key=at_key, hint=hint)


def _expected(kind: str, context: dict[str, Any], said: str) -> tuple[str, str]:
    """The diagnostic and the end of its sentence for values of the right type."""
    if kind == "literal_error":
        values = str(context["expected"])
        return "value-not-allowed", f"one of {values}" if " or " in values else values
    if kind == "string_pattern_mismatch":
        return "text-malformed", FORMS.get(str(context["pattern"]), "another form")
    if kind == "string_too_short":
        return "text-length", "at least one character"
    if kind == "string_too_long":
        return "text-length", f"at most {context['max_length']:,} characters"
    if kind == "too_long":
        return "item-count", f"at most {context['max_length']:,} entries"
    if kind in ("link-refused", "path-outside-package", "text-malformed"):
        return kind, said
    return "wrong-type", said[:1].lower() + said[1:]


def _unknown_field(model: type[BaseModel], place: Path, path: Path, file: PackFile) -> Diagnostic:
    field, known = str(path[-1]), fields_at(model, place[:-1])
    near = nearest(field, known)
    if near is not None:
        hint = f"The nearest field is {near!r}."
    elif 0 < len(known) <= _FEW_FIELDS:
        hint = f"The fields here are {', '.join(map(repr, known))}."
    else:
        hint = "Remove it; no field here has a similar name."
    holder = f"`{dotted(path[:-1])}`" if path[:-1] else file.file
    message = f"{holder} has no field {shown(field)}."
    return file.report("unknown-field", message, path=path, of_key=True, hint=hint)


def _wrong_type(expected: str, value: object, path: Path, file: PackFile) -> Diagnostic:
    name = dotted(path) or file.file
    if value is None:
        message = f"`{name}` has no value; expected {expected}."
        return file.report("wrong-type", message, path=path, hint="Write a value.")
    if expected == "a text" and isinstance(value, int | float):
        node = file.document.node(path)
        written = node.text if node is not None and node.text else shown(value)
        kind = kind_in_words(value)
        message = f"`{name}` is {written}, which YAML reads as {kind}; expected {expected}."
        code = "wrong-type" if isinstance(value, bool) else "yaml-unquoted-number"
        return file.report(code, message, path=path, hint=f'Put it in quotes: "{written}".')
    kind = "" if isinstance(value, list | dict) else f", {kind_in_words(value)}"
    return file.report(
        "wrong-type", f"`{name}` is {shown(value)}{kind}; expected {expected}.", path=path
    )


def inline_locale_map(file: PackFile, path: Path) -> Diagnostic:
    """The problem of a text that is written as one text per language."""
    stem, _, ending = file.file.rpartition(".")
    return file.report(
        "inline-locale-map",
        f"`{dotted(path)}` is one text per language; a main file holds one language.",
        path=path,
        hint=f"Write the text of the default locale here, and translations in files such as "
        f"{stem}.zh.{ending}.",
    )


def _is_locale_map(value: object) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(is_locale(str(key)) and isinstance(text, str) for key, text in value.items())
    )
