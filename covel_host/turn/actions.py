"""One RPC action of a package, from admission to its answer (spec/api.md 7, spec/execution.md 11).

It is no execution: it costs no turn, and what it writes is committed at once and stays, whatever
comes after. The session's lock is held meanwhile.
"""

from covel_host.base.author_calls import AuthorCall, AuthorLate, AuthorRaised
from covel_host.runtime.package_call import raised_failure
from covel_host.turn.action_admission import (
    ActionRequest,
    AdmittedAction,
    admit_action,
    check_active,
    check_name,
)
from covel_host.turn.action_call import ACTION_LIMIT_S, ActionCall, ActionCommand, ActionReport
from covel_host.turn.errors import RequestRefused
from covel_host.turn.ports import Observer, TurnPorts
from covel_host.turn.session_jobs import settled_session
from covel_host.turn.sessions import active_session
from plugin_sdk.errors import ToolValidationError


async def run_action(
    request: ActionRequest,
    ports: TurnPorts,
    observer: Observer,
    *,
    command: ActionCommand | None = None,
) -> ActionReport:
    """Run one action.

    Raises:
        RequestRefused: it cannot run at all; nothing was started.
        ExecutionLockTakenError: another process is executing on this database.
        asyncio.CancelledError: it was aborted; what it had written stays.
    """
    check_name(request.action)
    session = await active_session(ports.store, request.session_id)
    check_active(request.plugin_id, session)
    await ports.catalogs.need([request.plugin_id])
    with ports.catalogs.lease() as lease:
        admitted = admit_action(request, lease.catalog)
        value = await _payload(admitted, ports)
        async with settled_session(ports, request.session_id):
            # What was looked at before may have changed while the locks were waited for.
            session = await active_session(ports.store, request.session_id)
            check_active(request.plugin_id, session)
            call = ActionCall(request, admitted, session, lease.catalog, ports, observer, command)
            return await call.run(value)


async def _payload(admitted: AdmittedAction, ports: TurnPorts) -> object:
    """The payload as the action takes it; models of a package may run its code, so in a thread."""
    action = admitted.action
    call = AuthorCall(
        lambda: action.parse(admitted.payload_text),
        name=f"payload of {action.name}",
        is_async=False,
        tasks=ports.tasks,
    )
    try:
        return await call.returned(limit_s=ACTION_LIMIT_S)
    except AuthorRaised as raised:
        if isinstance(raised.error, ToolValidationError):
            raise RequestRefused(
                f"The payload does not fit the action {action.name!r}: {raised.error.message}",
                code="payload-invalid",
            ) from raised
        failure = raised_failure(
            raised.error,
            f"The payload check of the action {action.name!r}",
            root=admitted.generation.reading.root,
        )
        raise RequestRefused(failure.message, code=failure.code, hint=failure.hint) from raised
    except AuthorLate as late:
        raise RequestRefused(
            f"The payload check of the action {action.name!r} took longer than "
            f"{ACTION_LIMIT_S:g} s.",
            code="timeout",
        ) from late
