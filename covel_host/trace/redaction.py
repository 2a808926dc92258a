"""What must not be kept: credentials by key, by form, and by value."""

import re
from collections.abc import Collection, Mapping

from covel_host.base.json_text import JsonValueError, json_copy
from plugin_sdk.values import JsonValue

REDACTED = "[redacted]"

MIN_SECRET_CHARACTERS = 8
"""A shorter value, such as the dummy key of a local server, is taken out nowhere: it would blank
out ordinary words."""

_MAX_DEPTH = 100

_SECRET_KEYS = frozenset(
    {"token", "auth", "authorization", "credential", "credentials", "setcookie", "bearer"}
)
_SECRET_KEY_ENDS = (
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "signingkey",
    "secret",
    "password",
    "passwd",
    "passphrase",
    "cookie",
    "authorization",
    "accesstoken",
    "refreshtoken",
    "authtoken",
    "idtoken",
    "bearertoken",
    "sessiontoken",
    "apitoken",
    "ownertoken",
    "operatortoken",
    "webhooktoken",
)

_SECRET_TEXTS = (
    # `Authorization: Bearer abc`, `X-Api-Key: abc`, `Set-Cookie: a=b` inside a longer text.
    (
        re.compile(
            r"(?i)\b((?:proxy-)?authorization|(?:x-)?api-key|(?:set-)?cookie|x-auth-token)"
            r"(\s*[:=]\s*)[^\r\n]+"
        ),
        rf"\1\2{REDACTED}",
    ),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._~=-]{8,}"), rf"\1 {REDACTED}"),
    # Keys of model providers: a known prefix and a long random part.
    (
        re.compile(r"\b(?:sk|pk|rk|gsk|xai|AIza|ghp|github_pat|xox[abpr])[-_A-Za-z0-9]{16,}"),
        REDACTED,
    ),
    # User and password of a URL.
    (re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"), REDACTED),
)

_SEPARATORS = re.compile(r"[^a-z0-9]+")


def redact(value: object, *, secrets: Collection[str] = ()) -> JsonValue:
    """A JSON copy of `value` without credentials; it takes any value and never raises.

    A member whose key names a credential becomes `[redacted]`, and so do header-like and
    key-like parts of texts and every occurrence of one of `secrets` that has at least
    `MIN_SECRET_CHARACTERS`. A value JSON cannot hold
    becomes a text that names its type (spec/protocol.md 6.2). Counts such as `inputTokens` stay.
    """
    # Longer ones first: one secret may be the beginning of another.
    long_enough = (secret for secret in secrets if len(secret) >= MIN_SECRET_CHARACTERS)
    ordered = tuple(sorted(long_enough, key=len, reverse=True))
    return _redacted(value, ordered, ())


def is_secret_key(key: str) -> bool:
    """Whether a member of this name is taken for a credential, in any spelling of the name."""
    plain = _SEPARATORS.sub("", key.lower())
    return plain in _SECRET_KEYS or plain.endswith(_SECRET_KEY_ENDS)


def _redacted(value: object, secrets: tuple[str, ...], above: tuple[int, ...]) -> JsonValue:
    if isinstance(value, str):
        return _redacted_text(value, secrets)
    if not isinstance(value, (Mapping, list, tuple)):
        return _redacted_object(value, secrets, above)
    if id(value) in above or len(above) >= _MAX_DEPTH:
        return "[not JSON: contains itself, or is nested too deeply]"
    inner = (*above, id(value))
    if isinstance(value, Mapping):
        return {
            _redacted_text(str(key), secrets): REDACTED
            if isinstance(key, str) and is_secret_key(key) and _holds_something(item)
            else _redacted(item, secrets, inner)
            for key, item in value.items()
        }
    return [_redacted(item, secrets, inner) for item in value]


def _redacted_object(value: object, secrets: tuple[str, ...], above: tuple[int, ...]) -> JsonValue:
    try:
        copy = json_copy(value)
    except JsonValueError:
        return f"[not JSON: {type(value).__name__}]"
    except Exception as error:
        # A foreign object's own dump failed; a trace must not fail with it.
        return f"[not JSON: {type(value).__name__}, {type(error).__name__}]"
    return _redacted(copy, secrets, above) if isinstance(copy, (str, list, dict)) else copy


def _holds_something(value: object) -> bool:
    return value is not None and not isinstance(value, bool) and value != ""


def _redacted_text(text: str, secrets: tuple[str, ...]) -> str:
    # Lone surrogates cannot be stored.
    kept = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    for secret in secrets:
        kept = kept.replace(secret, REDACTED)
    for pattern, replacement in _SECRET_TEXTS:
        kept = pattern.sub(replacement, kept)
    return kept
