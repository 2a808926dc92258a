"""What a hook call leaves in the trace and, when it failed, in the host's log."""

import logging
from collections.abc import Iterable
from typing import Any

from covel_host.hooks.failures import HookFailure, abort_reason
from covel_host.hooks.hook import Hook, HookFacts
from covel_host.hooks.outcomes import Aborted, EndedCall
from covel_host.hooks.replacements import REPLACEMENTS, Rewritten
from covel_host.trace.concealed_logs import log_failure
from plugin_sdk.hook_events import CommittedProposal, HookEvent, ProposalCommit


def report_call(call: EndedCall[Any], event: HookEvent, payload: object, facts: HookFacts) -> None:
    """Trace one call (spec/protocol.md 3.7).

    `hook.fired`, `hook.rewrote` when its answer made a difference, `hook.aborted` when it ended the
    chain, `hook.error` when it failed, followed by `hook.aborted` on a guard event. The trace has
    an exception's type and text; its traceback only goes to the log.
    """
    data = _common(call, event, payload, facts)
    add = facts.trace.add
    if isinstance(call.end, HookFailure):
        failure = call.end
        add("hook.error", **data, **_failure(failure), isGuard=event.is_guard)
        if event.is_guard:
            add("hook.aborted", **data, reason=abort_reason(call.hook, failure), isGuard=True)
        _log(call.hook, event, failure)
    elif isinstance(call.end, Aborted):
        add("hook.aborted", **data, reason=call.end.reason, isGuard=event.is_guard)
    elif isinstance(call.end, Rewritten):
        if call.end.ignored:
            data["ignored"] = list(call.end.ignored)
        if call.end.changed:
            changed = list(call.end.changed)
            add("hook.rewrote", **data, targetType=event.argument, changed=changed)
        else:
            add("hook.fired", **data)


def failure_text(call: EndedCall[Any], event: HookEvent, failure: HookFailure) -> str:
    """A failure in one sentence for authors."""
    whose = f"The hook {call.hook.function_name!r} of {call.hook.plugin_id!r}"
    return f"{whose} failed on {event.event}: {failure.error_type}: {failure.message}"


def ignored_text(call: EndedCall[Any], event: HookEvent, ignored: Iterable[str]) -> str:
    """What of an answer counted for nothing, in one sentence for authors."""
    names = ", ".join(map(repr, ignored))
    counting = ", ".join(REPLACEMENTS.get(event.name, {})) or "nothing"
    return (
        f"The hook {call.hook.function_name!r} of {call.hook.plugin_id!r} answered {event.event} "
        f"with {names}, which counts for nothing there; it may replace: {counting}."
    )


def _common(
    call: EndedCall[Any], event: HookEvent, payload: object, facts: HookFacts
) -> dict[str, object]:
    data: dict[str, object] = {
        "event": event.event,
        "hookName": call.hook.function_name,
        "pluginId": call.hook.plugin_id,
        "durationMs": call.duration_ms,
    }
    if facts.runtime_id is not None:
        data["runtimeId"] = facts.runtime_id
    if facts.target_id is not None:
        data["targetId"] = facts.target_id
    if isinstance(payload, (ProposalCommit, CommittedProposal)):
        data["proposalType"] = payload.proposal.type
    return data


def _failure(failure: HookFailure) -> dict[str, object]:
    return {"kind": failure.kind, "errorType": failure.error_type, "message": failure.message}


def _log(hook: Hook, event: HookEvent, failure: HookFailure) -> None:
    log_failure(
        logging.getLogger(f"covel.packages.{hook.plugin_id}"),
        "The hook %r failed on %s: %s: %s",
        hook.function_name,
        event.event,
        failure.error_type,
        failure.message,
        cause=failure.cause,
    )
