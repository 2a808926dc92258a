"""The facts of an execution again, from what a recording keeps of its start."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from covel_host.catalog.catalog import Catalog
from covel_host.proposals.seats import DEFAULT_SEAT_ID
from covel_host.runtime.run import SingleCall
from covel_host.store.records import SessionRecord
from covel_host.turn.admission import ManualRequest, admit
from covel_host.turn.execution_facts import execution_facts
from covel_host.turn.facts import ExecutionFacts, ManualTarget, PlayerInput
from covel_host.turn.ports import TurnPorts
from covel_host.turn.recorded_starts import session_of
from covel_host.turn.resuming import ResumeRequest, resumed_facts
from covel_host.turn.session_runtimes import session_runtime


async def facts_again(start: Any, ports: TurnPorts, catalog: Catalog) -> ExecutionFacts:
    """The facts of the execution that `start` is of, with the packages of `catalog`.

    `ports` are those of the replay, whose store holds the session as it was.

    Raises:
        RequestRefused: what was run is not there any more, such as its package.
    """
    facts = await _facts(start, session_of(start), ports, catalog)
    return replace(
        facts,
        origin=start["origin"],
        turn_id=start["turnId"],
        parent_turn_id=start["parentTurnId"],
        started_at=datetime.fromisoformat(start["startedAt"]),
        is_start=start["isStart"],
        is_new_session=start["isNewSession"],
        unsettled=tuple(start["unsettled"]),
    )


async def _facts(
    start: Any, session: SessionRecord, ports: TurnPorts, catalog: Catalog
) -> ExecutionFacts:
    given = PlayerInput(
        message=start["message"], message_id=start["messageId"], seat_id=start["seatId"]
    )
    if (resume := start["resume"]) is not None:
        request = ResumeRequest(
            session_id=session.session_id,
            suspension_id=resume["suspensionId"],
            data=resume["data"],
            seat_id=given.seat_id or DEFAULT_SEAT_ID,
        )
        return await resumed_facts(request, session, catalog, ports)
    return await execution_facts(
        ports,
        catalog,
        session,
        origin=start["origin"],
        given=given,
        target=_target(start["target"], catalog),
        slot=start["slot"],
    )


def _target(told: Any, catalog: Catalog) -> ManualTarget | None:
    if told is None:
        return None
    call = None if told["call"] is None else SingleCall(**told["call"])
    request = ManualRequest(
        target=told["runtimeId"] if call is None else told["pluginId"],
        payload=told["payload"],
        call=call,
    )
    target = admit(request, catalog)
    runtime = session_runtime(target.generation, target.runtime, target.manifest)
    return ManualTarget(runtime, target.payload, call)
