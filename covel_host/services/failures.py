"""What the failing of a service call means to its caller (spec/manifest.md 10.4).

Only what the caller can mend counts as its own failure: input that was refused, and a call that was
cancelled. Everything else is the provider's affair and is flagged `refused`.
"""

import logging

from covel_host.base.error_texts import error_text, tool_error_of, unexpected_cause
from covel_host.services.directory import OfferedService
from covel_host.trace.concealed_logs import log_failure
from plugin_sdk.errors import FieldProblem, ToolError, ToolErrorCode, ToolValidationError

INVALID_RESULT = "The service returned an invalid result."
"""The whole message about an output that does not fit its shape; the log has the problems."""

_CALLERS_OWN = ("invalid-input", "cancelled")
_LOG = logging.getLogger(__name__)


class ServiceFailed(ToolError):
    """A call of another package's service failed.

    `is_authored`: the message was written for the caller; otherwise it is the first line of an
    unexpected error. `details` are the problems of a refused input.
    """

    def __init__(
        self,
        code: ToolErrorCode,
        message: str,
        *,
        hint: str | None = None,
        is_authored: bool = True,
        details: tuple[FieldProblem, ...] = (),
    ) -> None:
        super().__init__(code, message, hint=hint)
        self.is_authored = is_authored
        self.details = details

    @property
    def is_refused(self) -> bool:
        """Whether the caller is not to blame."""
        return self.code not in _CALLERS_OWN


class ServiceTimeout(TimeoutError):
    """The provider did not answer in time; never the caller's failure."""

    def __init__(self, contract: str, limit_ms: float) -> None:
        super().__init__(f"The service {contract} did not answer within {limit_ms:g} ms.")


def unavailable(contract: str, reason: str) -> ServiceFailed:
    """The failure of a call that cannot be made; `reason` is a clause that names no package."""
    return ServiceFailed("unavailable", f"The service {contract} is unavailable: {reason}.")


def cancelled(contract: str) -> ServiceFailed:
    """The failure of a call whose caller was cancelled."""
    return ServiceFailed("cancelled", f"The call of the service {contract} was cancelled.")


def failure_of(error: BaseException, offered: OfferedService) -> ServiceFailed:
    """What an error that the provider's code raised means to the caller."""
    told = tool_error_of(error)
    if told is not None:
        return _told(error, told)
    if isinstance(error, ServiceTimeout):
        return ServiceFailed("timeout", str(error))
    text = error_text(error)
    log_failure(
        _LOG,
        "The service %r (%s) of %r failed: %s",
        offered.service.name,
        offered.service.contract,
        offered.plugin_id,
        text,
        cause=error,
    )
    return ServiceFailed("internal", unexpected_cause(text), is_authored=False)


def invalid_result(problem: str, offered: OfferedService) -> ServiceFailed:
    """The failure of a provider whose output does not fit its shape, or is too large."""
    log_failure(
        _LOG,
        "The service %r (%s) of %r returned an invalid result: %s",
        offered.service.name,
        offered.service.contract,
        offered.plugin_id,
        problem,
        cause=None,
    )
    return ServiceFailed("internal", INVALID_RESULT)


def is_blameless(error: BaseException) -> bool:
    """Whether `error` is a service failure that is not the caller's own."""
    return isinstance(error, ServiceTimeout) or (
        isinstance(error, ServiceFailed) and error.is_refused
    )


def _told(error: BaseException, told: ToolError) -> ServiceFailed:
    return ServiceFailed(
        told.code,
        told.message,
        hint=told.hint,
        is_authored=error.is_authored if isinstance(error, ServiceFailed) else True,
        details=error.details if isinstance(error, (ServiceFailed, ToolValidationError)) else (),
    )
