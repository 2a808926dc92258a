"""How a function runtime ends: any failed tool call fails it (spec/execution.md 6.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from covel_host.runtime.completion_calls import CallOutcome
from covel_host.runtime.run_status import RunStatus


@dataclass(frozen=True, slots=True)
class FunctionSettlement:
    """The run's status after its calls were judged.

    `failed_tool` is the first tool whose call failed. `counts_as_error` says whether the failure is
    the runtime's own and is added up towards pausing its plugin: failures of another package's
    service, delegate failures and refusals by a tool are not (spec/decisions.md 5).
    """

    status: RunStatus
    failed_tool: str | None = None
    message: str | None = None
    counts_as_error: bool = False


def settle_function(handler_status: RunStatus, calls: Sequence[CallOutcome]) -> FunctionSettlement:
    """The outcome of a handler that ended with `handler_status` after `calls`, in their order.

    Every failure counts, also one the handler caught, one a hook caused and one of a call that was
    never run. A handler that failed without a failed call failed on its own account.
    """
    failures = [call for call in calls if call.failure is not None]
    if not failures:
        return FunctionSettlement(handler_status, counts_as_error=handler_status == "failed")
    first = failures[0]
    code = first.failure.code if first.failure is not None else ""
    return FunctionSettlement(
        "failed",
        failed_tool=first.tool,
        message=f"The call of {first.tool!r} failed ({code}). Every failed call fails a function "
        "runtime, even when its handler goes on.",
        counts_as_error=any(
            call.failure is not None and not call.failure.is_refused for call in failures
        ),
    )
