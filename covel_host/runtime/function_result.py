"""What comes of a handler that returned: checks, effects, and the result of its run."""

from collections.abc import Callable, Sequence
from typing import Final

from covel_host.base.error_texts import kept_text, text_of
from covel_host.proposals.errors import ProposalRefused
from covel_host.runtime.completion_calls import CallOutcome
from covel_host.runtime.completion_function import settle_function
from covel_host.runtime.function_effects import (
    EffectsInvalid,
    diagnostics,
    effect_proposals,
    job_reports,
    refused_channels,
)
from covel_host.runtime.function_outcome import (
    OutcomeInvalid,
    json_value,
    projected,
    read_outcome,
)
from covel_host.runtime.output_check import check_output
from covel_host.runtime.progress import report_progress
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.suspension_scene import ANY_ANSWER, suspended_run
from covel_host.schemas.compiled import SchemaError, compile_schema
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.errors import ToolError
from plugin_sdk.outcomes import Effects, Failed, Skipped, Success, Suspended

REPORTED_FAILURE: Final = "runtime-reported-failure"
_MAX_DIAGNOSTICS: Final = 100
"""How many sentences for the author one run keeps."""

ResultMaker = Callable[..., RuntimeResult]
"""Makes the result of the run from its status and further members of `RuntimeResult`."""


async def settled_result(
    run: RuntimeRun,
    ports: RunPorts,
    returned: object,
    *,
    calls: Sequence[CallOutcome],
    done: Sequence[ToolCallResult],
    result: ResultMaker,
) -> RuntimeResult:
    """The result of a run whose handler returned `returned` after `calls`.

    `done` are the results of these calls. A success is checked against the output schema before its
    effects are staged, so that a wrong value has none. A skipped run keeps what it staged, a failed
    one does not (spec/transactions.md 3.1).

    Raises:
        OutcomeInvalid, OutputInvalid, EffectsInvalid, ProposalRefused, SuspensionNotAllowed: the
            run failed.
    """
    outcome = read_outcome(returned, runtime_id=run.runtime_id)
    if not isinstance(outcome, Suspended):
        await _tell_reports(run, ports, outcome.effects)
    settlement = settle_function(outcome.outcome, calls)
    if isinstance(outcome, Failed):
        failure = RunFailure(
            outcome.code or REPORTED_FAILURE,
            outcome.error,
            None if outcome.hint is None else text_of(outcome.hint),
            counts_as_error=settlement.counts_as_error,
        )
        lost = [
            f"'effects.{channel}' of a failed run is not written"
            for channel in refused_channels(outcome.effects)
        ]
        return result("failed", failure=failure, warnings=(*_warnings(outcome.effects), *lost))
    if settlement.failed_tool is not None:
        message = settlement.message or ""
        return result(
            "failed",
            failure=RunFailure(
                "tool-call-failed", message, counts_as_error=settlement.counts_as_error
            ),
        )
    match outcome:
        case Success():
            return await _success(run, outcome, result)
        case Skipped():
            return _skipped(run, outcome, result)
        case Suspended():
            return _suspended(run, outcome, done, result)


async def _success(run: RuntimeRun, outcome: Success, result: ResultMaker) -> RuntimeResult:
    whose = f"The value that the handler of {run.runtime_id!r} returned"
    value = json_value(outcome.value, whose=whose) if outcome.has_value else None
    check_output(run, value, has_value=outcome.has_value)
    warnings = _warnings(outcome.effects)
    await _stage(run, outcome.effects)
    return result(
        "success",
        output=projected(value, has_value=outcome.has_value),
        value=value,
        has_value=outcome.has_value,
        completion=outcome.completion,
        proposals=run.staging.proposals,
        warnings=warnings,
    )


def _suspended(
    run: RuntimeRun, outcome: Suspended, done: Sequence[ToolCallResult], result: ResultMaker
) -> RuntimeResult:
    whose = f"The resume schema that the handler of {run.runtime_id!r} gave"
    schema = ANY_ANSWER if outcome.resume_schema is None else outcome.resume_schema
    copied = json_value(schema, whose=whose)
    if not isinstance(copied, dict):
        raise OutcomeInvalid(f"{whose} is a {type(schema).__name__!r}, not a JSON Schema.")
    try:
        compile_schema(copied)
    except SchemaError as error:
        raise OutcomeInvalid(f"{whose} cannot be used: {error}.") from error
    reason = kept_text(text_of(outcome.reason))
    return result("suspended", suspension=suspended_run(run, reason, copied, done))


def _skipped(run: RuntimeRun, outcome: Skipped, result: ResultMaker) -> RuntimeResult:
    refused = refused_channels(outcome.effects)
    if refused:
        raise EffectsInvalid(
            f"effects.{refused[0]}",
            "a skipped run may only carry 'job_status' and 'diagnostics'.",
            hint="Return success(…), or write through ctx.plugin_data before skipping.",
        )
    return result(
        "skipped",
        reason=kept_text(outcome.reason),
        is_explicit_skip=True,
        proposals=run.staging.proposals,
        warnings=_warnings(outcome.effects),
    )


def _warnings(effects: Effects) -> tuple[str, ...]:
    texts = diagnostics(effects)
    told = tuple(kept_text(text) for text in texts[:_MAX_DIAGNOSTICS])
    if len(texts) > _MAX_DIAGNOSTICS:
        told = (*told, f"{len(texts) - _MAX_DIAGNOSTICS} more of 'effects.diagnostics' not shown")
    return told


async def _tell_reports(run: RuntimeRun, ports: RunPorts, effects: Effects) -> None:
    for index, report in enumerate(job_reports(effects)):
        try:
            await report_progress(run, ports, report)
        except ToolError as error:
            raise EffectsInvalid(f"effects.job_status.{index}", error.message) from error


async def _stage(run: RuntimeRun, effects: Effects) -> None:
    # The entries were checked together; one by one they are staged so that a refusal names its own.
    for effect in list(effect_proposals(effects)):
        try:
            await run.staging.stage([effect.proposal], hidden=run.data_namespaces)
        except ProposalRefused as refusal:
            if refusal.code != "proposal-invalid":
                raise
            raise EffectsInvalid(effect.path, refusal.message, hint=refusal.hint) from refusal
