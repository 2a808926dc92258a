"""Running one runtime, or one tool, by hand (spec/execution.md 3.2, 11)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from covel_host.catalog.catalog import Catalog
from covel_host.turn.admission import ManualRequest, Target, admit
from covel_host.turn.execution import Execution
from covel_host.turn.execution_facts import execution_facts
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.facts import ExecutionFacts, ManualTarget, PlayerInput
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.recording import recorded
from covel_host.turn.session_jobs import settled_session
from covel_host.turn.session_locks import session_held
from covel_host.turn.session_runtimes import session_runtime
from covel_host.turn.sessions import needed_packages, session_for


async def run_manual(
    request: ManualRequest, ports: TurnPorts, observer: Observer
) -> ExecutionReport:
    """Run one runtime and what its events start, and commit what they did, or nothing of it.

    The catalog is leased from admission to the end: a reload meanwhile changes nothing. A refusal
    or a store error in the commit is the report's `failure`, and the turn is kept as failed.

    Raises:
        RequestRefused: it cannot run at all; nothing was started.
        ExecutionLockTakenError: another process is executing on this database.
        asyncio.CancelledError: see `Execution.run`.
    """
    await ports.catalogs.need(await needed_packages(ports, request))
    with ports.catalogs.lease() as lease:
        target = admit(request, lease.catalog)
        async with _held(request, ports) as unsettled:
            facts = await _facts(request, target, lease.catalog, ports)
            facts = replace(facts, unsettled=unsettled)
            async with recorded(facts, ports, is_wanted=request.record) as taped:
                return await Execution(facts, taped, observer).run()


@asynccontextmanager
async def _held(request: ManualRequest, ports: TurnPorts) -> AsyncIterator[tuple[str, ...]]:
    """What keeps others away; a session that is not made yet has no jobs to wait for."""
    if request.session_id is None:
        async with session_held(ports, None):
            yield ()
    else:
        async with settled_session(ports, request.session_id) as unsettled:
            yield unsettled


async def _facts(
    request: ManualRequest, target: Target, catalog: Catalog, ports: TurnPorts
) -> ExecutionFacts:
    packages = (target.generation.plugin_id, *request.packages)
    session = await session_for(ports, request.session_id, packages=packages)
    runtime = session_runtime(target.generation, target.runtime, target.manifest)
    return await execution_facts(
        ports,
        catalog,
        session,
        origin="manual",
        target=ManualTarget(runtime, target.payload, request.call),
        given=PlayerInput(message=request.message, message_id=request.input_message_id),
        slot=request.slot,
        is_new_session=request.session_id is None,
    )
