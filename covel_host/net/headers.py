"""The headers that package code may send, and those that go on after a redirect."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from covel_host.net.errors import HttpFailed

MAX_HEADERS: Final = 64
MAX_HEADER_BYTES: Final = 16 * 1024
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}")
_VALUE: Final = re.compile(r"[\t\x20-\x7e]*")
_OURS: Final = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""They say how the message is carried, which is the client's business."""

_HARMLESS: Final = frozenset({"accept", "accept-language", "user-agent"})
"""What another origin may know after a redirect: credentials have names of all kinds."""

_OF_BODY: Final = frozenset({"content-type", "content-encoding", "content-language"})

Headers = list[tuple[str, str]]


def checked_headers(headers: Mapping[str, str] | None) -> Headers:
    """The headers by lower-case name.

    Raises:
        HttpFailed: `invalid-input`: a name or value that could end the header, one of the client's
            own headers, or too many of them.
    """
    checked: Headers = []
    for name, value in (headers or {}).items():
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            raise _invalid(f"{str(name)[:64]!r} is no name of a header.")
        if not isinstance(value, str) or _VALUE.fullmatch(value) is None:
            raise _invalid(f"The value of the header {name!r} holds other than printable ASCII.")
        lower = name.lower()
        if lower in _OURS or lower.startswith("proxy-"):
            raise _invalid(f"The header {name!r} is set by the host.")
        checked.append((lower, value.strip()))
    size = sum(len(name) + len(value) for name, value in checked)
    if len(checked) > MAX_HEADERS or size > MAX_HEADER_BYTES:
        raise _invalid(f"At most {MAX_HEADERS} headers of {MAX_HEADER_BYTES:,} bytes are sent.")
    if len({name for name, _ in checked}) < len(checked):
        raise _invalid("A header is given twice, in different letter case.")
    return checked


def after_redirect(headers: Headers, *, same_origin: bool, keeps_body: bool) -> Headers:
    """What of the headers goes on to where a redirect leads."""
    if not keeps_body:
        headers = [one for one in headers if one[0] not in _OF_BODY]
    if same_origin:
        return headers
    kept = _HARMLESS | _OF_BODY
    return [one for one in headers if one[0] in kept]


def response_headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """By lower-case name; several of one name are joined with commas."""
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _invalid(message: str) -> HttpFailed:
    return HttpFailed(message, code="invalid-input")
