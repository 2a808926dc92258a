"""What a person hands to a run, checked before anything is loaded."""

from covel_host.base.errors import HostError
from covel_host.base.json_text import JsonTextError, parse_json
from covel_host.cli.output import one_line, safe_text
from plugin_sdk.values import JsonValue

_NEAR = 20


class PayloadError(HostError):
    """`--payload` is not JSON."""


def payload_value(text: str) -> JsonValue:
    """The value of `--payload`.

    Raises:
        PayloadError: it is not JSON; the message has line, column and the text there.
    """
    try:
        return parse_json(text)
    except JsonTextError as error:
        raise PayloadError(
            f"--payload is not JSON: line {error.line}, column {error.column}: "
            f"{error.message.rstrip('.')}, at {_there(text, error)}.",
            code="payload-not-json",
            hint='Quote the whole value for the shell: --payload \'{"value": "hello"}\'',
        ) from None


def _there(text: str, error: JsonTextError) -> str:
    lines = text.split("\n")
    line = lines[error.line - 1] if error.line <= len(lines) else ""
    rest = line[error.column - 1 :]
    return repr(one_line(safe_text(rest), limit=_NEAR)) if rest.strip() else "the end of the text"
