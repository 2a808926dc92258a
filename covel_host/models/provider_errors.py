"""A provider library's exceptions as `ModelError`: what failed, where it is set, what to do.

Reads the exceptions by their attributes, so that it imports no provider library.
"""

from collections.abc import Iterator
from dataclasses import replace

from covel_host.models.errors import (
    ErrorCode,
    ErrorFacts,
    ErrorKind,
    ModelError,
    kind_of_status,
    status_is_resent,
)
from covel_host.models.slots import Slot

MAX_BODY_BYTES = 256 * 1024 * 1024
"""The most a whole answer, or one event of a stream, may have (spec/models.md 3)."""

_LONGEST_EXCERPT = 300

_KIND_OF_CATEGORY: dict[str, ErrorKind] = {
    "ModelQuotaExceededError": "quota",
    "ModelRateLimitError": "rate_limited",
    "ModelOverloadedError": "overloaded",
    "ModelUnavailableError": "overloaded",
    "ModelServerError": "server",
    "ModelTimeoutError": "timeout",
    "ModelConnectionError": "unreachable",
    "ModelAuthenticationError": "auth",
    "ModelNotFoundError": "not_found",
    "ModelContextWindowExceededError": "bad_request",
    "ModelRequestRejectedError": "bad_request",
}
"""The library's error classes by name; a class counts as its nearest listed ancestor."""


class AnswerTooLarge(Exception):
    """An answer, or one event of a stream, is over `MAX_BODY_BYTES`."""

    def __init__(self) -> None:
        super().__init__(f"the answer is over {MAX_BODY_BYTES // 1024 // 1024} MiB")


def provider_error(error: Exception, slot: Slot) -> ModelError:
    """The error for whatever the library raised while a request was sent or its answer read."""
    if isinstance(error, ModelError):
        return error
    if type(error).__name__ == "UserError":
        # The library refuses the request before it is sent.
        return _failure(
            f"cannot be asked this way ({_excerpt(str(error), slot)})",
            slot,
            ErrorFacts(kind="config"),
            code="config-error",
        )
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _status_error(error, status, slot)
    if any(isinstance(cause, AnswerTooLarge) for cause in _causes(error)):
        return _failure(
            "sent an answer that is too large to be read",
            slot,
            # The same request would be answered alike, by another model perhaps not.
            ErrorFacts(kind="server"),
            code="reply-broken",
        )
    redirect = _redirect_status(error)
    if redirect is not None:
        return _failure(
            f"answered with a redirect ({redirect}), which is not followed",
            slot,
            ErrorFacts(kind="config", status=redirect),
            hint=f"Correct baseUrl ({slot.base_url.origin}).",
        )
    kind = _category(error)
    if kind in ("unreachable", "timeout"):
        return _connection_error(error, kind, slot)
    if kind is not None or getattr(error, "in_stream", False):
        return _reported_error(error, kind or "server", slot)
    # Only the first line: what follows is the library's listing of fields.
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return broken_reply(f"sent an answer that cannot be read ({_excerpt(reason, slot)})", slot)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _redirect_status(error: Exception) -> int | None:
    for cause in _causes(error):
        for name in ("status_code", "code"):
            status = getattr(cause, name, None)
            if isinstance(status, int) and 300 <= status < 400:
                return status
    return None


def broken_reply(what: str, slot: Slot) -> ModelError:
    """The error for an answer that is there and is no complete reply."""
    return _failure(
        what,
        slot,
        ErrorFacts(kind="server", retriable=True),
        code="reply-broken",
        hint=f"Check that baseUrl ({slot.base_url.origin}) speaks {slot.protocol.value}.",
    )


def refusal(reason: str, slot: Slot) -> ModelError:
    """The error for a reply that the provider's safety rules turned into a refusal."""
    return _failure(
        f"refused to answer: {_excerpt(reason, slot)}",
        slot,
        ErrorFacts(kind="refused"),
        code="refusal",
    )


def _status_error(error: Exception, status: int, slot: Slot) -> ModelError:
    kind = _category(error) or kind_of_status(status)
    if status in (408, 504):
        kind = "timeout"
    told = getattr(error, "provider_retry_hint", None)
    resend = status_is_resent(status) and kind != "quota" if told is None else bool(told)
    facts = ErrorFacts(
        kind=kind,
        status=status,
        retriable=resend or kind in ("rate_limited", "overloaded", "server", "timeout"),
        resend=resend,
        retry_after_s=getattr(error, "retry_after", None),
        provider_code=getattr(error, "provider_error_code", None),
        provider_type=getattr(error, "provider_error_type", None),
    )
    return _failure(
        f"answered with the error {status}{_provider_words(error, slot)}",
        slot,
        facts,
        hint=_hint(kind, slot),
    )


def _connection_error(error: Exception, kind: ErrorKind, slot: Slot) -> ModelError:
    phase = getattr(error, "phase", None)
    what = (
        "did not accept a connection in time"
        if kind == "timeout"
        else "broke off its answer"
        if phase == "read"
        else "could not be reached"
    )
    reason = _root_reason(error)
    return _failure(
        f"{what} ({_excerpt(reason, slot)})",
        slot,
        # Timeouts are the runtime's to retry (spec/models.md 4.2).
        ErrorFacts(kind=kind, retriable=True, resend=kind == "unreachable"),
        hint=f"The address is {slot.base_url.value} ({slot.base_url.origin}).",
    )


def _reported_error(error: Exception, kind: ErrorKind, slot: Slot) -> ModelError:
    retriable = kind in ("rate_limited", "overloaded", "server")
    facts = ErrorFacts(
        kind=kind,
        retriable=retriable,
        resend=retriable,
        retry_after_s=getattr(error, "retry_after", None),
        provider_code=getattr(error, "provider_error_code", None),
        provider_type=getattr(error, "provider_error_type", None),
    )
    return _failure(
        f"reported an error inside its answer{_provider_words(error, slot)}",
        slot,
        facts,
        hint=_hint(kind, slot),
    )


def _failure(
    what: str,
    slot: Slot,
    facts: ErrorFacts,
    *,
    code: ErrorCode = "provider-error",
    hint: str | None = None,
) -> ModelError:
    return ModelError(
        f"Slot {slot.name!r}: model {slot.model.value!r} of provider {slot.provider.value!r} "
        f"{what}.",
        code=code,
        facts=replace(facts, provider=slot.provider.value, model=slot.model.value, slot=slot.name),
        hint=hint,
    )


def _category(error: Exception) -> ErrorKind | None:
    for ancestor in type(error).__mro__:
        if (kind := _KIND_OF_CATEGORY.get(ancestor.__name__)) is not None:
            return kind
    return None


def _hint(kind: ErrorKind, slot: Slot) -> str | None:
    hints: dict[ErrorKind, str] = {
        "auth": f"The key comes from the environment variable {slot.key.variable}.",
        "quota": "The account's quota or credit is used up.",
        "not_found": (
            f"Check the model's name ({slot.model.origin}) and baseUrl ({slot.base_url.origin})."
        ),
    }
    return hints.get(kind)


def _provider_words(error: Exception, slot: Slot) -> str:
    body = getattr(error, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else body
    words = inner.get("message") if isinstance(inner, dict) else inner
    if not isinstance(words, str) or not words.strip():
        return ""
    return f": {_excerpt(words, slot)}"


def _root_reason(error: BaseException) -> str:
    *_, root = _causes(error)
    return str(root) or str(error) or type(root).__name__


def _excerpt(text: str, slot: Slot) -> str:
    """One line of the provider's words, cut, the key taken out where the provider repeats it."""
    if slot.key.value:
        text = text.replace(slot.key.value, "[key]")
    line = " ".join(text.split()).removesuffix(".")
    return line if len(line) <= _LONGEST_EXCERPT else line[: _LONGEST_EXCERPT - 1] + "…"
