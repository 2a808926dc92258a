"""What the host says of runs, calls and jobs, as the facts that tests look at."""

from collections.abc import Sequence

from covel_host.base.json_text import parse_json
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.store.jobs import JobRecord
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.testing.results import (
    Failure,
    JobResult,
    Prompt,
    RunResult,
    StagedWrite,
    TakenEvent,
    ToolAnswer,
)


def run_result(
    result: RuntimeResult,
    *,
    prompts: Sequence[Prompt] = (),
    events: Sequence[TakenEvent] = (),
    followers: Sequence[RunResult] = (),
) -> RunResult:
    """One run, with what belongs to the whole execution handed in."""
    return RunResult(
        runtime_id=result.runtime_id,
        status=result.status,
        output=result.output,
        text=result.text,
        reason=result.reason,
        failure=_failure(result.failure),
        warnings=result.warnings,
        tools=tuple(tool_answer(call) for call in result.tool_calls),
        writes=tuple(_write(proposal) for proposal in result.proposals),
        prompts=tuple(prompts),
        events=tuple(events),
        followers=tuple(followers),
    )


def tool_answer(call: ToolCallResult) -> ToolAnswer:
    """One call of a tool."""
    error = call.error
    envelope = parse_json(call.envelope)
    assert isinstance(envelope, dict)
    return ToolAnswer(
        name=call.request.name,
        arguments=call.arguments,
        value=call.content,
        envelope=envelope,
        failure=None if error is None else Failure(error.code, error.message, error.hint),
    )


def job_result(job: JobRecord) -> JobResult:
    """One job, in the state that the store keeps."""
    told = job.failure
    failure = None if told is None else Failure(str(told["code"]), str(told["message"]))
    return JobResult(runtime_id=job.runtime_id, state=job.state, failure=failure)


def _failure(failure: RunFailure | None) -> Failure | None:
    return None if failure is None else Failure(failure.code, failure.message, failure.hint)


def _write(proposal: StagedProposal) -> StagedWrite:
    return StagedWrite(proposal.type, proposal.payload)
