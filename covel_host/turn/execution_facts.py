"""Gathering the facts of an execution, once, when it begins."""

from dataclasses import replace

from covel_host.catalog.catalog import Catalog
from covel_host.store.records import SessionRecord, TurnOrigin
from covel_host.turn.exports import wanted_exports
from covel_host.turn.facts import ExecutionFacts, ManualTarget, PlayerInput, policies_of
from covel_host.turn.freezing import freeze_session
from covel_host.turn.package_pauses import paused_packages
from covel_host.turn.ports import TurnPorts
from covel_host.turn.services import session_generations
from covel_host.turn.session_runtimes import session_runtimes
from covel_host.turn.turn_clock import turn_clock


async def execution_facts(
    ports: TurnPorts,
    catalog: Catalog,
    session: SessionRecord,
    *,
    origin: TurnOrigin,
    given: PlayerInput,
    target: ManualTarget | None = None,
    slot: str | None = None,
    is_new_session: bool = False,
    parent_turn_id: str | None = None,
) -> ExecutionFacts:
    """The facts of an execution of `session`, which nobody else is executing.

    Members as those of `ExecutionFacts`.
    """
    runtimes = session_runtimes(catalog, session)
    if target is not None:
        runtimes = runtimes.with_target(target.runtime)
    wanted = {
        runtime_id: exports
        for runtime_id, runtime in runtimes.by_id.items()
        if (exports := wanted_exports(runtime.manifest, catalog, session))
    }
    frozen = await freeze_session(ports.store, session, exports=wanted)
    paused = paused_packages(frozen.failures, session_generations(catalog, session))
    runtimes = runtimes.without_paused(paused)
    if target is not None:
        # What is run by hand runs, paused or not.
        runtimes = runtimes.with_target(target.runtime)
        target = replace(target, runtime=runtimes.by_id[target.runtime.runtime_id])
    return ExecutionFacts(
        origin=origin,
        catalog=catalog,
        session=session,
        frozen=frozen,
        runtimes=runtimes,
        clock=turn_clock(frozen.clock, runtimes),
        policies=policies_of(
            catalog, session, () if target is None else (target.runtime.generation,)
        ),
        turn_id=ports.ids.new("turn"),
        started_at=ports.clock.now(),
        input=given,
        target=target,
        slot=slot,
        is_new_session=is_new_session,
        parent_turn_id=parent_turn_id,
        paused=paused,
    )
