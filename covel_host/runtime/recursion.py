"""`ctx.recursive_call`: another runtime of the package, inside this run (spec/execution.md 8)."""

from typing import Final

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.catalog.generation import RuntimeSchemas
from covel_host.proposals.errors import ProposalRefused
from covel_host.runtime.call_life import CallLife
from covel_host.runtime.nested import NestedFacts, NestedRequest, NestedRuns
from covel_host.runtime.nested_targets import NestedTarget
from covel_host.runtime.result import RunFailure, RuntimeResult
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.shown_result import shown_failure
from plugin_sdk.errors import TOOL_ERROR_CODES, ToolError, ToolErrorCode
from plugin_sdk.values import JsonValue

_PROBLEMS: Final = 5
"""How many problems of a payload are told."""


class RunRecursion:
    """Calls of one guard or handler; what the called runtimes stage joins its unit."""

    def __init__(self, run: RuntimeRun, ports: RunPorts, life: CallLife) -> None:
        self._run = run
        self._ports = ports
        self._life = life

    async def __call__(self, runtime_id: str, *, payload: JsonValue = None) -> JsonValue:
        return await self._life.use(lambda: self._called(runtime_id, payload))

    async def _called(self, runtime_id: str, payload: JsonValue) -> JsonValue:
        nested = self._nested()
        target = self._target(nested, runtime_id)
        request = self._request(target, _checked(payload, target))
        self._tell("recursive.calling", request)
        result = await nested.run(request)
        try:
            value = await _value(result, request)
        except ToolError as error:
            told = {"code": error.code, "error": error.message}
            self._tell("recursive.failed", request, **_facts(result), **told)
            raise
        self._tell("recursive.completed", request, **_facts(result))
        return value

    def _nested(self) -> NestedRuns:
        if self._ports.nested is None:
            raise ToolError("unavailable", "This run can start no other one.")
        return self._ports.nested

    def _target(self, nested: NestedRuns, runtime_id: str) -> NestedTarget:
        run = self._run
        found = nested.targets.own(run.plugin_id, runtime_id)
        if found is None:
            raise ToolError(
                "not-found",
                f"The package {run.plugin_id!r} has no runtime {runtime_id!r}.",
                hint=f"It has: {', '.join(nested.targets.own_ids(run.plugin_id))}. "
                "Across packages use services or events.",
            )
        return found

    def _request(self, target: NestedTarget, payload: JsonValue) -> NestedRequest:
        run, around = self._run, self._run.nested
        depth = 1 if around is None else around.depth + 1
        limit = run.manifest.agent_settings.loop.max_recursion_depth
        if depth > limit:
            raise ToolError(
                "unavailable",
                f"{depth - 1} runs are under way one inside the other, and {run.runtime_id!r} "
                f"allows {limit} ('agent.loop.maxRecursionDepth').",
            )
        return NestedRequest(
            target=target,
            facts=NestedFacts(
                kind="recursive",
                depth=depth,
                may_write=run.may_write_through_services,
                is_in_subagent=around is not None and around.is_in_subagent,
            ),
            signal=run.signal,
            staging=run.staging,
            trace=self._ports.trace,
            payload=payload,
        )

    def _tell(self, event: str, request: NestedRequest, **facts: object) -> None:
        target = request.target
        self._ports.trace.add(
            event,
            runtimeId=target.runtime_id,
            pluginId=target.plugin_id,
            depth=request.facts.depth,
            **facts,
        )


def _checked(payload: JsonValue, target: NestedTarget) -> JsonValue:
    try:
        copied = json_copy(payload)
    except JsonValueError as error:
        raise ToolError("invalid-input", f"The payload has no JSON form: {error}.") from error
    schema = target.generation.schemas.get(target.runtime_id, RuntimeSchemas()).payload
    problems = () if schema is None else schema.problems(copied, limit=_PROBLEMS)
    if problems:
        listed = "; ".join(str(problem) for problem in problems)
        raise ToolError(
            "invalid-input",
            f"The payload does not fit the payload schema of {target.runtime_id!r}: {listed}",
        )
    return copied


async def _value(result: RuntimeResult, request: NestedRequest) -> JsonValue:
    """The run's value once its writes have joined the caller's; None of one that chose to skip."""
    failure = shown_failure(result)
    if failure is not None:
        raise _failed(request.target, failure)
    if result.status == "skipped" and not result.is_explicit_skip:
        why = "" if result.is_concealed else f": {result.reason}"
        raise ToolError("unavailable", f"{request.target.runtime_id!r} was not run{why}")
    try:
        await request.staging.take(result.proposals)
    except ProposalRefused as refusal:
        # It applied inside the run; the caller has changed the record meanwhile.
        raise ToolError("conflict", refusal.message, hint=refusal.hint) from refusal
    return json_copy(result.value) if result.has_value else None


def _failed(target: NestedTarget, failure: RunFailure) -> ToolError:
    code: ToolErrorCode = "internal"
    for known in TOOL_ERROR_CODES:
        if known == failure.code:
            code = known
    message = f"{target.runtime_id!r} failed: {failure.message}"
    return ToolError(code, message, hint=failure.hint)


def _facts(result: RuntimeResult) -> dict[str, object]:
    return {"runId": result.run_id, "status": result.status, "durationMs": result.duration_ms}
