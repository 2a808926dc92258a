"""Taking the scene of a run that is suspended, and putting it in place again."""

from collections.abc import Iterable, Mapping

from covel_host.base.errors import HostError
from covel_host.proposals.read_sets import ReadSet
from covel_host.runtime.loop_tools import SUSPEND
from covel_host.runtime.run import RuntimeRun
from covel_host.runtime.suspension import (
    AgentScene,
    RunScene,
    SceneProposal,
    SuspendedRun,
)
from covel_host.tools.calls import ToolCallResult
from plugin_sdk.values import JsonObject, JsonValue

ANY_ANSWER: JsonObject = {}
"""The schema of a function that names none: every answer fits."""


class SuspensionNotAllowed(HostError):
    """A run asked to wait for the player where nobody waits for it (seed: suspend)."""

    def __init__(self, runtime_id: str) -> None:
        super().__init__(
            f"{runtime_id!r} asked to be suspended inside another run or a job, which cannot wait.",
            code="suspension-not-allowed",
            hint="Let the outer runtime be suspended, or ask with an interaction.",
        )


def asked_by(calls: Iterable[ToolCallResult], call_id: str) -> tuple[str, JsonObject]:
    """The reason and the schema of the answer that a successful `suspend` call gave."""
    found: JsonValue = next(
        call.content
        for call in reversed(tuple(calls))
        if (call.request.call_id, call.request.name) == (call_id, SUSPEND) and call.error is None
    )
    assert isinstance(found, dict), "the builtin tool gives its marker"
    reason, schema = found["reason"], found["resumeSchema"]
    assert isinstance(schema, dict)
    return str(reason), schema


def suspended_run(
    run: RuntimeRun,
    reason: str,
    resume_schema: Mapping[str, JsonValue],
    calls: Iterable[ToolCallResult],
    *,
    agent: AgentScene | None = None,
) -> SuspendedRun:
    """What `run` leaves to go on with; `calls` are those it has made since it began or went on.

    Raises:
        SuspensionNotAllowed: it is a run inside another one, or one of a job.
    """
    if run.nested is not None or run.is_background:
        raise SuspensionNotAllowed(run.runtime_id)
    outputs = run.earlier_outputs.plus(calls)
    scene = RunScene(
        activation=run.activation,
        locale=run.locale,
        logical_turn=run.logical_turn,
        turn_number=run.turn_number,
        inputs=dict(run.inputs),
        exports=dict(run.exports),
        player_message=run.player_message,
        slot=run.slot,
        stories=run.stories,
        proposals=tuple(
            SceneProposal(
                proposal_id=staged.proposal_id,
                plugin_id=staged.plugin_id,
                type=staged.type,
                payload=staged.payload,
                hidden=tuple(sorted(staged.hidden)),
            )
            for staged in run.staging.proposals
        ),
        reads=run.staging.reads.reads,
        shows=tuple({"type": one.type, "payload": one.payload()} for one in outputs.shows),
        events=outputs.events,
        agent=agent,
    )
    return SuspendedRun(reason=reason, resume_schema=dict(resume_schema), scene=scene)


async def restore_staging(run: RuntimeRun, run_id: str) -> None:
    """Put back what the run had staged and read when it was suspended.

    Raises:
        ProposalRefused: what it had staged does not apply any more.
    """
    assert run.resumed is not None
    scene = run.resumed.scene
    _record(run.staging.reads, scene)
    await run.staging.take(
        tuple(kept.staged(runtime_id=run.runtime_id, run_id=run_id) for kept in scene.proposals)
    )


def _record(reads: ReadSet, scene: RunScene) -> None:
    for read in scene.reads:
        reads.record(read)
