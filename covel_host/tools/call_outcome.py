"""What a tool returned, checked and put into the forms that code, model and commit read."""

from collections.abc import Sequence
from dataclasses import dataclass

from covel_host.base.json_text import JsonValueError, json_copy
from covel_host.proposals.errors import ProposalRefused
from covel_host.proposals.staged import StagedProposal
from covel_host.tools.call_audit import audit_value
from covel_host.tools.calls import CallError, CallScope
from covel_host.tools.envelope import success_envelope
from covel_host.tools.envelope_texts import READ_ONLY_WRITES
from plugin_sdk.errors import ToolErrorCode
from plugin_sdk.outcomes import Event
from plugin_sdk.proposals import Proposal
from plugin_sdk.results import (
    get_emitted_events,
    get_model_view,
    get_pending_proposals,
    get_tool_content,
)
from plugin_sdk.tools import ToolAnnotations
from plugin_sdk.values import JsonValue

_CODES: dict[str, ToolErrorCode] = {
    # The model can mend a value that is too large by writing less.
    "value-too-large": "invalid-input",
}


@dataclass(frozen=True, slots=True)
class AcceptedOutcome:
    """A success: `content` is a copy for code, `envelope` what the model reads."""

    content: JsonValue
    envelope: str
    proposals: tuple[StagedProposal, ...]


async def accept_outcome(
    value: object, annotations: ToolAnnotations, scope: CallScope
) -> AcceptedOutcome:
    """The outcome of a call whose function returned `value`, its proposals staged.

    Raises:
        CallError: a read-only tool wrote, the content has no JSON form, or a proposal was refused;
            nothing was staged.
    """
    wanted, events = get_pending_proposals(value), get_emitted_events(value)
    if annotations.read_only and (wanted or events):
        raise CallError("internal", READ_ONLY_WRITES, raised_by="tool")
    _refuse_events(events)
    content, envelope = _json_forms(value, scope)
    # Last of all: a call that fails stages nothing.
    return AcceptedOutcome(content, envelope, await _staged(scope, wanted))


def _refuse_events(events: Sequence[Event]) -> None:
    if events:
        raise CallError(
            "unavailable",
            f"The tool emitted {str(events[0].topic)!r}: this version of the host does not "
            "deliver domain events yet.",
        )


def _json_forms(value: object, scope: CallScope) -> tuple[JsonValue, str]:
    try:
        content = json_copy(get_tool_content(value))
        envelope = success_envelope(
            content,
            view=get_model_view(value),
            proposal_types=[proposal.type for proposal in get_pending_proposals(value)],
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
    return content, envelope


async def _staged(scope: CallScope, wanted: Sequence[Proposal]) -> tuple[StagedProposal, ...]:
    """What the call wants written, checked and buffered: all of it or nothing."""
    try:
        return await scope.staging.stage(wanted)
    except ProposalRefused as refusal:
        code = _CODES.get(refusal.code, "internal")
        raise CallError(
            code, refusal.message, refusal.hint, raised_by="tool", cause=refusal
        ) from refusal
