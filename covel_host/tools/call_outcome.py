"""What came of a tool call, checked and put into the forms that code, model and commit read."""

from collections.abc import Sequence

from covel_host.base.answer_sizes import text_size_problem
from covel_host.base.json_text import JsonValueError, dump_copied, json_copy
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.operations import Operation
from covel_host.proposals.staged import StagedProposal
from covel_host.tools.call_arguments import unread_text
from covel_host.tools.call_audit import audit_value
from covel_host.tools.call_events import checked_events
from covel_host.tools.call_shows import ShowInvalid, shown_by
from covel_host.tools.calls import CallError, CallScope, ToolCallResult
from covel_host.tools.envelope import content_envelope, failure_envelope, success_envelope
from covel_host.tools.envelope_texts import READ_ONLY_WRITES
from plugin_sdk.errors import ToolErrorCode
from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import Proposal
from plugin_sdk.results import (
    ToolResult,
    get_emitted_events,
    get_model_view,
    get_pending_proposals,
    get_tool_content,
)
from plugin_sdk.tools import ToolAnnotations
from plugin_sdk.values import JsonValue

_CODES: dict[str, ToolErrorCode] = {
    # The model can mend a value that is too large, or one that breaks the rules of its data set.
    "value-too-large": "invalid-input",
    "dataset-policy": "invalid-input",
}


async def accept_outcome(
    result: ToolCallResult,
    value: object,
    annotations: ToolAnnotations,
    scope: CallScope,
    writes: Operation | None = None,
    *,
    may_show: bool = True,
) -> None:
    """Complete `result`, the record of a call whose function gave `value`; proposals are staged.

    Its content is a copy for code. `writes` is what services that it used want written; it goes
    first. `may_show` is false for what a service answered: it is data, in which `interaction` and
    `ui` are names like any other.

    Raises:
        CallError: a read-only tool wrote, the content has no JSON form or shows what no client
            can render, an event has the wrong form, or a proposal was refused; nothing was staged,
            and `result` is as it was.
    """
    staged: tuple[StagedProposal, ...] = ()
    events: tuple[Event, ...] = ()
    if not isinstance(value, ToolResult) and (writes is None or not writes.was_opened):
        # Most results are nothing but content.
        content, envelope = _json_forms(value, scope, (), event_count=0)
        shows = _shows(content, annotations) if may_show else ()
    else:
        wanted, events = get_pending_proposals(value), checked_events(get_emitted_events(value))
        has_written = writes is not None and writes.was_opened
        if annotations.read_only and (wanted or events or has_written):
            raise CallError("internal", READ_ONLY_WRITES, raised_by="tool")
        by_services = () if writes is None else writes.proposals
        types = [one.type for one in by_services] + [one.type for one in wanted]
        content, envelope = _json_forms(value, scope, types, event_count=len(events))
        shows = _shows(content, annotations) if may_show else ()
        # Last of all: a call that fails stages nothing.
        staged = await _staged(scope, wanted, by_services)
    result.status = "completed"
    result.content, result.envelope = content, envelope
    result.proposals, result.events, result.shows = staged, events, shows


def fail_call(result: ToolCallResult, failure: CallError) -> None:
    """Complete `result`, the record of a call that came to `failure`."""
    request = result.request
    result.error = failure
    result.envelope = failure_envelope(
        request.name,
        failure.code,
        failure.message,
        hint=failure.hint,
        authored=failure.is_authored,
    )
    if not result.history_arguments:
        result.history_arguments = unread_text(request.arguments)


def _shows(content: JsonValue, annotations: ToolAnnotations) -> tuple[Proposal, ...]:
    try:
        shows = shown_by(content)
    except ShowInvalid as error:
        raise CallError(
            "internal", str(error), raised_by="tool", returned=content, cause=error
        ) from error
    if shows and annotations.read_only:
        raise CallError("internal", READ_ONLY_WRITES, raised_by="tool")
    return shows


def _json_forms(
    value: object, scope: CallScope, proposal_types: Sequence[str], *, event_count: int
) -> tuple[JsonValue, str]:
    try:
        content = json_copy(get_tool_content(value))
        text, view = dump_copied(content), get_model_view(value)
        if view is None and not proposal_types and not event_count:
            envelope = content_envelope(content, text, language=scope.instruction_locale)
        else:
            envelope = success_envelope(
                content,
                view=view,
                proposal_types=proposal_types,
                event_count=event_count,
                language=scope.instruction_locale,
            )
    except JsonValueError as error:
        audited = audit_value(get_tool_content(value))
        raise CallError(
            "internal",
            f"the result has no JSON form: {error}",
            raised_by="tool",
            details=audited.problems,
            returned=audited.value,
            cause=error,
        ) from error
    problem = text_size_problem(text) or text_size_problem(envelope)
    if problem is not None:
        raise CallError("internal", f"the result is too large: {problem}", raised_by="tool")
    return content, envelope


async def _staged(
    scope: CallScope, wanted: Sequence[Proposal], by_services: Sequence[StagedProposal]
) -> tuple[StagedProposal, ...]:
    """What the call and its services want written, checked and buffered: all of it or nothing."""
    try:
        return await scope.staging.stage(wanted, after=by_services)
    except ProposalRefused as refusal:
        if any(refusal.proposal_id == one.proposal_id for one in by_services):
            # It applied when the service wrote it: the records have changed meanwhile.
            raise CallError(
                "conflict", refusal.message, refusal.hint, raised_by="service", is_authored=True
            ) from refusal
        code = _CODES.get(refusal.code, "internal")
        raise CallError(
            code, refusal.message, refusal.hint, raised_by="tool", cause=refusal
        ) from refusal
