"""The HTTP client of a slot: what leaves the process, whatever a provider library would add."""

from typing import Any

from openai import DefaultAsyncHttpxClient, Timeout

from covel_host.models.providers import BUILTIN_PROVIDERS, Protocol, is_loopback, same_origin
from covel_host.models.slots import Slot
from covel_host.models.wire_watch import watch_answer

_CONNECT_S = 15.0
# Nothing else leaves the process: the libraries would add headers from the environment
# (OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS, …) and facts about this machine to every address.
_SENT_HEADERS = frozenset({"accept", "connection", "content-length", "content-type", "host"})
_OWN_HEADERS = frozenset({"openai-organization", "openai-project"})
_FORMAT_HEADERS: dict[Protocol, frozenset[str]] = {
    "anthropic-messages-v1": frozenset({"anthropic-version", "anthropic-beta"}),
}
_USER_AGENT = "covel-host"

_KEY_HEADERS: dict[Protocol, str] = {
    "anthropic-messages-v1": "x-api-key",
    "google-generative-ai-v1": "x-goog-api-key",
}
"""Where a key goes; for other protocols it is `Authorization: Bearer …`."""


def http_client(slot: Slot) -> DefaultAsyncHttpxClient:
    """A client for the address of `slot`; it sends our headers and the slot's key alone."""
    key, protocol = slot.key.value, slot.protocol.value
    allowed = _SENT_HEADERS | _FORMAT_HEADERS.get(protocol, frozenset())
    if same_origin(slot.base_url.value, BUILTIN_PROVIDERS["openai"].base_url):
        allowed |= _OWN_HEADERS

    async def keep_headers(request: Any) -> None:
        for name in list(request.headers):
            if name.lower() not in allowed:
                del request.headers[name]
        request.headers["User-Agent"] = _USER_AGENT
        # Packed bytes could not be watched for an end mark, and texts are small.
        request.headers["Accept-Encoding"] = "identity"
        if key is not None:
            name = _KEY_HEADERS.get(protocol)
            request.headers[name or "Authorization"] = key if name else f"Bearer {key}"

    return DefaultAsyncHttpxClient(
        # Redirects would carry the conversation to an address nobody configured.
        follow_redirects=False,
        # The gateway keeps the time limits; only connecting has one of its own.
        timeout=Timeout(None, connect=_CONNECT_S),
        trust_env=not is_loopback(slot.base_url.value),
        event_hooks={"request": [keep_headers], "response": [watch_answer]},
    )


def key_for_library(slot: Slot) -> str:
    """What to give a library that demands some key; the client decides what is really sent."""
    return slot.key.value or "none"
