"""The one error of the models room, and how HTTP statuses read (spec/models.md 4.2, 4.6)."""

from dataclasses import dataclass
from typing import Literal

from covel_host.base.errors import HostError

ErrorKind = Literal[
    "unreachable",
    "timeout",
    "auth",
    "quota",
    "rate_limited",
    "not_found",
    "bad_request",
    "overloaded",
    "server",
    "refused",
    "config",
]
"""What went wrong, in words that do not depend on the provider (spec/models.md 4.6)."""

ErrorCode = Literal[
    "config-error",
    "not-supported-yet",
    "provider-error",
    "reply-broken",
    "refusal",
    "model-timeout",
    "request-budget-exceeded",
    "script-exhausted",
    "not-recorded",
]
"""Stable names; `config-error` is the `CONFIG_ERROR` of spec/models.md, and so on."""

_KIND_OF_STATUS: dict[int, ErrorKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    404: "not_found",
    408: "timeout",
    429: "rate_limited",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}

_RESENT_CLIENT_ERRORS = frozenset({408, 409, 429})


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedSlot:
    """A slot that gave no reply on the way to the one that did, or to the error.

    `code` and `status` are those of its error, `http_requests` what was sent to it: 0 where it was
    passed over, for the reason in `reason`.
    """

    slot: str
    provider: str
    model: str
    code: str
    reason: str
    status: int | None = None
    http_requests: int = 0
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """What is known of a failed call.

    Attributes:
        retriable: the same call may succeed later, so a runtime may ask again (spec/models.md 4.5).
        resend: the same HTTP request may be sent again at once (spec/models.md 4.2).
        retry_after_s: how long the provider asks to wait.
        http_requests: requests sent before this error was reported.
        output_started: the stream had already produced output, so nothing is sent again.
        tried: the slots that were tried or passed over before the one that this error is of.
    """

    kind: ErrorKind
    status: int | None = None
    retriable: bool = False
    resend: bool = False
    retry_after_s: float | None = None
    provider: str | None = None
    model: str | None = None
    slot: str | None = None
    provider_code: str | None = None
    provider_type: str | None = None
    http_requests: int = 0
    output_started: bool = False
    tried: tuple[TriedSlot, ...] = ()


class ModelError(HostError):
    """A model call that gave no reply; `facts` holds what is known, the cause is kept.

    The message names slot, provider and model and never holds a key.
    """

    code: ErrorCode

    def __init__(
        self, message: str, *, code: ErrorCode, facts: ErrorFacts, hint: str | None = None
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.facts = facts

    @property
    def error_kind(self) -> ErrorKind:
        """What went wrong, in provider-neutral words."""
        return self.facts.kind

    @property
    def status(self) -> int | None:
        """The HTTP status, where there was one."""
        return self.facts.status

    @property
    def retriable(self) -> bool:
        """Whether the same call may succeed later."""
        return self.facts.retriable

    @property
    def retry_after_s(self) -> float | None:
        """Seconds the provider asks to wait."""
        return self.facts.retry_after_s


def config_error(message: str, *, hint: str | None = None, slot: str | None = None) -> ModelError:
    """The error for settings under which no request can be sent."""
    return ModelError(
        message, code="config-error", facts=ErrorFacts(kind="config", slot=slot), hint=hint
    )


def not_supported_yet(
    message: str, *, hint: str | None = None, slot: str | None = None
) -> ModelError:
    """The error for a setting that is understood and not served yet."""
    return ModelError(
        message, code="not-supported-yet", facts=ErrorFacts(kind="config", slot=slot), hint=hint
    )


def kind_of_status(status: int) -> ErrorKind:
    """How an HTTP error status reads without any knowledge of the provider."""
    known = _KIND_OF_STATUS.get(status)
    if known is not None:
        return known
    return "server" if status >= 500 else "bad_request"


def status_is_resent(status: int) -> bool:
    """Whether a request answered with `status` may be sent again unchanged."""
    return status in _RESENT_CLIENT_ERRORS or status >= 500
