"""What a person hands to a run, checked before anything is loaded."""

import sys
from pathlib import Path

from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.cli.output import one_line, safe_text
from plugin_sdk.values import JsonValue

_NEAR = 20


class PayloadError(HostError):
    """A value that was handed in is not JSON, or cannot be read."""


def given_value(given: str, *, option: str = "--payload") -> JsonValue:
    """The value that an option gives: JSON, `@FILE`, or `-` for standard input.

    Raises:
        PayloadError: like `payload_value`; or the file cannot be read.
    """
    return payload_value(_text_of(given, option), option=option)


def payload_value(text: str, *, option: str = "--payload", hint: str | None = None) -> JsonValue:
    """The value of an option's text; without `hint` a failure says how a shell takes it.

    Raises:
        PayloadError: it is not JSON; the message has line, column and the text there.
    """
    try:
        return parse_json(text)
    except JsonTextError as error:
        raise PayloadError(
            f"{option} is not JSON: line {error.line}, column {error.column}: "
            f"{error.message.rstrip('.')}, at {_there(text, error)}.",
            code="payload-not-json",
            hint=hint or f'Quote the whole value for the shell: {option} \'{{"value": "hello"}}\'',
        ) from None


def _text_of(given: str, option: str) -> str:
    try:
        if given == "-":
            return sys.stdin.read()
        return Path(given[1:]).read_text("utf-8") if given.startswith("@") else given
    except (OSError, UnicodeError) as error:
        where = "standard input" if given == "-" else given[1:]
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise PayloadError(
            f"{option} cannot be read from {safe_text(where)!r}: {reason}.",
            code="payload-not-readable",
        ) from None


def _there(text: str, error: JsonTextError) -> str:
    lines = text.split("\n")
    line = lines[error.line - 1] if error.line <= len(lines) else ""
    rest = line[error.column - 1 :]
    return repr(one_line(safe_text(rest), limit=_NEAR)) if rest.strip() else "the end of the text"
