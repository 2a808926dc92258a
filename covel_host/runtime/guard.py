"""Asking a guard, before its runtime runs (spec/execution.md 4)."""

from typing import Final

from covel_host.base.author_calls import AuthorRaised
from covel_host.base.error_texts import kept_text, text_of
from covel_host.base.errors import HostError
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.deadline import RunDeadline, RunTimedOut, run_within
from covel_host.runtime.function_outcome import json_value, read_skip
from covel_host.runtime.guard_context import GuardRunContext
from covel_host.runtime.output_check import check_output
from covel_host.runtime.package_call import PackageCall, failure_of, read_apart
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import PackageFunction, RunPorts, RuntimeRun
from covel_host.runtime.run_gateway import RunGateway
from covel_host.runtime.run_media import RunMedia
from covel_host.runtime.run_record import RunRecord
from plugin_sdk.outcomes import Skip

GUARD_LIMIT_MS: Final = 10_000
"""Limit of a guard (spec/decisions.md 2)."""


class GuardTimedOut(HostError):
    """A guard did not end within its limit."""

    def __init__(self, runtime_id: str, *, was_left: bool) -> None:
        left = " It did not stop when it was cancelled and was left behind." if was_left else ""
        super().__init__(
            f"The guard of {runtime_id!r} did not end within {GUARD_LIMIT_MS} ms.{left}",
            code="timeout",
        )


async def ask_guard(
    run: RuntimeRun, ports: RunPorts, guard: PackageFunction, record: RunRecord
) -> RuntimeResult | None:
    """The result of a run that its guard ended, or None to let it run.

    A skip gives the run its output; what the guard staged is kept then, and joins the run's own
    buffer otherwise. A guard that fails fails the run.

    Raises:
        asyncio.CancelledError: the execution was cancelled.
    """
    try:
        returned = await _returned(run, ports, guard, record)
        return await read_apart(lambda: _read(run, returned, record))
    except AuthorRaised as raised:
        return record.failed(failure_of(raised.error, run.reading, noun="guard"))
    except HostError as error:
        return record.failed(RunFailure(error.code, error.message, error.hint))


async def _returned(
    run: RuntimeRun, ports: RunPorts, guard: PackageFunction, record: RunRecord
) -> object:
    life = CallLife("guard")
    call = PackageCall(guard, name=f"guard of {run.runtime_id}", tasks=ports.tasks)
    deadline = RunDeadline(GUARD_LIMIT_MS / 1000, ports.clock)
    gateway = RunGateway(run, ports, life, slot=_slot(run), on_queued=deadline.extend)
    context = GuardRunContext(
        run,
        ports,
        life,
        stream="guard",
        gateway=gateway,
        media=RunMedia(run, ports, life),
        hidden=frozenset(),
    )

    async def play() -> object:
        returned = await call.returned(context)
        await life.uses_ended()
        return returned

    try:
        return await run_within(
            deadline,
            play(),
            name=f"guard of {run.runtime_id}",
            signal=run.signal,
            tasks=ports.tasks,
        )
    except RunTimedOut as error:
        raise GuardTimedOut(run.runtime_id, was_left=error.was_left or call.is_left) from error
    finally:
        life.end()
        gateway.close()
        record.use = record.use.merged(gateway.use)


async def _read(run: RuntimeRun, returned: object, record: RunRecord) -> RuntimeResult | None:
    said = read_skip(returned, runtime_id=run.runtime_id)
    return None if said is None else _skipped(run, said, record)


def _skipped(run: RuntimeRun, said: Skip, record: RunRecord) -> RuntimeResult:
    whose = f"What the guard of {run.runtime_id!r} gave to skip(…)"
    output = json_value(said.fields, whose=whose)
    assert isinstance(output, dict)
    has_value = bool(output)
    if has_value:
        check_output(run, output, has_value=True)
    return record.result(
        "skipped",
        output=output,
        value=output if has_value else None,
        has_value=has_value,
        # An explicit skip says that a setup runtime's work is done (spec/execution.md 1.3).
        completion="done",
        reason=None if said.reason is None else kept_text(text_of(said.reason)),
        is_explicit_skip=True,
        proposals=run.staging.proposals,
    )


def _slot(run: RuntimeRun) -> str | None:
    function = run.manifest.function
    return run.manifest.agent_settings.model if function is None else function.model
