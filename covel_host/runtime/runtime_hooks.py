"""The hooks around a whole runtime: `pre_runtime` and `post_runtime` (spec/manifest.md 10.5)."""

from covel_host.base.cancel_signal import CancelSignal
from covel_host.base.json_text import json_copy
from covel_host.hooks.hook import HookFacts
from covel_host.runtime.bound_values import bound_json
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.result import RuntimeResult
from covel_host.runtime.result_json import changed_result, result_json
from covel_host.runtime.run import RunPorts, RuntimeRun
from plugin_sdk.hook_events import RuntimeEnd, RuntimeStart
from plugin_sdk.values import JsonObject


async def why_not_run(run: RuntimeRun, ports: RunPorts) -> str | None:
    """The reason of a `pre_runtime` hook for leaving the runtime out; None to let it run.

    Raises:
        asyncio.CancelledError: the execution was cancelled.
    """
    if not ports.hooks.listens("pre_runtime"):
        return None
    start = RuntimeStart(
        manifest=run.manifest.model_dump(mode="json", by_alias=True, exclude_unset=True),
        input=_input(run),
    )
    outcome = await ports.hooks.dispatch("pre_runtime", start, _facts(run, ports))
    return outcome.aborted


async def reviewed(run: RuntimeRun, ports: RunPorts, result: RuntimeResult) -> RuntimeResult:
    """`result` after the `post_runtime` hooks; the very same where they changed nothing.

    Raises:
        asyncio.CancelledError: the execution was cancelled.
    """
    if not ports.hooks.listens("post_runtime"):
        return result
    before = result_json(result)
    outcome = await ports.hooks.dispatch(
        "post_runtime", RuntimeEnd(result=before), _facts(run, ports)
    )
    after = outcome.payload.result
    return result if after == before else changed_result(result, after)


def _input(run: RuntimeRun) -> JsonObject:
    given: JsonObject = {}
    if run.player_message is not None:
        given["playerMessage"] = run.player_message
    if isinstance(run.activation, ManualActivation):
        given["manualPayload"] = json_copy(run.activation.payload)
    event = run.trigger_event
    if event is not None:
        given["triggerEvent"] = {"topic": event.topic, "data": json_copy(event.data)}
    for name, bound in (("inputs", run.inputs), ("exports", run.exports)):
        if bound:
            given[name] = {slot: bound_json(binding) for slot, binding in bound.items()}
    return given


def _facts(run: RuntimeRun, ports: RunPorts) -> HookFacts:
    # The run's own signal may be cancelled by its limit, which is not the end of the execution.
    return HookFacts(
        signal=CancelSignal(),
        trace=ports.trace,
        plugin_id=run.plugin_id,
        runtime_id=run.runtime_id,
        target_id=ports.trace.run_id,
    )
