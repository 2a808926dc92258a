"""What a failed service means to the tool call that used it (seed: 服务失败怎样回答)."""

from covel_host.services.failures import ServiceFailed, ServiceTimeout
from covel_host.tools.calls import CallError


def service_failure(error: BaseException) -> CallError | None:
    """The failure of a call whose tool let the error of a service pass; None for any other error.

    An imported service fails its tool just so.
    """
    if isinstance(error, ServiceTimeout):
        return CallError("timeout", str(error), raised_by="service", is_authored=True, cause=error)
    if not isinstance(error, ServiceFailed):
        return None
    return CallError(
        error.code,
        error.message,
        error.hint,
        raised_by="service",
        is_authored=error.is_authored,
        details=error.details,
        cause=error,
    )
