"""Errors and values of a package's code as they appear in messages: short, safe, on one line."""

from typing import Final

MAX_ERROR_TEXT: Final = 400
MAX_VALUE_TEXT: Final = 80


def error_text(error: BaseException) -> str:
    """Type and message, as in `ValueError: no such note`; an empty message gives the type alone."""
    kind = one_line(type(error).__name__, MAX_VALUE_TEXT)
    try:
        # The place of a syntax error stands in the diagnostic, not in its text.
        text = str(error.msg if isinstance(error, SyntaxError) else error)
    except BaseException as failure:
        return f"{kind}, and its text cannot be had ({type(failure).__name__})"
    told = one_line(text, MAX_ERROR_TEXT).rstrip(".")
    return f"{kind}: {told}" if told else kind


def value_text(value: object) -> str:
    """`value` in `repr` form, or what it is where that fails."""
    try:
        return one_line(repr(value), MAX_VALUE_TEXT)
    except BaseException:
        return f"a value of type {type(value).__name__!r}"


def one_line(text: str, limit: int) -> str:
    """`text` in one line of at most `limit` characters, without any that cannot be shown."""
    # Cut before anything else is done: the text may be a whole file.
    joined = " ".join(text[: 4 * limit].split())
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in joined)
    return shown if len(shown) <= limit and len(text) <= 4 * limit else f"{shown[: limit - 1]}…"
