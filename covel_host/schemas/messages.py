"""Our own sentences for what a value breaks, one per JSON Schema keyword."""

import json
from collections.abc import Callable
from typing import Any

MAX_VALUE_CHARACTERS = 80
"""A value is quoted up to this length."""

_TYPE_NAMES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def describe(error: Any) -> str:
    """One sentence for an error of the engine: the value, then what was expected."""
    writer = _WRITERS.get(type(error.kind).__name__)
    text = writer(error.kind, error.instance) if writer else error.message
    return str(text)


def quote(value: object) -> str:
    """`value` as JSON, cut to `MAX_VALUE_CHARACTERS`."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_VALUE_CHARACTERS else text[: MAX_VALUE_CHARACTERS - 1] + "…"


def _type(kind: Any, value: object) -> str:
    return f"{quote(value)} is not {_type_names(kind.types)}."


def _type_names(types: list[str]) -> str:
    # The engine gives the types in an order of its own.
    return " or ".join(words for name, words in _TYPE_NAMES.items() if name in types)


def _choices(contexts: list[list[Any]], value: object) -> str:
    """The branch whose problems lie deepest is the one that was meant."""
    branches = [branch for branch in contexts if branch]
    if not branches:
        return f"{quote(value)} fits none of the allowed forms."
    nearest = max(branches, key=lambda branch: max(len(error.instance_path) for error in branch))
    same_depth = [branch[0] for branch in branches]
    if all(type(error.kind).__name__ == "Type" for error in same_depth):
        types = [name for error in same_depth for name in error.kind.types]
        return f"{quote(value)} is not {_type_names(types)}."
    return f"{quote(value)} fits none of the allowed forms; the nearest: {describe(nearest[0])}"


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


_WRITERS: dict[str, Callable[[Any, Any], str]] = {
    "Type": _type,
    "Required": lambda kind, value: f"The member {kind.property!r} is missing.",
    "AdditionalProperties": lambda kind, value: (
        f"The {'member' if len(kind.unexpected) == 1 else 'members'} "
        f"{', '.join(repr(name) for name in kind.unexpected)} "
        f"{'is' if len(kind.unexpected) == 1 else 'are'} not declared."
    ),
    "UnevaluatedProperties": lambda kind, value: (
        f"Not declared: {', '.join(repr(name) for name in kind.unexpected)}."
    ),
    "Enum": lambda kind, value: (
        f"{quote(value)} is none of {', '.join(quote(option) for option in kind.options)}."
    ),
    "Constant": lambda kind, value: f"{quote(value)} is not {quote(kind.expected_value)}.",
    "Minimum": lambda kind, value: f"{quote(value)} is less than {kind.limit}.",
    "Maximum": lambda kind, value: f"{quote(value)} is greater than {kind.limit}.",
    "ExclusiveMinimum": lambda kind, value: f"{quote(value)} is not greater than {kind.limit}.",
    "ExclusiveMaximum": lambda kind, value: f"{quote(value)} is not less than {kind.limit}.",
    "MultipleOf": lambda kind, value: f"{quote(value)} is not a multiple of {kind.multiple_of}.",
    "MinLength": lambda kind, value: (
        f"The text has {_plural(len(value), 'character', 'characters')}; "
        f"at least {kind.limit} are needed."
    ),
    "MaxLength": lambda kind, value: (
        f"The text has {_plural(len(value), 'character', 'characters')}; "
        f"at most {kind.limit} are allowed."
    ),
    "MinItems": lambda kind, value: (
        f"The list has {_plural(len(value), 'item', 'items')}; at least {kind.limit} are needed."
    ),
    "MaxItems": lambda kind, value: (
        f"The list has {_plural(len(value), 'item', 'items')}; at most {kind.limit} are allowed."
    ),
    "MinProperties": lambda kind, value: (
        f"The object has {_plural(len(value), 'member', 'members')}; "
        f"at least {kind.limit} are needed."
    ),
    "MaxProperties": lambda kind, value: (
        f"The object has {_plural(len(value), 'member', 'members')}; "
        f"at most {kind.limit} are allowed."
    ),
    "UniqueItems": lambda kind, value: "Two items of the list are equal.",
    "Pattern": lambda kind, value: f"{quote(value)} does not match the pattern {kind.pattern!r}.",
    "Format": lambda kind, value: f"{quote(value)} is not of the format {kind.format!r}.",
    "AnyOf": lambda kind, value: _choices(kind.context, value),
    "OneOfNotValid": lambda kind, value: _choices(kind.context, value),
    "OneOfMultipleValid": lambda kind, value: (
        f"{quote(value)} fits more than one of the forms of which exactly one is allowed."
    ),
    "Not": lambda kind, value: f"{quote(value)} has a form that is excluded.",
    "FalseSchema": lambda kind, value: f"{quote(value)} is not allowed here.",
    "PropertyNames": lambda kind, value: f"A member's name is wrong: {describe(kind.error)}",
}
