"""Queueing a run that a person starts by hand and does not wait for (spec/execution.md 9.1)."""

from covel_host.runtime.prompt_inputs import ManualActivation
from covel_host.store.jobs import JobRecord, enqueue_job
from covel_host.turn.admission import ManualRequest, admit
from covel_host.turn.announcer import Announcer
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution_facts import execution_facts
from covel_host.turn.facts import ManualTarget, PlayerInput
from covel_host.turn.job_freezing import DeferredRun, deferred_event, frozen_scene, new_job
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.session_jobs import settled_session
from covel_host.turn.session_runtimes import session_runtime
from covel_host.turn.sessions import needed_packages, session_for


async def queue_manual(request: ManualRequest, ports: TurnPorts, observer: Observer) -> JobRecord:
    """Queue a runtime with what it is given, in a session that is there; the job.

    It runs when a worker claims it, by itself, with the values of now.

    Raises:
        RequestRefused: it cannot run at all, `session-needed`, or it is a tool call
            (`not-a-runtime`); nothing was queued.
    """
    session_id = request.session_id
    if session_id is None or request.call is not None:
        raise RequestRefused(
            "Only a runtime is queued, and only in a session that is there.",
            code="session-needed" if session_id is None else "not-a-runtime",
            hint="Give the session: --session ID",
        )
    await ports.catalogs.need(await needed_packages(ports, request))
    with ports.catalogs.lease() as lease:
        target = admit(request, lease.catalog)
        async with settled_session(ports, session_id):
            packages = (target.generation.plugin_id, *request.packages)
            session = await session_for(ports, session_id, packages=packages)
            runtime = session_runtime(target.generation, target.runtime, target.manifest)
            facts = await execution_facts(
                ports,
                lease.catalog,
                session,
                origin="manual",
                target=ManualTarget(runtime, target.payload),
                given=PlayerInput(message=request.message),
                slot=request.slot,
            )
            deferred = DeferredRun(
                job_id=ports.ids.new("job"),
                runtime=runtime,
                activation="manual",
                scene=frozen_scene(
                    runtime, facts, activation=ManualActivation(target.payload), inputs={}
                ),
            )
            job = new_job(facts, deferred, at=ports.clock.now())
            await ports.store.transaction(lambda transaction: enqueue_job(transaction, job))
    ports.workers.wake()
    announcer = Announcer(observer, ports.events, session_id=session_id, turn_id=facts.turn_id)
    await announcer.pass_on([deferred_event(facts, deferred)])
    return job
