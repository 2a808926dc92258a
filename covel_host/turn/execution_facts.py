"""Gathering the facts of an execution, once, when it begins."""

from dataclasses import replace

from covel_host.catalog.catalog import Catalog
from covel_host.manifest.runtime_manifest import RuntimeManifest
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
    # Who is paused, and so who stands in for whom, is known only after this read.
    wanted = {
        runtime_id: exports
        for runtime_id, manifest in _manifests(catalog, session, target).items()
        if (exports := wanted_exports(manifest, catalog, session))
    }
    frozen = await freeze_session(ports.store, session, exports=wanted)
    hashes = {one.plugin_id: one.content_hash for one in session_generations(catalog, session)}
    paused = paused_packages(frozen.failures, hashes)
    runtimes = session_runtimes(catalog, session, paused=paused)
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


def _manifests(
    catalog: Catalog, session: SessionRecord, target: ManualTarget | None
) -> dict[str, RuntimeManifest]:
    """The manifests of all runtimes that the execution might run, by runtime ID."""
    manifests = {
        runtime.runtime_id: runtime.manifest
        for generation in session_generations(catalog, session)
        for runtime in generation.reading.runtimes
        if runtime.manifest is not None
    }
    if target is not None:
        manifests[target.runtime.runtime_id] = target.runtime.manifest
    return manifests
