r"""The forms of texts in manifests: patterns, what they mean in words, checks of paths and links.

Patterns are used by pydantic's Rust engine, where `$` is the end of the text and `\w` would match
letters of every script; the sets are therefore written out.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from pydantic_core import PydanticCustomError

from plugin_sdk.names import CONTRACT_PATTERN, EXTENSION_ID_PATTERN, TOOL_NAME_PATTERN

PLUGIN_ID: Final = r"^[a-z][a-z0-9-]*$"
CONTRACT_ID: Final = f"^{CONTRACT_PATTERN}$"
EXTENSION_ID: Final = f"^{EXTENSION_ID_PATTERN}$"
TOOL_NAME: Final = f"^{TOOL_NAME_PATTERN}$"
EVENT_TOPIC: Final = r"^[a-z0-9-]+(\.[a-z0-9-]+)+$"
FIELD_NAME: Final = r"^[a-zA-Z][a-zA-Z0-9_-]*$"
PROJECTION_ID: Final = r"^[a-z][a-z0-9_-]*$"
HOST_RANGE: Final = (
    r"^(>=|<=|>|<|=)?[0-9]+\.[0-9]+\.[0-9]+( +(>=|<=|>|<|=)?[0-9]+\.[0-9]+\.[0-9]+)*$"
)
POINTER: Final = r"^(/([^~/]|~[01])*)*$"
HTTP_ORIGIN: Final = r"^https://[^/?#@\s]+$"
NOT_BLANK: Final = r"\S"
EFFECT: Final = (
    r"^((state|narrative|characters|assets|media|lorebook|ui|interaction|unknown):\*"
    r"|plugin-data:self:[a-zA-Z_][a-zA-Z0-9_-]*"
    r"|event:[^\s]+"
    r"|http:https://[^/?#@\s]+)$"
)


@dataclass(frozen=True, slots=True)
class TextForm:
    """What a pattern asks for: `says` completes "expected …"; `name` is the diagnostic's name."""

    says: str
    name: str = "text-malformed"


FORMS: Final[dict[str, TextForm]] = {
    PLUGIN_ID: TextForm(
        "lowercase letters, digits and hyphens, starting with a letter, such as 'moss-ledger'"
    ),
    CONTRACT_ID: TextForm(
        "a contract: lowercase letters, digits, dots and hyphens, then '@' and a version from 1, "
        "such as 'moss.tally@1'"
    ),
    EXTENSION_ID: TextForm(
        "letters, digits, '_', '.' and '-', starting with a letter or digit, such as 'hints'"
    ),
    TOOL_NAME: TextForm("a tool name: 1 to 64 letters, digits, '_' and '-', such as 'look-at-map'"),
    EVENT_TOPIC: TextForm(
        "a topic of at least two parts of lowercase letters, digits and hyphens joined by dots, "
        "such as 'moss.found'"
    ),
    FIELD_NAME: TextForm("letters, digits, '_' and '-', starting with a letter, such as 'herbs'"),
    PROJECTION_ID: TextForm(
        "lowercase letters, digits, '_' and '-', starting with a letter, such as 'facts'"
    ),
    HOST_RANGE: TextForm(
        "comparators with three-part versions, separated by spaces, such as '>=0.1.0 <1.0.0'",
        "host-range-malformed",
    ),
    POINTER: TextForm("a JSON pointer: empty, or parts that each start with '/', such as '/title'"),
    HTTP_ORIGIN: TextForm(
        "an https origin without path, query or user, such as 'https://api.example.org'"
    ),
    NOT_BLANK: TextForm("a text with at least one visible character", "text-length"),
    EFFECT: TextForm(
        "a resource, such as 'characters:*', 'plugin-data:self:notes', 'event:moss.found' or "
        "'http:https://api.example.org'"
    ),
}

MAX_LINK_LENGTH: Final = 2048


def check_link(text: str) -> str:
    """`text`, if it is a link that the host may show (spec/manifest.md 4.2)."""
    if len(text) > MAX_LINK_LENGTH:
        raise _link_refused(f"a link of at most {MAX_LINK_LENGTH:,} characters")
    if any(char.isspace() or not char.isprintable() for char in text):
        raise _link_refused("a link without spaces")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise _link_refused("a link, such as 'https://example.org/page'") from None
    if parts.scheme != "https":
        raise _link_refused("a link that starts with 'https://'")
    if "@" in parts.netloc:
        raise _link_refused("a link without user name and password")
    if not host or port == 0:
        raise _link_refused("a link with a host, such as 'https://example.org/page'")
    return text


def _link_refused(expected: str) -> PydanticCustomError:
    return PydanticCustomError("link-refused", "{expected}", {"expected": expected})


def _checked_contract(reference: str) -> str:
    """`reference`, if it is `contract:` and a contract."""
    if re.fullmatch(CONTRACT_PATTERN, reference.removeprefix("contract:")) is None:
        expected = f"'contract:' and {FORMS[CONTRACT_ID].says}"
        raise PydanticCustomError("text-malformed", "{expected}", {"expected": expected})
    return reference


@dataclass(frozen=True, slots=True)
class PathCheck:
    """A check for relative paths to a file that ends in `suffix` (spec/manifest.md 2.5).

    `may_climb` is for paths from a runtime's folder, which may lead up to the package root; with
    `takes_contract` the text may be `contract:<contract>` in place of a path.
    """

    suffix: str
    may_climb: bool = False
    takes_contract: bool = False

    def __call__(self, path: str) -> str:
        """`path`, if it is such a path with forward slashes."""
        if self.takes_contract and path.startswith("contract:"):
            return _checked_contract(path)
        parts = path.split("/")
        kind = f"'{self.suffix}' file" if self.suffix else "file"
        if not self.may_climb and ".." in parts:
            raise PydanticCustomError(
                "path-outside-package", "{expected}", {"expected": "a path inside the package"}
            )
        if path.startswith("/") or "\\" in path or "\0" in path or parts[0].endswith(":"):
            expected = f"a relative path to a {kind} inside the package, with forward slashes"
        elif not path.endswith(self.suffix) or parts[-1] in ("", ".", "..", self.suffix):
            expected = f"the path of a {kind}"
        else:
            return path
        raise PydanticCustomError("text-malformed", "{expected}", {"expected": expected})
