"""What makes an ordinary run of a runtime a run inside another one."""

from dataclasses import replace

from covel_host.base.cancel_signal import CancelSignal
from covel_host.runtime.nested import NestedRequest
from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.runtime.run import RunPorts, RuntimeRun
from covel_host.runtime.shown_text import unseen


def nested_run(
    run: RuntimeRun, ports: RunPorts, request: NestedRequest
) -> tuple[RuntimeRun, RunPorts]:
    """`run` of the request's target, with its ports, as the request wants it.

    It is named by the run ID of `ports.trace`, writes over what its caller has staged and stops
    with it. Its text is not shown: the caller decides what becomes of its output.
    """
    facts, run_id = request.facts, ports.trace.run_id
    staging = request.staging.nested(
        plugin_id=run.plugin_id, runtime_id=run.runtime_id, run_id=run_id
    )
    payload = request.payload if facts.task is None else facts.task.facts
    inside = replace(
        run,
        nested=facts,
        activation=ManualActivation(payload),
        signal=CancelSignal(request.signal),
        staging=staging,
        upstream=(*run.upstream, *request.staging.proposals),
        history=run.history if facts.task is None else facts.task.history,
    )
    trace = request.trace.child(run_id, runtime_id=run.runtime_id, plugin_id=run.plugin_id)
    return inside, replace(ports, trace=trace, on_text=unseen, on_start=_untold, interjections=None)


async def _untold() -> None:
    return None
