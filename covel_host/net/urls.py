"""Reading a URL so that it has one meaning, whoever reads it next."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urljoin, urlsplit

from covel_host.net.errors import HttpFailed

MAX_URL_CHARACTERS: Final = 8_192
_PORTS: Final = {"https": 443, "http": 80}
_PATH: Final = "/%:@!$&'()*+,;=~-._"
_QUERY: Final = f"{_PATH}?"


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host in lower-case ASCII (an IPv6 address without brackets), and port."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{'' if self.is_default_port else f':{self.port}'}"

    @property
    def is_default_port(self) -> bool:
        """Whether the port is left out where the origin is written."""
        return _PORTS.get(self.scheme) == self.port


@dataclass(frozen=True, slots=True)
class Address:
    """A URL as it is sent: its origin, and path with query in ASCII, without the fragment."""

    origin: Origin
    target: str

    @property
    def text(self) -> str:
        """The whole URL."""
        return f"{self.origin}{self.target}"


def read_url(text: str) -> Address:
    """The address that `text` means.

    Raises:
        HttpFailed: `invalid-input`: not an absolute HTTP URL, or one that programs read differently
            (control characters, backslashes, a user name).
    """
    if not isinstance(text, str) or len(text) > MAX_URL_CHARACTERS:
        raise _invalid(f"A URL is a text of at most {MAX_URL_CHARACTERS:,} characters.")
    if any(ord(character) <= 0x20 or ord(character) == 0x7F for character in text) or "\\" in text:
        raise _invalid("The URL holds a space, a control character or a backslash.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise _invalid("The URL cannot be read: its host or port is malformed.") from None
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not parts.hostname:
        raise _invalid("The URL is not absolute; expected 'https://' and a host at its start.")
    if "@" in parts.netloc:
        raise _invalid("The URL holds a user name or password. Send credentials in a header.")
    query = f"?{quote(parts.query, safe=_QUERY)}" if parts.query else ""
    origin = Origin(scheme, _host(parts.hostname), _PORTS[scheme] if port is None else port)
    return Address(origin, f"{quote(parts.path, safe=_PATH) or '/'}{query}")


def read_origin(text: str) -> Origin:
    """The origin that a manifest names.

    Raises:
        HttpFailed: `invalid-input`.
    """
    return read_url(text).origin


def redirected(address: Address, location: str) -> Address:
    """Where a `location` header leads from `address`.

    Raises:
        HttpFailed: `unavailable`: it cannot be read.
    """
    try:
        return read_url(urljoin(address.text, location))
    except (HttpFailed, ValueError):
        raise HttpFailed(
            f"{address.origin.host!r} redirects to an address that cannot be read.",
            code="unavailable",
        ) from None


def _host(name: str) -> str:
    name = name.removesuffix(".").lower()
    if ":" in name:
        if "%" in name:
            raise _invalid("The host is an address of a network interface.")
        return name
    try:
        return name if name.isascii() else name.encode("idna").decode("ascii")
    except UnicodeError:
        raise _invalid("The host is no name that can be looked up.") from None


def _invalid(message: str) -> HttpFailed:
    return HttpFailed(message, code="invalid-input")
