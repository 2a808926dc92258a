"""Running sub-agents for one run, whether its model or its code asks (spec/execution.md 7)."""

from dataclasses import dataclass
from typing import Final

from covel_host.base.error_texts import unexpected_cause
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal
from covel_host.runtime.nested import NestedFacts, NestedRequest, NestedRuns, SubagentTask
from covel_host.runtime.nested_targets import NestedTarget
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.subagent_characters import character_task
from covel_host.runtime.subagent_output import check_actor_output, kept_output
from covel_host.runtime.subagent_targets import target_of
from covel_host.tools.subagents import Delegation
from plugin_sdk.errors import ToolError, ToolErrorCode
from plugin_sdk.values import JsonValue

_KEPT_CODES: Final[dict[str, ToolErrorCode]] = {
    "timeout": "timeout",
    "cancelled": "cancelled",
    "unavailable": "unavailable",
}
"""What a run may have failed with that says the same to whoever asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubagentAnswer:
    """What came of one sub-agent: its whole output for code, and what of it may be kept.

    `proposals` are what it staged; they have joined the caller's unit.
    """

    output: JsonValue
    kept: JsonValue
    proposals: tuple[StagedProposal, ...]


class Subagents:
    """Starts sub-agents on behalf of one run."""

    def __init__(self, run: RuntimeRun, ports: RunPorts) -> None:
        self._run = run
        self._ports = ports

    async def run(self, asked: Delegation, *, call_id: str | None) -> SubagentAnswer:
        """What the sub-agent answers; `call_id` is the tool call that asked, None for code.

        Raises:
            ToolError: see spec/execution.md 7.1; nothing of what the sub-agent staged is kept.
            asyncio.CancelledError: the caller was cancelled.
        """
        nested = self._nested()
        target = target_of(asked, nested.targets, plugin_id=self._run.plugin_id)
        task = await self._task(asked, target)
        with nested.limits.running(is_character=target.plays_character):
            return await self._played(nested, self._request(target, task, call_id))

    def _nested(self) -> NestedRuns:
        inside = self._run.nested
        if inside is not None and inside.is_in_subagent:
            raise ToolError("unavailable", "A sub-agent starts no other one.")
        if self._ports.nested is None:
            raise ToolError("unavailable", "This run can start no sub-agents.")
        return self._ports.nested

    async def _task(self, asked: Delegation, target: NestedTarget) -> SubagentTask:
        if target.plays_character:
            return await character_task(asked, self._run)
        facts = None if asked.data is None else dict(asked.data)
        return SubagentTask(brief=asked.brief, facts=facts, max_steps=asked.max_steps)

    def _request(
        self, target: NestedTarget, task: SubagentTask, call_id: str | None
    ) -> NestedRequest:
        run = self._run
        return NestedRequest(
            target=target,
            facts=NestedFacts(
                kind="subagent",
                depth=1 if run.nested is None else run.nested.depth + 1,
                may_write=run.may_write_through_services,
                task=task,
                is_in_subagent=True,
            ),
            signal=run.signal,
            staging=run.staging,
            trace=self._ports.trace,
            parent_call_id=call_id,
        )

    async def _played(self, nested: NestedRuns, request: NestedRequest) -> SubagentAnswer:
        self._tell("subagent.started", request)
        result = await nested.run(request)
        try:
            answer = await _answer(result, request)
        except ToolError as error:
            told = {"code": error.code, "error": error.message}
            self._tell("subagent.failed", request, **told, **_facts(result))
            raise
        self._tell("subagent.completed", request, **_facts(result))
        return answer

    def _tell(self, event: str, request: NestedRequest, **facts: object) -> None:
        task = request.facts.task
        assert task is not None
        told = {"characterId": task.character_id} if task.character_id is not None else {}
        self._ports.trace.add(
            event,
            parentCallId=request.parent_call_id,
            runtimeId=request.target.runtime_id,
            pluginId=request.target.plugin_id,
            **told,
            **facts,
        )


async def _answer(result: RuntimeResult, request: NestedRequest) -> SubagentAnswer:
    target = request.target
    if result.failure is not None:
        raise _failed(target, result.failure)
    if result.status == "skipped" and not result.has_value:
        why = "" if target.manifest.io.concealed else f": {result.reason or 'it was skipped'}"
        raise ToolError("unavailable", f"The sub-agent did not run{why}.")
    if target.plays_character:
        check_actor_output(result.value)
    try:
        await request.staging.take(result.proposals)
    except ProposalRefused as refusal:
        # A write service let it pass; the caller has changed the record meanwhile.
        raise ToolError("conflict", refusal.message, hint=refusal.hint) from refusal
    return SubagentAnswer(
        output=result.value,
        kept=kept_output(target, result.value),
        proposals=result.proposals,
    )


def _facts(result: RuntimeResult) -> dict[str, object]:
    use = result.model_use
    return {
        "runId": result.run_id,
        "status": result.status,
        "stopReason": result.ended_by or result.status,
        "steps": result.steps,
        "usage": {
            "calls": use.calls,
            "inputTokens": use.input_tokens,
            "outputTokens": use.output_tokens,
        },
        "durationMs": result.duration_ms,
    }


def _failed(target: NestedTarget, failure: RunFailure) -> ToolError:
    code = _KEPT_CODES.get(failure.code, "internal")
    if target.manifest.io.concealed:
        return ToolError(code, "The sub-agent did not come to a good end.")
    return ToolError(code, f"The sub-agent failed: {unexpected_cause(failure.message)}")
