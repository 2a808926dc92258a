"""What may be shown of an error that nobody wrote for a model or for another package."""

import re

from pydantic_core import ValidationError

from covel_host.base.unicode_text import storable_text
from plugin_sdk.errors import TOOL_ERROR_CODES, ToolError, is_tool_error

MAX_AUTHORED_CHARACTERS = 2_000
"""Limit of a message, hint or reason that an author wrote."""

MAX_UNEXPECTED_CHARACTERS = 300
"""Limit of an unexpected error's own text."""

MAX_MODEL_PROBLEMS = 3
"""Problems told of an object that does not fit its model."""

# No word boundaries: an ID is one inside a longer word and beside Chinese text, too.
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def error_text(error: BaseException) -> str:
    """The error's own text, its type's name where it has none; never raises."""
    if isinstance(error, SystemExit):
        return f"sys.exit({error.code!r}) was called"
    return _model_problems(error) or text_of(error) or type(error).__name__


def _model_problems(error: BaseException) -> str | None:
    """What pydantic found wrong with an author's object, as one line.

    Its own text says in its first line no more than how much there is.
    """
    if not isinstance(error, ValidationError):
        return None
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    listed = [
        f"{'.'.join(map(str, each['loc']))}: {each['msg']}" if each["loc"] else each["msg"]
        for each in problems[:MAX_MODEL_PROBLEMS]
    ]
    return storable_text(" ".join(f"{error.title}: {'; '.join(listed)}".split()))


def text_of(value: object) -> str:
    """The text of an author's object, which can be stored; never raises."""
    try:
        return storable_text(str(value))
    except BaseException as broken:
        return f"{type(value).__name__} (its text cannot be shown: {type(broken).__name__})"


def tool_error_of(error: BaseException) -> ToolError | None:
    """`error` as a tool error with a known code and two texts; None when it is none.

    A sub-class may have been made without the members of its base, or with other things in them.
    """
    if not is_tool_error(error) or getattr(error, "code", None) not in TOOL_ERROR_CODES:
        return None
    message, hint = getattr(error, "message", None), getattr(error, "hint", None)
    told = error_text(error) if message is None else text_of(message)
    return ToolError(error.code, told, hint=None if hint is None else text_of(hint))


def kept_text(text: str) -> str:
    """A text that an author wrote for people, as it is stored: within the limit."""
    return cut_text(storable_text(text), MAX_AUTHORED_CHARACTERS)


def unexpected_cause(text: str) -> str:
    """The first line of an error's text, UUIDs as `<id>`, within the limit."""
    lines = text.strip().splitlines() or ["unknown error"]
    return cut_text(_UUID.sub("<id>", lines[0]), MAX_UNEXPECTED_CHARACTERS)


def cut_text(text: str, limit: int) -> str:
    """`text` within `limit` characters; what a broken decoder left in it is shown escaped."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
