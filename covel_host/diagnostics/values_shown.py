"""Values of a file as they appear in messages: short, on one line, as they were written."""

from typing import Final

MAX_SHOWN: Final = 60


def shown(value: object, *, written: str | None = None) -> str:
    """`value` for the middle of a sentence; `written` is the scalar's text in the file."""
    if isinstance(value, str):
        return repr(value) if len(value) <= MAX_SHOWN else repr(value[: MAX_SHOWN - 1] + "…")
    if isinstance(value, bool | int | float):
        text = written if written is not None else str(value).lower()
        return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"
    return kind_in_words(value)


def kind_in_words(value: object) -> str:
    """What kind of value `value` is, with its article."""
    if value is None:
        return "no value"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list | tuple) else "a map"
