"""`ctx.progress`, and the reports that a handler returns (spec/execution.md 9.6)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeAlias, get_args

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.base.unicode_text import storable_text
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.run import RunPorts, RuntimeRun
from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import JobState, JobStatus

_STATES: Final = get_args(JobState)
_MAX_TEXT: Final = 2_000


@dataclass(frozen=True, slots=True)
class ReportingRun:
    """Whose a report is."""

    run_id: str
    plugin_id: str
    runtime_id: str


ProgressSink: TypeAlias = Callable[[ReportingRun, JobStatus], Awaitable[None]]
"""Tells of a report that was checked."""


class RunProgress:
    """Reports of one run; each is told at once and stays, whatever becomes of the run."""

    def __init__(self, run: RuntimeRun, ports: RunPorts, life: CallLife) -> None:
        self._run = run
        self._ports = ports
        self._life = life

    async def report(self, status: JobStatus) -> None:
        await self._life.use(lambda: report_progress(self._run, self._ports, status))


async def report_progress(run: RuntimeRun, ports: RunPorts, status: JobStatus) -> None:
    """Check and tell one report.

    Raises:
        ToolError: `invalid-input`; it is no report, and nobody was told.
    """
    checked = _checked(status)
    if ports.on_progress is not None:
        whose = ReportingRun(ports.trace.run_id, run.plugin_id, run.runtime_id)
        await ports.on_progress(whose, checked)


def _checked(status: object) -> JobStatus:
    if not isinstance(status, JobStatus):
        raise ToolError(
            "invalid-input",
            f"A report is a JobStatus(…), not a {type(status).__name__!r}.",
        )
    if status.state not in _STATES:
        raise ToolError(
            "invalid-input",
            f"'state' is {status.state!r}; states are {', '.join(_STATES)}.",
        )
    if not isinstance(status.sequence, int) or not isinstance(status.job_id, str):
        raise ToolError("invalid-input", "'job_id' is a text and 'sequence' a whole number.")
    if status.progress is not None and not 0 <= status.progress <= 1:
        raise ToolError("invalid-input", f"'progress' is {status.progress!r}; it is from 0 to 1.")
    try:
        data = json_copy(status.data)
    except JsonValueError as error:
        raise ToolError("invalid-input", f"'data' has no JSON form: {error}.") from error
    message = None if status.message is None else storable_text(str(status.message))[:_MAX_TEXT]
    return JobStatus(
        job_id=storable_text(status.job_id),
        state=status.state,
        sequence=status.sequence,
        progress=status.progress,
        message=message,
        data=data if data is None or isinstance(data, dict) else {"value": data},
    )
