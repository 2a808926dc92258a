"""What must not be kept: credentials by key, by form, and by value."""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from covel_host.base.author_calls import is_authors_own
from covel_host.base.json_text import JsonValueError, json_copy
from plugin_sdk.values import JsonValue

REDACTED = "[redacted]"

MIN_SECRET_CHARACTERS = 8
"""A shorter value, such as the dummy key of a local server, is taken out nowhere: it would blank
out ordinary words."""

_MAX_DEPTH = 100
_LONG = 2**64

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

# Each with texts, in small letters, of which one must stand in what it matches: looking for them
# takes a fraction of a search by pattern, and most texts hold none.
_SECRET_TEXTS = (
    # `Authorization: Bearer abc`, `X-Api-Key: abc`, `Set-Cookie: a=b` inside a longer text.
    (
        ("authorization", "api-key", "cookie", "x-auth-token"),
        re.compile(
            r"(?i)\b((?:proxy-)?authorization|(?:x-)?api-key|(?:set-)?cookie|x-auth-token)"
            r"(\s*[:=]\s*)[^\r\n]+"
        ),
        rf"\1\2{REDACTED}",
    ),
    (
        ("bearer", "basic"),
        re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9+/._~=-]{8,}"),
        rf"\1 {REDACTED}",
    ),
    # Keys of model providers: a known prefix and a long random part.
    (
        ("sk", "pk", "rk", "xai", "aiza", "ghp", "github_pat", "xox"),
        re.compile(r"\b(?:sk|pk|rk|gsk|xai|AIza|ghp|github_pat|xox[abpr])[-_A-Za-z0-9]{16,}"),
        REDACTED,
    ),
    # User and password of a URL.
    (("://",), re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)"), REDACTED),
)
_SIGNS = tuple(sign for signs, _, _ in _SECRET_TEXTS for sign in signs)

_MIN_SECRET_TEXT = len("://a:b@")
"""No pattern matches in less."""

_MIN_KEY = len("sk") + 16
"""A provider's key is at least that long; the other patterns match no single word."""

_SEPARATORS = re.compile(r"[^a-z0-9]+")


def redact(value: object, *, secrets: Collection[str] = ()) -> JsonValue:
    """A JSON copy of `value` without credentials; it takes any value and never raises.

    A member whose key names a credential becomes `[redacted]`, and so do header-like and
    key-like parts of texts and every occurrence of one of `secrets` that has at least
    `MIN_SECRET_CHARACTERS`. A value JSON cannot hold
    becomes a text that names its type (spec/protocol.md 6.2). Counts such as `inputTokens` stay.
    """
    return _redacted(value, _ordered(tuple(secrets)) if secrets else (), ())


def redact_members(members: dict[str, Any], secrets: tuple[str, ...]) -> dict[str, JsonValue]:
    """As `redact`, of the members of one event, most of which hold nothing of a credential."""
    texts: list[str] = []
    try:
        copy = _plain_copy(members, texts, _MAX_DEPTH)
    except _NotPlainError:
        pass
    else:
        if isinstance(copy, dict) and _is_harmless(texts, secrets):
            return copy
    redacted = redact(members, secrets=secrets)
    assert isinstance(redacted, dict)
    return redacted


def without_secrets(value: JsonValue, secrets: tuple[str, ...]) -> JsonValue:
    """A JSON value with `[redacted]` for every occurrence of one of `secrets`, and nothing else.

    Shorter ones than `MIN_SECRET_CHARACTERS` stay.
    """
    ordered = _ordered(secrets)
    return _without(value, ordered) if ordered else value


def _without(value: JsonValue, secrets: tuple[str, ...]) -> JsonValue:
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, REDACTED)
        return value
    if isinstance(value, list):
        return [_without(item, secrets) for item in value]
    if isinstance(value, dict):
        return {str(_without(key, secrets)): _without(item, secrets) for key, item in value.items()}
    return value


def is_secret_key(key: str) -> bool:
    """Whether a member of this name is taken for a credential, in any spelling of the name."""
    plain = _SEPARATORS.sub("", key.lower())
    return plain in _SECRET_KEYS or plain.endswith(_SECRET_KEY_ENDS)


class _NotPlainError(Exception):
    """A value is to be redacted the long way."""


def _plain_copy(value: object, texts: list[str], depth: int) -> JsonValue:
    """A copy of a value of JSON's own types without names of credentials; `texts` get its texts.

    Raises:
        _NotPlainError: any other value is among them.
    """
    if type(value) is str:
        texts.append(value)
        return value
    if value is None or type(value) is bool or (type(value) is int and -_LONG < value < _LONG):
        return value
    if depth and type(value) is list:
        return [_plain_copy(item, texts, depth - 1) for item in value]
    if not depth or type(value) is not dict:
        raise _NotPlainError
    copy: dict[str, JsonValue] = {}
    for key, item in value.items():
        if type(key) is not str or len(key) > _MAX_KEPT_KEY or _key_facts(key)[1]:
            raise _NotPlainError
        texts.append(key)
        copy[key] = _plain_copy(item, texts, depth - 1)
    return copy


def _is_harmless(texts: list[str], secrets: tuple[str, ...]) -> bool:
    """Whether `redact` would change none of `texts`; it may say no of some."""
    # One search through all of them costs a fraction of a search through each.
    text = "\n".join(texts)
    if not text.isascii() and text.encode("utf-8", "replace").decode("utf-8") != text:
        return False
    small = text.lower()
    for sign in _SIGNS:
        if sign in small:
            return False
    return not any(secret in text for secret in secrets)


def _ordered(secrets: tuple[str, ...]) -> tuple[str, ...]:
    """Longer ones first: one secret may be the beginning of another."""
    long_enough = (secret for secret in secrets if len(secret) >= MIN_SECRET_CHARACTERS)
    return tuple(sorted(long_enough, key=len, reverse=True))


def _redacted(value: object, secrets: tuple[str, ...], above: tuple[int, ...]) -> JsonValue:
    if isinstance(value, str):
        return _redacted_text(value, secrets)
    if value is None or type(value) is bool or (type(value) is int and -_LONG < value < _LONG):
        return value
    if not isinstance(value, (dict, list, tuple, Mapping)):
        return _redacted_object(value, secrets, above)
    if id(value) in above or len(above) >= _MAX_DEPTH:
        return "[not JSON: contains itself, or is nested too deeply]"
    inner = (*above, id(value))
    if isinstance(value, (list, tuple)):
        return [_redacted(item, secrets, inner) for item in value]
    shown: dict[str, JsonValue] = {}
    for key, item in value.items():
        is_short = type(key) is str and len(key) <= _MAX_KEPT_KEY
        name, is_secret = _key_facts(key) if is_short else _read_key(key)
        if secrets:
            name = _redacted_text(str(key), secrets)
        if is_secret and _holds_something(item):
            shown[name] = REDACTED
        else:
            shown[name] = _redacted(item, secrets, inner)
    return shown


_MAX_KEPT_KEY = 64


def _read_key(key: object) -> tuple[str, bool]:
    """A member's name as it is shown, and whether it is that of a credential."""
    return _redacted_text(str(key), ()), isinstance(key, str) and is_secret_key(key)


# The members of trace events are few and come again and again.
_key_facts = lru_cache(maxsize=1024)(_read_key)


def _redacted_object(value: object, secrets: tuple[str, ...], above: tuple[int, ...]) -> JsonValue:
    try:
        copy = json_copy(value)
    except JsonValueError:
        return f"[not JSON: {type(value).__name__}]"
    except BaseException as error:
        # A foreign object's own dump failed; a trace must not fail with it.
        if not is_authors_own(error):
            raise
        return f"[not JSON: {type(value).__name__}, {type(error).__name__}]"
    return _redacted(copy, secrets, above) if isinstance(copy, (str, list, dict)) else copy


def _holds_something(value: object) -> bool:
    return value is not None and not isinstance(value, bool) and value != ""


def _is_word(text: str) -> bool:
    return text.replace("-", "").isalnum()


def _redacted_text(text: str, secrets: tuple[str, ...]) -> str:
    # Lone surrogates cannot be stored.
    kept = text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
    for secret in secrets:
        kept = kept.replace(secret, REDACTED)
    return without_credentials(kept)


def without_credentials(text: str) -> str:
    """`text` with `[redacted]` for each part that looks like a credential, and nothing else."""
    if len(text) < _MIN_SECRET_TEXT or (len(text) < _MIN_KEY and _is_word(text)):
        return text
    small = text.lower()
    for signs, pattern, replacement in _SECRET_TEXTS:
        for sign in signs:
            if sign in small:
                text = pattern.sub(replacement, text)
                break
    return text
