"""The inputs of the turn that a run of an execution is given."""

from functools import partial

from covel_host.runtime.prompt_inputs import InputBinding
from covel_host.turn.bindings import accepted, bound_inputs
from covel_host.turn.facts import ExecutionFacts
from covel_host.turn.finished_runs import FinishedRuns
from covel_host.turn.session_runtimes import SessionRuntime
from covel_host.turn.turn_digest import turn_digest


def inputs_of(
    runtime: SessionRuntime, facts: ExecutionFacts, finished: FinishedRuns
) -> dict[str, InputBinding]:
    """The turn-scoped inputs of `runtime` by slot, as the execution is now.

    One that its own `accepts` refuses is left out.
    """
    bindings = bound_inputs(
        runtime.manifest, finished.given, digest=partial(turn_digest, facts, finished)
    )
    return accepted(bindings, runtime.schemas.inputs)
