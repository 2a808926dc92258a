"""What of an event's members leaves the host (spec/protocol.md 6.2)."""

from collections.abc import Mapping
from typing import Final

from covel_host.trace.redaction import redact, without_secrets
from plugin_sdk.values import JsonObject, JsonValue

_FREE_TEXTS: Final = ("error", "reason", "abortReason")
"""Members with sentences that anything may have got into; the others are what was stored."""


def public_payload(payload: Mapping[str, JsonValue], *, secrets: tuple[str, ...]) -> JsonObject:
    """The members without credentials.

    A story may speak of cookies: only errors are searched for what looks like a credential.
    """
    told = dict(payload)
    for name in _FREE_TEXTS:
        if name in told:
            told[name] = redact(told[name], secrets=secrets)
    if not secrets:
        return told
    return {name: without_secrets(value, secrets) for name, value in told.items()}
