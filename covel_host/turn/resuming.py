"""Going on with a suspended run, with the player's answer (spec/execution.md 10.2)."""

from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.catalog.catalog import Catalog
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.runtime.suspension import ResumedRun, RunScene, scene_of
from covel_host.schemas.compiled import compile_schema
from covel_host.store.records import SessionRecord
from covel_host.store.suspensions import (
    SuspensionRecord,
    end_suspensions,
    get_suspension,
    pending_suspensions,
)
from covel_host.store.transaction import Reading, Transaction
from covel_host.turn.admission import loaded_generation
from covel_host.turn.announcer import Announcer
from covel_host.turn.errors import RequestRefused
from covel_host.turn.execution import Execution
from covel_host.turn.execution_facts import execution_facts
from covel_host.turn.execution_report import ExecutionReport
from covel_host.turn.facts import Continued, ExecutionFacts, ManualTarget, PlayerInput
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.recording import recorded
from covel_host.turn.schedule_setup_records import UNVERSIONED
from covel_host.turn.session_changes import ChangePlace, changed_session
from covel_host.turn.session_jobs import settled_session
from covel_host.turn.session_runtimes import SessionRuntime, session_runtime
from covel_host.turn.sessions import active_session
from covel_host.turn.suspension_listing import suspension_not_found
from covel_host.turn.suspension_targets import target_versions
from plugin_sdk.values import JsonValue

STALE = "suspension-stale"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeRequest:
    """An answer to a run that waits; `data` has to fit the schema that it asked with.

    With `record` what the run takes from outside is recorded.
    """

    session_id: str
    suspension_id: str
    data: JsonValue
    seat_id: str = DEFAULT_SEAT_ID
    record: bool = False


async def resume_run(
    request: ResumeRequest, ports: TurnPorts, observer: Observer
) -> ExecutionReport:
    """Go on with a suspended run and what its events start, and commit it, or nothing of it.

    It goes on as it was; only the world is that of now, with what the run had staged over it. When
    it fails or is not committed it waits as before. The locks that are held to the end are the
    claim: a process that dies with them leaves the run waiting.

    Raises:
        RequestRefused: nothing was started: `session-not-found`, `session-not-active`,
            `suspension-not-found`, `suspension-resolved`, `suspension-stale` (it is voided then),
            `invalid-resume-data`, `package-not-active`, or as `loaded_generation`.
        ExecutionLockTakenError: another process is executing on this database.
        asyncio.CancelledError: see `Execution.run`.
    """
    session = await active_session(ports.store, request.session_id)
    await ports.suspension_sweep.run_if_due()
    await ports.catalogs.need(session.active_packages)
    with ports.catalogs.lease() as lease:
        async with settled_session(ports, request.session_id) as unsettled:
            session = await active_session(ports.store, request.session_id)
            facts = await resumed_facts(request, session, lease.catalog, ports)
            await _tell(facts, request, ports, observer)
            facts = replace(facts, unsettled=unsettled)
            async with recorded(facts, ports, is_wanted=request.record) as taped:
                return await Execution(facts, taped, observer).run()


async def resumed_facts(
    request: ResumeRequest, session: SessionRecord, catalog: Catalog, ports: TurnPorts
) -> ExecutionFacts:
    """The facts of an execution that goes on with a suspended run of `session`.

    Raises:
        RequestRefused: as `resume_run`.
    """
    record, others = await ports.store.read(lambda reading: _waiting(reading, request))
    runtime = _runtime(record, session, catalog)
    scene = _scene(record)
    why = await ports.store.read(lambda reading: _why_stale(reading, record, runtime, scene))
    if why is not None or scene is None:
        await _void(ports, record)
        raise _stale(record, why or "this version of the host cannot read what it goes on with")
    data = _checked(request, record)
    described: Any = record.facts
    continued = Continued(
        record=record,
        run=ResumedRun(suspension_id=record.suspension_id, data=data, scene=scene),
        logical_turn_id=described["logicalTurnId"],
        counts_turn=described["countsTurn"],
        is_last=not any(one.facts["logicalTurnId"] == described["logicalTurnId"] for one in others),
    )
    return await execution_facts(
        ports,
        catalog,
        session,
        origin="resume",
        given=PlayerInput(seat_id=request.seat_id),
        target=ManualTarget(runtime, None, continued=continued),
        slot=scene.slot,
        parent_turn_id=record.turn_id,
    )


def _waiting(
    reading: Reading, request: ResumeRequest
) -> tuple[SuspensionRecord, list[SuspensionRecord]]:
    """The suspension that is answered, and the others that wait in the session."""
    session_id, suspension_id = request.session_id, request.suspension_id
    record = get_suspension(reading, session_id, suspension_id)
    if record is None:
        raise suspension_not_found(session_id, suspension_id)
    if record.state == "voided":
        raise _stale(record, "the session has gone on since")
    if record.state == "resolved":
        raise RequestRefused(
            f"The suspension {suspension_id!r} was answered before.",
            code="suspension-resolved",
            hint=f"See: covel suspensions list {session_id}",
        )
    waiting = pending_suspensions(reading, session_id)
    return record, [one for one in waiting if one.suspension_id != suspension_id]


def _runtime(record: SuspensionRecord, session: SessionRecord, catalog: Catalog) -> SessionRuntime:
    if record.plugin_id not in session.active_packages:
        raise RequestRefused(
            f"The package {record.plugin_id!r} of the suspended run is not in the session.",
            code="package-not-active",
            hint=f"Put it back: covel sessions plugins {session.session_id} "
            f"--add {record.plugin_id}",
        )
    generation = loaded_generation(record.plugin_id, catalog)
    reading = generation.runtime(record.runtime_id)
    if reading is None or reading.manifest is None:
        raise RequestRefused(
            f"The package {record.plugin_id!r} has no runtime {record.runtime_id!r} any more.",
            code="runtime-not-found",
            hint=f"Give it up: covel suspensions discard {session.session_id} "
            f"{record.suspension_id}",
        )
    return session_runtime(generation, reading, reading.manifest)


def _scene(record: SuspensionRecord) -> RunScene | None:
    try:
        return None if record.scene is None else scene_of(record.scene)
    except ValidationError:
        return None


def _why_stale(
    reading: Reading, record: SuspensionRecord, runtime: SessionRuntime, scene: RunScene | None
) -> str | None:
    """Why the run cannot go on any more, as a clause; None when it can (spec/execution.md 10.3)."""
    before: Any = record.facts
    version = runtime.version or UNVERSIONED
    if version != before["pluginVersion"]:
        return f"its package has changed from version {before['pluginVersion']!r} to {version!r}"
    if scene is None:
        return None
    now = target_versions(reading, record.session_id, scene.proposals)
    changed = sorted(name for name in now if now[name] != before["targets"].get(name))
    return f"{changed[0]!r}, which it was to change, has changed since" if changed else None


def _stale(record: SuspensionRecord, why: str) -> RequestRefused:
    return RequestRefused(
        f"The suspended run of {record.runtime_id!r} cannot go on: {why}.",
        code=STALE,
        hint="Say it in a new turn.",
    )


async def _void(ports: TurnPorts, record: SuspensionRecord) -> None:
    """Let the run wait no more; whoever answers it later is told that it is stale."""
    at = ports.clock.now()

    def change(transaction: Transaction, place: ChangePlace) -> SessionRecord:
        end_suspensions(transaction, [record], "voided", revision=place.revision)
        return place.session

    await ports.store.transaction(
        lambda transaction: changed_session(transaction, record.session_id, change, at)
    )


def _checked(request: ResumeRequest, record: SuspensionRecord) -> JsonValue:
    """A copy of the answer, which fits."""
    try:
        data = json_copy(request.data)
    except JsonValueError as error:
        raise _invalid(record, f"it cannot be stored as JSON: {error}") from error
    schema: Any = record.facts["resumeSchema"]
    problems = compile_schema(schema).problems(data, limit=5)
    if problems:
        raise _invalid(record, "; ".join(str(problem) for problem in problems))
    return data


def _invalid(record: SuspensionRecord, problem: str) -> RequestRefused:
    return RequestRefused(
        f"The answer to {record.suspension_id!r} does not fit: {problem}",
        code="invalid-resume-data",
        hint=f"What is asked: covel suspensions list {record.session_id}",
    )


async def _tell(
    facts: ExecutionFacts, request: ResumeRequest, ports: TurnPorts, observer: Observer
) -> None:
    announcer = Announcer(
        observer, ports.events, session_id=request.session_id, turn_id=facts.turn_id
    )
    await announcer.tell(
        "turn.resumed",
        sessionId=request.session_id,
        turnId=facts.turn_id,
        suspensionId=request.suspension_id,
    )
